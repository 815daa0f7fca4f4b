"""Types a nest for the values of one call: a kind for every scalar, a dtype for every array."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from autopar.nest import functions, ir, kinds, meaning, walking
from autopar.nest.flow import exposed
from autopar.nest.functions import Function
from autopar.nest.hidden import STORED, TYPES
from autopar.nest.ir import (
    BEGUN,
    LOST,
    NOTHING,
    START,
    SUMMED,
    WHOLE,
    Assign,
    Binary,
    Call,
    Compare,
    Condition,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Local,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
    Word,
)
from autopar.nest.kinds import Kind
from autopar.nest.show import text
from autopar.nest.typed import listed
from autopar.nest.walking import accesses, children, expressions, statements, walk
from autopar.records import dataclass, replace
from autopar.verdict import Reason, Refusal, Refused, Span

_LATER = (NOTHING, START, BEGUN, SUMMED, LOST, WHOLE)
_MAX_INT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ArrayType:
    """What a kernel is compiled for; `layout` is C, F or A as in NumPy's flags.

    One that stands for a list, or a list of lists, has in `listed` the atom of all of its elements.
    Those of a `weak` one are ints until the nest assigns them, and each of those of a mixed one may
    be of the `other` type instead, as a note beside it says.
    """

    dtype: str
    ndim: int
    layout: str
    writeable: bool
    aligned: bool
    listed: str = ""
    weak: bool = False
    other: str = ""

    @property
    def mixed(self) -> bool:
        return self.other != ""

    @property
    def atom(self) -> str:
        """The type of an element as a value, once it has been assigned."""
        return self.listed or f"np.{self.dtype}"

    @property
    def kind(self) -> Kind:
        """The types that an element may have."""
        if self.mixed:
            return frozenset((self.atom, self.other))
        return frozenset((self.atom, "int") if self.weak else (self.atom,))


@dataclass(frozen=True, slots=True)
class Typed:
    """A nest with the types of one call; equal for equal type keys.

    Attributes
    ----------
    arrays
        Path and type of every subscripted live-in.
    numbers
        Path (or exposed scalar) and atom of every live-in number.
    calls
        Path and table entry of every function called.
    scalars
        Scalar and kind, flow-insensitive: every atom the scalar may have anywhere in the nest.
    """

    nest: Nest
    arrays: tuple[tuple[str, ArrayType], ...]
    numbers: tuple[tuple[str, str], ...]
    calls: tuple[tuple[str, Function], ...]
    scalars: tuple[tuple[str, Kind], ...]

    def array(self, path: str) -> ArrayType:
        return dict(self.arrays)[path]

    @property
    def ints(self) -> frozenset[str]:
        """Live-in paths that hold a Python int and that the nest cannot change.

        NumPy integers wrap, so they are no integers to an exact analysis.
        """
        changed = frozenset(self.nest.scalars)
        return frozenset(
            path for path, atom in self.numbers if path not in changed and atom == "int"
        )

    def counting(
        self, names: frozenset[str], given: frozenset[str] = frozenset(), clipped: bool = False
    ) -> Typed:
        """The same with what a schedule adds, and the functions it calls.

        Parameters
        ----------
        names
            Its loop variables.
        given
            Integers that it is handed.
        clipped
            Whether its loops are parts of others, whose ends may lie outside of their ranges.
        """
        known = dict(self.scalars)
        more = tuple((name, frozenset(("int",))) for name in sorted(names - known.keys()))
        if not more and not given and not clipped:
            return self
        numbers = (*self.numbers, *((name, "int") for name in sorted(given)))
        calls = (*self.calls, *functions.EXTREMES.items())
        return replace(self, numbers=numbers, scalars=(*self.scalars, *more), calls=calls)


def roles(nest: Nest) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Paths used as arrays, as functions, and scalars and paths read as live-in numbers."""
    arrays: set[str] = set()
    calls: set[str] = set()
    numbers: set[str] = set(exposed((nest.loop,)) & frozenset(nest.scalars))
    paths = frozenset(nest.paths)
    for stmt in statements(nest.loop):
        for top in expressions(stmt):
            for expr in walk(top):
                match expr:
                    case Load(array=path) | Dim(array=path):
                        arrays.add(path)
                    case Call(func=path) if not path.startswith("<"):
                        calls.add(path)
                    case Name(id=path) if path in paths:
                        numbers.add(path)
        match stmt:
            case Assign(target=Element(array=path)):
                arrays.add(path)
    for expr in (part for top in _beside(nest) for part in walk(top)):
        match expr:
            case Dim(array=path):
                arrays.add(path)
            case Name(id=path) if path in paths:
                numbers.add(path)
    arrays |= {path for turn in nest.turns for path in turn.after}
    arrays |= {row.path for row in nest.rows}
    arrays |= {local.initial for local in nest.locals if local.initial is not None}
    arrays -= {local.path for local in nest.locals}
    numbers -= walking.extended(nest)
    arrays -= walking.buckets(nest).keys()
    # Said in the IR by other means than calls, and yet they must be what they seem.
    calls.update(path for path, _ in nest.counting)
    return frozenset(arrays), frozenset(calls), frozenset(numbers)


