"""Types a nest for the values of one call: a kind for every scalar, a dtype for every array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from autopar.nest import functions, kinds, meaning
from autopar.nest.flow import exposed
from autopar.nest.functions import Function
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    Load,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
    accesses,
    children,
    expressions,
    statements,
    walk,
)
from autopar.nest.kinds import Kind
from autopar.nest.show import text
from autopar.verdict import Reason, Refusal, Refused, Span

_MAX_INT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ArrayType:
    """What a kernel is compiled for; `layout` is C, F or A as in NumPy's flags.

    One that stands for a list, or a list of lists, has in `listed` the atom of all of its elements.
    """

    dtype: str
    ndim: int
    layout: str
    writeable: bool
    aligned: bool
    listed: str = ""

    @property
    def atom(self) -> str:
        """The type of an element as a value."""
        return self.listed or f"np.{self.dtype}"


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

    def counting(self, names: frozenset[str], given: frozenset[str] = frozenset()) -> Typed:
        """The same with what a schedule adds, and the functions it calls.

        Parameters
        ----------
        names
            Its loop variables.
        given
            Integers that it is handed.
        """
        known = dict(self.scalars)
        more = tuple((name, frozenset(("int",))) for name in sorted(names - known.keys()))
        if not more and not given:
            return self
        numbers = (*self.numbers, *((name, "int") for name in sorted(given)))
        calls = (*self.calls, *functions.EXTREMES.items())
        return replace(self, numbers=numbers, scalars=(*self.scalars, *more), calls=calls)


def roles(nest: Nest) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Paths used as arrays, as functions, and scalars and paths read as live-in numbers."""
    arrays: set[str] = set()
    calls: set[str] = set()
    numbers: set[str] = set(exposed((nest.loop,)) & frozenset(nest.scalars))
    for stmt in statements(nest.loop):
        for top in expressions(stmt):
            for expr in walk(top):
                match expr:
                    case Load(array=path) | Dim(array=path):
                        arrays.add(path)
                    case Call(func=path) if not path.startswith("<"):
                        calls.add(path)
                    case Name(id=path) if path in nest.paths:
                        numbers.add(path)
        match stmt:
            case Assign(target=Element(array=path)):
                arrays.add(path)
    for expr in (part for top in _beside(nest) for part in walk(top)):
        match expr:
            case Dim(array=path):
                arrays.add(path)
            case Name(id=path) if path in nest.paths:
                numbers.add(path)
    arrays |= {path for turn in nest.turns for path in turn.after}
    arrays |= {row.path for row in nest.rows}
    arrays |= {local.initial for local in nest.locals if local.initial is not None}
    arrays -= {local.path for local in nest.locals}
    # Said in the IR by other means than calls, and yet they must be what they seem.
    calls.update(
        path for path in nest.paths if path.rpartition(".<globals>.")[2] in functions.COUNTING
    )
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
    inference = _Inference(nest, dict(arrays), {**calls, **_attributes(nest)})
    try:
        inference.shapes()
        inference.arguments()
        scalars = inference.fixpoint(numbers)
        arrays, calls = inference.arrays, inference.calls
        loop = meaning.rewritten(nest.loop, lambda expr: inference.settled(expr)[0])
        inference.stores(loop)
    except Refused as refused:
        return refused.refusal
    assert isinstance(loop, For)
    return Typed(
        replace(nest, loop=loop),
        tuple(sorted(arrays.items())),
        tuple(sorted(numbers.items())),
        tuple(sorted(calls.items())),
        tuple(sorted(scalars.items())),
    )


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
                        case Const(value=int(value)) if abs(value) > _MAX_INT:
                            raise self.refuse(Reason.BIG_INTEGER, stmt.line, text(expr))

    def stores(self, loop: Stmt) -> None:
        """A list keeps the type of its elements."""
        for stmt in statements(loop):
            match stmt:
                case Assign(target=Element(array=path), value=value, line=line):
                    listed, kind = self.arrays[path].listed, self.kind(value)
                    if listed and kind != {listed}:
                        detail = f"{path} holds {listed}, {_shown(kind)} is stored"
                        raise self.refuse(Reason.MIXED_TYPE, line, detail)

    def operation(self, expr: Expr, op: str, left: Kind, right: Kind, line: int) -> None:
        if not left or not right or kinds.combine(op, left, right) is not None:
            return
        mixed = len(left) > 1 or len(right) > 1
        shown = f"{text(expr)}, {_shown(left)} {op} {_shown(right)}"
        raise self.refuse(Reason.MIXED_TYPE if mixed else Reason.WRONG_TYPE, line, shown)

    def fixpoint(self, numbers: dict[str, str]) -> dict[str, Kind]:
        self.env = {name: frozenset((atom,)) for name, atom in numbers.items()}
        for stmt in statements(self.nest.loop):
            if isinstance(stmt, For):
                self.env[stmt.var] = self.env.get(stmt.var, frozenset()) | {"int"}
        for path, local in self.locals.items():
            before = None if local.initial is None else self.arrays[local.initial].dtype
            dtype = before if local.dtype is None else local.dtype
            self.env[path] = frozenset(() if dtype is None else (f"np.{dtype}",))
        made = {number: path for path, local in self.locals.items() for number in local.made}
        changed = True
        while changed:  # kinds only grow and are finite
            changed = False
            for stmt in statements(self.nest.loop):
                match stmt:
                    case Assign(target=Name(id=name), value=value):
                        old = self.env.get(name, frozenset())
                        new = old | self.kind(value)
                        changed |= new != old
                        self.env[name] = new
                    case Assign(id=number, value=value) if number in made:
                        path = made[number]
                        old = self.env[path]
                        if self.locals[path].dtype is None:
                            new = old | {f"np.{kinds.dtype(atom)}" for atom in self.kind(value)}
                            changed |= new != old
                            self.env[path] = new
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

    def settle_locals(self) -> None:
        """The dtypes of the arrays that the nest makes."""
        for path, local in self.locals.items():
            if len(self.env[path]) != 1:
                atoms = ", ".join(sorted(self.env[path])) or "no type"
                detail = f"{path.strip('<>')} is an array of {atoms}"
                raise self.refuse(Reason.MIXED_TYPE, self.nest.loop.line, detail)
            (atom,) = self.env.pop(path)
            self.arrays[path] = ArrayType(atom[3:], len(local.extents), "C", True, True)
        self.locals = {}

    def settled(self, expr: Expr) -> tuple[Expr, Kind]:
        """What `expr` means throughout, and its kind; every operation in it is taken.

        Refused here rather than where code is written, the reason can name the types.
        """
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
                return frozenset((self.arrays[path].atom,))
            case Unary(op=op, operand=operand):
                found = (kinds.unary(op, atom) for atom in kind(operand))
                return frozenset(atom for atom in found if atom is not None)
            case Binary(op=op, left=left, right=right) | Compare(op=op, left=left, right=right):
                return kinds.possible(op, kind(left), kind(right))
            case Logic(values=values):
                return frozenset().union(*(kind(v) for v in values))
            case Select(body=body, orelse=orelse):
                return kind(body) | kind(orelse)
            case Call(func=func, args=args):
                if func not in self.calls:  # what it was written as means this one
                    entry = functions.internal(func)
                    assert entry is not None, func
                    self.calls[func] = entry
                return functions.possible(self.calls[func], tuple(kind(a) for a in args))
        raise self.refuse(Reason.SYNTAX, self.nest.loop.line, text(expr))


def _shown(kind: Kind) -> str:
    return "|".join(sorted(kind))


def kind_of(typed: Typed, expr: Expr) -> Kind:
    """The kind of `expr` under the final kinds of `typed`."""
    inference = _Inference(typed.nest, dict(typed.arrays), dict(typed.calls))
    inference.env = {name: frozenset((atom,)) for name, atom in typed.numbers}
    inference.env |= dict(typed.scalars)
    return inference.kind(expr)
