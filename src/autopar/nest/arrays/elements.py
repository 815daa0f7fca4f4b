"""Whole-array expressions, element by element."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from autopar.nest import functions
from autopar.nest.arrays.bounds import loads
from autopar.nest.arrays.section import ZERO, Index, Section, aligned, stretched
from autopar.nest.arrays.subscripts import Subscripts
from autopar.nest.arrays.subscripts import Value as Value
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    For,
    Load,
    Logic,
    Name,
    Select,
    Slice,
    Stmt,
    Unary,
    View,
)
from autopar.nest.polynomial import Polynomial
from autopar.nest.show import text
from autopar.nest.text import lazily
from autopar.nest.walking import statements
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason

At = Callable[[Index], Expr]


@dataclass(slots=True)
class Elements(Subscripts):
    """Expressions of a nest that is written out.

    Attributes
    ----------
    named
        Scalars of the nest that are arrays, as what they are at the moment.
    doubles
        Whether scalars are floats of double precision, as far as that has been asked.
    """

    named: dict[str, Section] = field(default_factory=dict)
    doubles: dict[str, bool] = field(default_factory=dict)

    # ------------------------------------------------------------------ values

    def value(self, expr: Expr) -> Value:
        """`expr` without anything in it that stands for more than one element, or a section.

        With a list as a whole nothing is done that would be done with an array.
        """
        found = self.meant(expr)
        if isinstance(found, Section) and found.listed:
            where = getattr(expr, "line", self.nest.loop.line)
            raise self.refuse(Reason.WRONG_TYPE, where, f"{text(expr)}, a list as a whole")
        return found

    def meant(self, expr: Expr) -> Value:
        """The same, for what can be done with a list: to name it, count it, subscript it."""
        match expr:
            case Const() | Dim():
                return expr
            case Name(id=name) if name in self.named:
                return self.named[name]
            case Name(id=path) if path in self.known.ranks and path not in self.nest.scalars:
                return self.array(path)
            case Name():
                return expr
            case Load(array=path, index=index):
                return self.taken(self.array(path), index, expr)
            case View(array=Call(func="<shape>", args=(owner,)), index=(Const(value=int(axis)),)):
                return self.length(expr, owner, self.shape(owner, expr.line), axis)
            case Call(func="<length>", args=(owner,)):
                return self.length(expr, owner, self.shape(owner, expr.line, counted=True), 0)
            case View(array=Name(id=path), index=index, line=line) if (
                path not in self.nest.scalars
                and path not in self.named
                and path in self.known.ranks
                and not any(isinstance(p, Slice | str) for p in index)
            ):
                places = tuple(p for p in index if not isinstance(p, Slice | str))
                return self.meant(Load(path, places, next(self.ids), line, expr.tupled))
            case View(array=array, index=index):
                base = self.meant(array)
                if not isinstance(base, Section):
                    raise self.refuse(Reason.NOT_ARRAY, expr.line, text(array))
                return self.taken(base, index, expr)
            case Unary(op=op, operand=operand, line=line):
                inner = self.value(operand)
                if not isinstance(inner, Section):
                    return replace(expr, operand=inner)
                if op == "not":
                    raise self.refuse(Reason.SYNTAX, line, text(expr))
                made = self.mapped([inner], lambda e: replace(expr, operand=e[0], whole=True), line)
                return replace(made, boolean=inner.boolean and op == "~")
            case Binary():
                return self.binary(expr)
            case Compare(op=op, line=line):
                left, right = self.value(expr.left), self.value(expr.right)
                if not isinstance(left, Section) and not isinstance(right, Section):
                    return replace(expr, left=left, right=right)
                made = self.mapped([left, right], lambda e: Compare(op, e[0], e[1], line), line)
                return replace(made, boolean=True, real=False, double=False)
            case Logic():
                return self.logic(expr)
            case Select():
                return self.select(expr)
            case Call():
                return self.called(expr)
        raise self.refuse(Reason.SYNTAX, getattr(expr, "line", 0), text(expr))

    def scalar(self, expr: Expr) -> Expr:
        """`expr`, which must have one element."""
        found = self.value(expr)
        if isinstance(found, Section):
            where = getattr(expr, "line", self.nest.loop.line)
            raise self.refuse(Reason.WRONG_TYPE, where, f"{text(expr)} is an array")
        return found

    def length(self, expr: View | Call, owner: Expr, shape: Index, axis: int) -> Expr:
        """One of the extents `shape` of `owner`, as `expr` asks for it."""
        if not -len(shape) <= axis < len(shape):
            raise self.refuse(Reason.WRONG_RANK, expr.line, text(expr))
        length = shape[axis].expr(expr.line)
        named = self.named.get(owner.id) if isinstance(owner, Name) else None
        ours = named is not None and named.where is tuple and self.as_long(named.path)
        if isinstance(length, Dim) or ours:  # which has been seen to be none below zero
            return length
        # That of a slice whose end comes before its start is zero.
        return Call("<max>", (length, Const(0)), expr.line)

    def logic(self, expr: Logic) -> Expr:
        first, *rest = expr.values
        value = self.scalar(first)
        made, last = lazily.logic(expr, value, list(map(self.later, rest)), self.ids)
        self.first += made
        return last

    def select(self, expr: Select) -> Expr:
        test = self.scalar(expr.test)
        made, value = lazily.select(
            expr, test, self.later(expr.body), self.later(expr.orelse), self.ids
        )
        self.first += made
        return value

    def later(self, expr: Expr) -> lazily.Later:
        """`expr`, which may not be evaluated, and what is to be done before it then."""
        outside, self.first, sure = self.first, [], self.sure
        indices, self.indices, self.sure = self.indices, dict(self.indices), False
        value = self.scalar(expr)
        made, self.first, self.indices, self.sure = self.first, outside, indices, sure
        return made, value

    def element(self, section: Section, index: Index, line: int) -> Expr:
        """One element of `section`."""
        if section.compute is not None:
            return section.compute(index)
        where = tuple(i.expr(line) for i in section.where(index))
        return Load(section.path, where, next(self.ids), line)

    def array(self, path: str) -> Section:
        """All of a live-in array."""
        rank = self.known.ranks.get(path)
        if rank is None:
            raise self.refuse(Reason.NOT_ARRAY, self.nest.loop.line, path)
        if not rank:
            raise self.refuse(Reason.WRONG_TYPE, self.nest.loop.line, f"{path} is a 0-d array")
        return Section(
            tuple(self.extent(path, axis) for axis in range(rank)),
            path=path,
            boolean=path in self.known.boolean,
            counting=path in self.known.counting,
            real=path in self.known.real,
            signed=self.known.dtypes.get(path, "").startswith("int"),
            unsigned=self.known.dtypes.get(path, "").startswith("uint"),
            double=self.known.dtypes.get(path) == "float64",
            ordered=path in self.known.ordered or rank < 2,
            forwards=path in self.known.ordered | self.known.sideways,
            listed=self.known.listed.get(path, 0),
        )

    def double(self, expr: Expr) -> bool:
        """Whether `expr`, which has one element, is surely a float of double precision."""
        match expr:
            case Const(value=value):
                return type(value) is float
            case Name(id=name) if name in self.nest.scalars:
                return self.always_double(name)
            case Name(id=name):
                return name in self.known.doubles
            case Call(func=func, args=args) if args and not expr.names:
                entry = functions.known(self.known.objects.get(func))
                if entry is None or entry.form not in ("libm", "ufunc"):
                    return False
                loop = functions.ufunc_loop(entry.name, ("np.float64",) * len(args))
                same = entry.form == "libm" or (loop is not None and loop[1] == "float64")
                return same and all(map(self.double, args))
            case Load(array=path):
                return self.of_doubles(path)
            case Unary(op="-" | "+", operand=operand):
                return self.double(operand)
            case Binary(op="+" | "-" | "*" | "/", left=left, right=right):
                return self.double(left) or self.double(right)
        return False

    def always_double(self, name: str) -> bool:
        """Whether a scalar of the nest is a float of double precision wherever it is read."""
        if name not in self.doubles:
            loop = self.nest.loop
            values = [
                stmt.value
                for stmt in statements(loop)
                if isinstance(stmt, Assign) and stmt.target == Name(name)
            ]
            counter = any(isinstance(s, For) and s.var == name for s in statements(loop))
            before = name not in exposed((loop,)) or name in self.known.doubles
            self.doubles[name] = False  # what depends on itself is not known to be one
            known = before and not counter and name not in self.known.ranks
            self.doubles[name] = bool(values) and known and all(map(self.double, values))
        return self.doubles[name]

    def shape(self, owner: Expr, line: int, counted: bool = False) -> tuple[Polynomial, ...]:
        """The extents of an array; of a list only where its items are `counted`."""
        found = self.meant(owner) if counted else self.value(owner)
        if not isinstance(found, Section):
            raise self.refuse(Reason.NOT_ARRAY, line, text(owner))
        copied = bool(found.path and found.listed)  # a part of a list
        if found.compute is not None and not copied:  # to compute it might raise
            raise self.refuse(Reason.SYNTAX, line, text(owner))
        return found.extents

    @abstractmethod
    def called(self, call: Call) -> Value:
        """The value of a call."""

    @abstractmethod
    def of_doubles(self, path: str) -> bool:
        """Whether elements of an array are known to be floats of double precision."""

    @abstractmethod
    def bounded(self, extents: Index, line: int) -> Index | None:
        """The most that `extents` can be, where it is known in time."""

    @abstractmethod
    def flat(self, section: Section, line: int) -> Section:
        """The same with all elements along one axis."""

    @abstractmethod
    def lies_dense(self, path: str) -> bool:
        """Whether an array lies in memory without gaps, in C order."""

    @abstractmethod
    def shape_of(self, path: str, rank: int) -> Index:
        """How long all axes of an array are."""

    @abstractmethod
    def multiplied(
        self,
        extents: Index,
        length: Polynomial,
        factors: Callable[[Index, Polynomial], tuple[Expr, Expr]],
        line: int,
    ) -> Section:
        """An array of sums of so many products, as NumPy's own loop adds them."""

    @abstractmethod
    def pieced(
        self, extents: Index, axis: int, pieces: Sequence[tuple[Section, Polynomial, At]], line: int
    ) -> Section:
        """An array made of pieces, each with where it begins along an axis, and its elements."""

    @abstractmethod
    def running(
        self, whole: Section, axis: int, step: Callable[[Expr, Expr], Expr], line: int
    ) -> Section:
        """An array of all results on the way along an axis."""

    @abstractmethod
    def filled_by(
        self, extents: Index, stmts: Callable[[Index], tuple[list[Stmt], Expr]], line: int
    ) -> Section:
        """An array each element of which takes statements to compute."""

    # ------------------------------------------------------------------ element by element

    def mapped(
        self, operands: Sequence[Value], make: Callable[[list[Expr]], Expr], line: int
    ) -> Section:
        """What `make` makes of the elements of `operands`, which are broadcast."""
        held = [self.settled(operand, line) for operand in operands]
        sections = [o for o in held if isinstance(o, Section)]
        extents = self.broadcast([s.extents for s in sections], line)
        numbers = [o for o in held if not isinstance(o, Section)]
        if not all(map(self.double, numbers)) and not all(s.real for s in sections):
            for extent in extents:  # of no elements, nobody would see that a number does not fit
                self.require(extent, 1, None, line, "an operation on no elements")
        held = [self.spread(o, extents, line) if isinstance(o, Section) else o for o in held]

        def compute(index: Index) -> Expr:
            return make(
                [
                    self.element(o, aligned(o, index), line) if isinstance(o, Section) else o
                    for o in held
                ]
            )

        # A float stays one in whatever NumPy computes, but for comparisons.
        real = any(s.real for s in sections)
        ordered, double = all(s.ordered for s in sections), any(s.double for s in sections)
        return Section(extents, compute, ordered=ordered, real=real, double=double)

    def spread(self, section: Section, extents: Index, line: int) -> Section:
        """`section` for broadcasting to `extents`, of which there may be no elements.

        NumPy computes it in any case, and raises or warns; here, an element is computed where it is
        used.
        """
        along = [one for one in stretched(section, extents) if not (one.literal or 0)]
        if not along or (section.compute is None and not _gathered(section, line)):
            return section
        before = all(one.names <= self.known.ints for one in along)  # as known as the call is
        if not before and self.bounded(section.extents, line) is not None:
            return self.kept(section, line)
        for extent in along:
            self.require(extent, 1, None, line, "what is computed for no elements")
        return section

    def upwards(self, operands: Sequence[Value], expr: Binary | Call) -> None:
        """Refuse operands that run backwards, for functions whose last bit depends on it.

        NumPy's loops for vectors take them for memory that overlaps, and leave it to the C library.
        """
        for operand in operands:
            if isinstance(operand, Section) and not operand.forwards:
                raise self.refuse(Reason.SYNTAX, expr.line, f"{text(expr)} of what runs backwards")

    def settled(self, value: Value, line: int) -> Value:
        """`value`; a number that takes computing is computed once."""
        if isinstance(value, Section | Const | Name | Dim):
            return value
        return self.hold(value, line)

    def binary(self, expr: Binary) -> Value:
        op, line = expr.op, expr.line
        left, right = self.value(expr.left), self.value(expr.right)
        if not isinstance(left, Section) and not isinstance(right, Section):
            return replace(expr, left=left, right=right)
        if op == "**" and not isinstance(right, Const):
            # With an exponent of 2 or 0.5 that nobody sees, NumPy takes a square or a root.
            raise self.refuse(Reason.SYNTAX, line, text(expr))
        if op == "**":
            self.upwards([left, right], expr)
        made = self.mapped([left, right], lambda e: Binary(op, e[0], e[1], line, True), line)
        sections = [o for o in (left, right) if isinstance(o, Section)]
        numbers = [o for o in (left, right) if not isinstance(o, Section)]
        both = not numbers and all(o.boolean for o in sections)
        floats = op == "/" or any(map(self.double, numbers))
        if op != "/":
            made = self.integers(made, [left, right], line)
        boolean = both and op in ("&", "|", "^")
        return replace(made, boolean=boolean, real=made.real or floats)

    def integers(self, made: Section, values: Sequence[Value], line: int) -> Section:
        """`made`, which has integers where `values` are of one kind of them, and Python's ints."""
        sections = [one for one in values if isinstance(one, Section)]
        numbers = [one for one in values if not isinstance(one, Section)]
        whole = all(self.exact(number, line) is not None for number in numbers)
        signed = whole and all(one.signed for one in sections)
        unsigned = whole and all(one.unsigned for one in sections)
        return replace(made, counting=signed or unsigned, signed=signed, unsigned=unsigned)


def _gathered(section: Section, line: int) -> bool:
    """Whether it takes reads to say where an element of it is."""
    where = section.where((ZERO,) * section.rank)
    return any(loads(place.expr(line)) for place in where)