def _beside(nest: Nest) -> Iterator[Expr]:
    """Expressions that are evaluated before the nest starts."""
    for local in nest.locals:
        yield from local.extents
    for condition in nest.conditions:
        yield condition.expr


def infer(
    nest: Nest,
    arrays: dict[str, ArrayType],
    numbers: dict[str, str],
    calls: dict[str, Function],
) -> Typed | Refusal:
    """Type `nest` for these live-ins; see `Typed`."""
    fresh = {p for p, found in arrays.items() if found.mixed and p + TYPES not in arrays}
    if fresh:
        return infer(listed.noted(nest, fresh), {**arrays, **_types(arrays, fresh)}, numbers, calls)
    inference = _Inference(nest, dict(arrays), {**calls, **_attributes(nest)})
    try:
        inference.shapes()
        inference.arguments()
        scalars = inference.fixpoint(numbers)
        if inference.several:
            return infer(listed.noted(nest, inference.several), arrays, numbers, calls)
        loop = meaning.rewritten(nest.loop, lambda expr: inference.settled(expr)[0])
        weak = inference.weakly_stored(loop) & arrays.keys()
        # A list that is copied has to be one of ints all through.
        weak -= {local.initial for local in nest.locals}
        if weak:
            found = infer(
                listed.marked(nest, weak), {**arrays, **_weak(arrays, weak)}, numbers, calls
            )
            if not isinstance(found, Refusal) or found.reason is not Reason.MIXED_TYPE:
                return found
            either = infer(nest, {**arrays, **_either(arrays, weak)}, numbers, calls)
            return found if isinstance(either, Refusal) else either
        copied = {local.initial for local in nest.locals}
        mixed = inference.mixed(loop)
        there = {path: two for path, two in mixed.items() if path in arrays.keys() - copied}
        if there:
            return infer(nest, {**arrays, **_mixed(arrays, there)}, numbers, calls)
        own = {local.path for local in nest.locals if local.path in mixed and _alone(local, nest)}
        if own:
            return infer(listed.noted(nest, own), arrays, numbers, calls)
        inference.stores(loop)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    return Typed(
        replace(nest, loop=loop),
        tuple(sorted(inference.arrays.items())),
        tuple(sorted(numbers.items())),
        tuple(sorted(inference.calls.items())),
        tuple(sorted(scalars.items())),
    )


def after_loops(
    nest: Nest,
    arrays: dict[str, ArrayType],
    numbers: dict[str, str],
    calls: dict[str, Function],
    holds: Callable[[Condition], bool],
) -> Nest:
    """`nest` with scalars of one type each after its loops; see `nest.typed.narrowed`.

    Or with others that begin as zeros of the type that they have from then on, `nest.typed.zeros`.
    """
    inference = _Inference(nest, dict(arrays), {**calls, **_attributes(nest)})
    try:
        inference.grow(numbers)
    except Refused:
        return nest
    from autopar.nest.typed.narrowed import narrowed  # seldom needed
    from autopar.nest.typed.zeros import begun_as_they_go_on

    def kind_with(others: Mapping[str, Kind]) -> Callable[[Expr], Kind]:
        one = _Inference(nest, dict(arrays), {**calls, **_attributes(nest)})
        one.env = {**inference.env, **others}
        return one.kind

    begun = begun_as_they_go_on(nest, inference.env | _elements(arrays), inference.calls, kind_with)
    if begun is not nest:
        return begun
    return narrowed(nest, inference.env, inference.kind, holds)


def _weak(arrays: dict[str, ArrayType], paths: frozenset[str]) -> dict[str, ArrayType]:
    """What lists of ints are in which floats are stored, and the notes of where they are."""
    floats = {p: replace(arrays[p], dtype="float64", listed="float", weak=True) for p in paths}
    notes = {
        path + STORED: ArrayType("bool", kind.ndim, "C", True, True)
        for path, kind in floats.items()
    }
    return {**floats, **notes}


def _mixed(
    arrays: dict[str, ArrayType], pairs: Mapping[str, tuple[str, str]]
) -> dict[str, ArrayType]:
    """What lists are whose elements may be of one type or of the other."""
    return {
        path: replace(arrays[path], dtype=kinds.dtype(own), listed=own, other=other)
        for path, (own, other) in pairs.items()
    }


def _either(arrays: dict[str, ArrayType], paths: Collection[str]) -> dict[str, ArrayType]:
    """What lists of ints are in which floats are stored, where an int may not be read as one."""
    return _mixed(arrays, dict.fromkeys(paths, ("float", "int")))


def _types(arrays: dict[str, ArrayType], paths: Collection[str]) -> dict[str, ArrayType]:
    """The notes of which type their elements are."""
    return {path + TYPES: ArrayType("int8", arrays[path].ndim, "C", True, True) for path in paths}


def _elements(arrays: Mapping[str, ArrayType]) -> dict[str, Kind]:
    """The kinds of elements of arrays; of lists, in Python's types."""
    return {path: found.kind for path, found in arrays.items()}


def _attributes(nest: Nest) -> dict[str, Function]:
    used = {
        expr.func
        for stmt in statements(nest.loop)
        for top in expressions(stmt)
        for expr in walk(top)
        if isinstance(expr, Call)
    }
    entries = {name: functions.internal(name) for name in used if name.startswith("<")}
    return {name: entry for name, entry in entries.items() if entry is not None}


class _Inference:
    def __init__(
        self, nest: Nest, arrays: dict[str, ArrayType], calls: dict[str, Function]
    ) -> None:
        self.nest, self.arrays, self.calls = nest, arrays, calls
        self.env: dict[str, Kind] = {}
        self.starts: dict[str, Kind] = {}
        self.several: set[str] = set()  # lists that the nest makes, of numbers of two types
        # Of these the dtype is known once everything else is.
        self.locals = {local.path: local for local in nest.locals if local.path not in arrays}
        for path, local in self.locals.items():
            self.arrays[path] = ArrayType("", len(local.extents), "C", True, True)
        self.ranks = {path: found.ndim for path, found in arrays.items()}

    def refuse(self, reason: Reason, line: int, detail: str) -> Refused:
        return Refused(Refusal(reason, Span(self.nest.file, line), detail))

    def shapes(self) -> None:
        """Every access names all axes, and what is written may be written."""
        for _, access in accesses(self.nest.loop):
            kind = self.arrays[access.array]
            if len(access.index) != kind.ndim:
                detail = f"{access.array} has {kind.ndim} dimensions, {len(access.index)} given"
                raise self.refuse(Reason.WRONG_RANK, access.line, detail)
            if isinstance(access, Element) and not kind.writeable:
                raise self.refuse(Reason.READ_ONLY, access.line, access.array)
        for stmt in statements(self.nest.loop):
            for top in expressions(stmt):
                for expr in walk(top):
                    if isinstance(expr, Dim):
                        axis, ndim = expr.axis or 0, self.arrays[expr.array].ndim
                        if not -ndim <= axis < ndim:
                            raise self.refuse(Reason.WRONG_RANK, stmt.line, expr.array)

    def arguments(self) -> None:
        """Every call has a number of arguments that it is taken with; integers fit 64 bits."""
        for stmt in statements(self.nest.loop):
            for top in expressions(stmt):
                for expr in walk(top):
                    match expr:
                        case Call(func=func, args=args, line=line, names=names):
                            entry = self.calls.get(func)
                            if entry is None or names or not entry.takes(len(args)):
                                raise self.refuse(Reason.SYNTAX, line, text(expr))
                        case Word(line=line):
                            raise self.refuse(Reason.SYNTAX, line, text(expr))
                        case Const(value=int(value)) if abs(value) > _MAX_INT:
                            raise self.refuse(Reason.BIG_INTEGER, stmt.line, text(expr))

    def weakly_stored(self, loop: Stmt) -> frozenset[str]:
        """The lists of ints in which nothing but floats is stored."""
        kinds: dict[str, Kind] = {}
        for stmt in statements(loop):
            match stmt:
                case Assign(target=Element(array=path), value=value):
                    if self.arrays[path].listed == "int":
                        kinds[path] = kinds.get(path, frozenset()) | self.kind(value)
        return frozenset(path for path, kind in kinds.items() if kind == {"float"})

    def mixed(self, loop: Stmt) -> dict[str, tuple[str, str]]:
        """The lists in which numbers of two types come together, and these."""
        found: dict[str, Kind] = {}
        for stmt in statements(loop):
            match stmt:
                case Assign(target=Element(array=path), value=value):
                    array = self.arrays[path]
                    if array.listed and not array.weak and not array.mixed:
                        found[path] = found.get(path, array.kind) | self.kind(value)
        pairs = ((path, kinds.pair(kind)) for path, kind in found.items())
        return {path: two for path, two in pairs if two is not None}

    def stores(self, loop: Stmt) -> None:
        """A list keeps the type of its elements, or those that are no floats yet do no harm."""
        for stmt in statements(loop):
            match stmt:
                case Assign(target=Element(array=path), value=value, line=line):
                    atom, kind = self.arrays[path].listed, self.kind(value)
                    if self.arrays[path].mixed and kind <= self.arrays[path].kind:
                        continue
                    if atom and kind != {atom}:
                        detail = f"{path.strip('<>')} holds {atom}, {_shown(kind)} is stored"
                        raise self.refuse(Reason.MIXED_TYPE, line, detail)
        weak = frozenset(path for path, array in self.arrays.items() if array.weak)
        for load, other in listed.operands(loop, weak):
            if other is None or self.kind(other) != {"float"}:
                detail = f"{text(load)}, which may be int or float"
                raise self.refuse(Reason.MIXED_TYPE, load.line, detail)

    def operation(self, expr: Expr, op: str, left: Kind, right: Kind, line: int) -> None:
        if not left or not right or kinds.combine(op, left, right) is not None:
            return
        mixed = len(left) > 1 or len(right) > 1
        shown = f"{text(expr)}, {_shown(left)} {op} {_shown(right)}"
        raise self.refuse(Reason.MIXED_TYPE if mixed else Reason.WRONG_TYPE, line, shown)

    def fixpoint(self, numbers: dict[str, str]) -> dict[str, Kind]:
        """Kinds of all scalars."""
        known = -1
        while len(self.starts) != known:  # the items of a sum may be sums
            self.grow(numbers)
            known = len(self.starts)
            for stmt in statements(self.nest.loop):
                match stmt:
                    case Assign(target=Name(id=name), value=Call(func=func)) if func.startswith(
                        START
                    ):
                        self.start(func, name)
        self.settle_locals()
        found = {name: self.env.get(name, frozenset()) for name in self.nest.scalars}
        loops = {s.var for s in statements(self.nest.loop) if isinstance(s, For)}
        for stmt in statements(self.nest.loop):
            match stmt:
                case Assign(target=Name(id=name), value=value, line=line) if not found[name]:
                    raise self.refuse(Reason.WRONG_TYPE, line, text(value))
        for name, kind in found.items():
            if kinds.storage(kind) is None or (name in loops and kind != {"int"}):
                atoms = ", ".join(sorted(kind)) or "no type"
                raise self.refuse(
                    Reason.MIXED_TYPE, self.nest.loop.line, f"{name.strip('<>')} is {atoms}"
                )
        return found

    def start(self, func: str, name: str) -> None:
        """Let the sum `name` start from a zero of its items' type, unless some may be ints."""
        other = self.env[name] - {"int"}
        for stmt in statements(self.nest.loop):
            match stmt:
                case Assign(target=Name(id=found), value=Binary(right=item)) if found == name:
                    if self.kind(item) & {"int", "bool"}:
                        return
        if len(other) == 1:
            self.starts[func] = other

    def grow(self, numbers: dict[str, str]) -> None:
        """Let kinds grow, from those of the live-ins, until nothing changes; they are finite."""
        self.env = {name: frozenset((atom,)) for name, atom in numbers.items()}
        for stmt in statements(self.nest.loop):
            if isinstance(stmt, For):
                self.env[stmt.var] = self.env.get(stmt.var, frozenset()) | {"int"}
        for path, local in self.locals.items():
            before = None if local.initial is None else self.arrays[local.initial]
            if before is not None:
                self.env[path] = frozenset((before.atom,))
            else:
                self.env[path] = frozenset(() if local.dtype is None else (f"np.{local.dtype}",))
        made = {number: path for path, local in self.locals.items() for number in local.made}
        mixed = {path for path, local in self.locals.items() if local.mixed}
        changed = True
        while changed:
            changed = False
            for stmt in statements(self.nest.loop):
                match stmt:
                    case Assign(target=Name(id=name), value=value):
                        new = self.kind(value)
                    case Assign(target=Element(array=name), value=value) if name in mixed:
                        new = self.kind(value)
                    case Assign(id=number, value=value) if number in made:
                        name = made[number]
                        new = self.kind(value)
                        if self.locals[name].dtype is not None:
                            continue
                        if not self.locals[name].listed:
                            new = frozenset(f"np.{kinds.dtype(atom)}" for atom in new)
                    case _:
                        continue
                old = self.env.get(name, frozenset())
                changed |= not new <= old
                self.env[name] = old | new

    def settle_locals(self) -> None:
        """The dtypes of the arrays that the nest makes."""
        for path, local in self.locals.items():
            pair = kinds.pair(self.env[path])
            if local.mixed or (pair and local.listed and _alone(local, self.nest)):
                if not local.mixed:
                    self.several.add(path)
                own, other = pair or _fitting(self.env[path])
                dtype = kinds.dtype(own)
                rank = len(local.extents)
                self.arrays[path] = ArrayType(dtype, rank, "C", True, True, own, other=other)
                del self.env[path]
                continue
            if len(self.env[path]) != 1:
                atoms = ", ".join(sorted(self.env[path])) or "no type"
                what = "a list" if local.listed else "an array"
                detail = f"{local.extends or path.strip('<>')} is {what} of {atoms}"
                raise self.refuse(Reason.MIXED_TYPE, self.nest.loop.line, detail)
            (atom,) = self.env.pop(path)
            listed = atom if local.listed else ""
            rank = len(local.extents)
            self.arrays[path] = ArrayType(kinds.dtype(atom), rank, "C", True, True, listed)
        self.locals = {}

    def settled(self, expr: Expr) -> tuple[Expr, Kind]:
        """What `expr` means throughout, and its kind; every operation in it is taken.

        Refused here rather than where code is written, the reason can name the types.
        """
        if isinstance(expr, Call) and expr.func.startswith(_LATER):
            expr = self.typed_later(expr)
        inner = {id(child): self.settled(child) for child in children(expr)}
        known = {id(operand): kind for operand, kind in inner.values()}

        def kind(operand: Expr) -> Kind:
            return known[id(operand)] if id(operand) in known else self.kind(operand)

        here = meaning.rebuilt(expr, lambda child: inner[id(child)][0])
        means = meaning.meant(here, kind, self.calls, self.ranks)
        match means:
            case (
                Binary(op=op, left=left, right=right, line=line)
                | Compare(op=op, left=left, right=right, line=line)
            ):
                self.operation(expr, op, kind(left), kind(right), line)
        return means, known[id(means)] if id(means) in known else self.result(means, kind)

    def typed_later(self, expr: Call) -> Expr:
        """What a call means that has the type of a scalar."""
        name = expr.func.partition(" ")[2][:-1]
        kind, line = self.env[name], expr.line
        if expr.func.startswith((LOST, WHOLE)):
            return self.compensated(expr, name, kind)
        if expr.func.startswith(SUMMED):
            return Const(0)
        if expr.func.startswith(START) and expr.func not in self.starts:
            return Const(0)
        if not expr.func.startswith(BEGUN):
            return meaning.zero(sorted(kind)[0], line)
        if "int" in kind or self.is_operand(name, kind):
            return Const(0)
        some = Binary("*", expr.args[0], Const(1), line)
        return Binary("//", Const(1), some, line)  # or the interpreter must look

    def compensated(self, expr: Call, name: str, kind: Kind) -> Expr:
        """What a sum has lost, or the sum with it; of types that Python adds up plainly, nothing.

        References
        ----------
        A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen",
        ZAMM 54, 1974; CPython adds what is lost once, in the end, if it is finite.
        """
        line, plain = expr.line, not kind & ir.COMPENSATED
        if expr.func.startswith(WHOLE):
            total, lost = expr.args
            if plain:
                return total
            some = Compare("!=", lost, Const(0.0), line)
            finite = Compare("==", Binary("-", lost, lost, line), Const(0.0), line)
            usable = Logic("and", (some, finite), line)
            back = Select(usable, Unary("-", lost, line), Const(0.0), line)
            return Binary("-", total, back, line)  # which leaves -0.0 as it is
        lost, total, item = expr.args
        if plain:
            return Const(0.0)
        if kind != {"float"} or self.kind(item) != {"float"}:
            words = "sum(…) of floats and others, of which this Python compensates some"
            raise self.refuse(Reason.MIXED_TYPE, line, words)
        sizes = [
            Select(Compare("<", one, Const(0.0), line), Unary("-", one, line), one, line)
            for one in (total, item)
        ]
        after = Binary("+", total, item, line)
        large = Binary("+", Binary("-", total, after, line), item, line)
        small = Binary("+", Binary("-", item, after, line), total, line)
        more = Select(Compare(">=", sizes[0], sizes[1], line), large, small, line)
        return Binary("+", lost, more, line)

    def is_operand(self, name: str, kind: Kind) -> bool:
        """Whether a sum is only added, subtracted or multiplied, where the int 0 is as good as 0.0.

        The other operand is a float, and so is the result, of NumPy's type if one of both is.
        """
        if name in self.nest.live_out or kind not in ({"float"}, {"np.float64"}):
            return False
        others = {"float", "np.float64"} if kind == {"float"} else {"np.float64"}
        for stmt in statements(self.nest.loop):
            own = isinstance(stmt, Assign) and stmt.target == Name(name)
            for top in expressions(stmt):
                if top == Name(name):
                    return False
                for expr in walk(top):
                    if Name(name) not in children(expr) or (own and expr is top):
                        continue
                    if isinstance(expr, Call) and expr.func.startswith(LOST):
                        continue
                    match expr:
                        case Binary(op="+" | "-" | "*", left=left, right=right):
                            other = self.kind(right if left == Name(name) else left)
                            if not other or not other <= others:
                                return False
                        case _:
                            return False
        return True

    def kind(self, expr: Expr) -> Kind:
        """Atoms that `expr` may have given the current `env`; empty while still unknown."""
        # Each operand once: asking again for what the operation means would double the work at
        # every level of a long sum.
        known = {id(child): self.kind(child) for child in children(expr)}

        def kind(operand: Expr) -> Kind:
            return known[id(operand)] if id(operand) in known else self.kind(operand)

        means = meaning.meant(expr, kind, self.calls, self.ranks)
        return known[id(means)] if id(means) in known else self.result(means, kind)

    def result(self, expr: Expr, kind: Callable[[Expr], Kind]) -> Kind:
        match expr:
            case Const(value=value):
                return frozenset((type(value).__name__,))
            case Name(id=name):
                return self.env.get(name, frozenset())
            case Dim():
                return frozenset(("int",))
            case Load(array=path) if path in self.locals:
                return self.env[path]
            case Load(array=path):
                return self.arrays[path].kind
            case Unary(op=op, operand=operand):
                found = (kinds.unary(op, atom) for atom in kind(operand))
                return frozenset(atom for atom in found if atom is not None)
            case Binary(op=op, left=left, right=right) | Compare(op=op, left=left, right=right):
                return kinds.possible(op, kind(left), kind(right))
            case Logic(values=values):
                return frozenset().union(*(kind(v) for v in values))
            case Select(body=body, orelse=orelse):
                return kind(body) | kind(orelse)
            case Call(func=func) if func.startswith(NOTHING):
                return frozenset()
            case Call(func=func) if func.startswith(START):
                return self.starts.get(func, frozenset(("int",)))
            case Call(func=func) if func.startswith((BEGUN, SUMMED)):
                return frozenset(("int",))
            case Call(func=func) if func.startswith(LOST):
                return frozenset(("float",))
            case Call(func=func) if func.startswith(WHOLE):
                return self.env.get(func.partition(" ")[2][:-1], frozenset())
            case Call(func=func, args=args):
                if func not in self.calls:  # what it was written as means this one
                    entry = functions.internal(func)
                    assert entry is not None, func
                    self.calls[func] = entry
                return functions.possible(self.calls[func], tuple(kind(a) for a in args))
        raise self.refuse(Reason.SYNTAX, self.nest.loop.line, text(expr))


def _alone(local: Local, nest: Nest) -> bool:
    """Whether it is no part of another list, and none is of it, nor is it a copy."""
    alone = local.initial is None and local.lengths is None and local.last_of is None
    return alone and all(other.last_of != local.path for other in nest.locals)


def _fitting(kind: Kind) -> tuple[str, str]:
    """A pair of types that has the one of `kind` in it."""
    (atom,) = kind
    own = kinds.python_atom(kinds.dtype(atom))
    return own, f"np.{kinds.dtype(own)}"


def _shown(kind: Kind) -> str:
    return "|".join(sorted(kind))


def kind_of(typed: Typed, expr: Expr) -> Kind:
    """The kind of `expr` under the final kinds of `typed`."""
    inference = _Inference(typed.nest, dict(typed.arrays), dict(typed.calls))
    inference.env = {name: frozenset((atom,)) for name, atom in typed.numbers}
    inference.env |= dict(typed.scalars)
    return inference.kind(expr)
