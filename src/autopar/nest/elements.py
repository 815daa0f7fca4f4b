"""Whole-array expressions, element by element."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from autopar.nest import lazily
from autopar.nest.bounds import Bounds
from autopar.nest.ir import (
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Logic,
    Name,
    Part,
    Select,
    Slice,
    Stmt,
    Unary,
    View,
)
from autopar.nest.polynomial import Polynomial, number, symbol
from autopar.nest.section import (
    ONE,
    ZERO,
    Index,
    Item,
    New,
    Place,
    Run,
    Section,
    aligned,
    part,
)
from autopar.nest.show import text
from autopar.verdict import Reason

Value = Expr | Section


@dataclass(slots=True)
class Elements(Bounds):
    """Expressions of a nest that is written out.

    Attributes
    ----------
    named
        Scalars of the nest that are arrays, as what they are at the moment.
    """

    named: dict[str, Section] = field(default_factory=dict)

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
                return self.length(expr, self.shape(owner, expr.line), axis)
            case Call(func="<length>", args=(owner,)):
                return self.length(expr, self.shape(owner, expr.line, counted=True), 0)
            case View(array=Name(id=path), index=index, line=line) if (
                path not in self.nest.scalars
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

    def length(self, expr: View | Call, shape: Index, axis: int) -> Expr:
        """One of the extents `shape`, as `expr` asks for it."""
        if not -len(shape) <= axis < len(shape):
            raise self.refuse(Reason.WRONG_RANK, expr.line, text(expr))
        length = shape[axis].expr(expr.line)
        if isinstance(length, Dim):
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
            double=self.known.dtypes.get(path) == "float64",
            ordered=path in self.known.ordered or rank < 2,
            listed=path in self.known.listed,
        )

    def shape(self, owner: Expr, line: int, counted: bool = False) -> tuple[Polynomial, ...]:
        """The extents of an array; of a list only where its items are `counted`."""
        found = self.meant(owner) if counted else self.value(owner)
        if not isinstance(found, Section):
            raise self.refuse(Reason.NOT_ARRAY, line, text(owner))
        if found.compute is not None:  # to compute it might raise
            raise self.refuse(Reason.SYNTAX, line, text(owner))
        return found.extents

    @abstractmethod
    def called(self, call: Call) -> Value:
        """The value of a call."""

    @abstractmethod
    def kept(self, section: Section, line: int) -> Section:
        """An array that holds `section`, filled before the statement at hand."""

    @abstractmethod
    def flat(self, section: Section, line: int) -> Section:
        """The same with all elements along one axis."""

    @abstractmethod
    def packed(self, section: Section, line: int) -> Section:
        """The elements that its mask chooses, one after the other."""

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
        if len(sections) < len(held) and not all(s.real for s in sections):
            for extent in extents:  # of no elements, nobody would see that a number does not fit
                self.require(extent, 1, None, line, "an operation on no elements")

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
        made = self.mapped([left, right], lambda e: Binary(op, e[0], e[1], line, True), line)
        both = all(isinstance(o, Section) and o.boolean for o in (left, right))
        return replace(made, boolean=both and op in ("&", "|", "^"))

    # ------------------------------------------------------------------ subscripts

    def taken(
        self, base: Section, index: Sequence[Part], expr: Load | View, target: bool = False
    ) -> Value:
        """``base[index]``; only as a `target` do masks and index arrays mean `base` itself."""
        line = expr.line
        if base.compute is not None:
            base = self.kept(base, line)
        parts = self.parts(base, index, expr)
        if base.listed:
            own = (*parts[: len(index)], *index)
            if expr.tupled or any(isinstance(p, Slice | str | Section) for p in own):
                raise self.refuse(Reason.WRONG_TYPE, line, f"{text(expr)} of a list")
        fancy = [p for p in parts if isinstance(p, Section)]
        if fancy:
            found = self.gathered(base, parts, expr)
            if target:
                return found
            if found.mask is not None:
                return self.packed(found, line)
            return self.mapped([found], lambda e: e[0], line)
        plain = isinstance(expr, Load) and all(not isinstance(p, Slice | str) for p in parts)
        if plain and len(parts) == base.rank and base.path == expr.array:
            # One element: a negative subscript counts from the end, as ever.
            return replace(
                expr, index=tuple(p for p in parts if not isinstance(p, Slice | str | Section))
            )
        items = self.items(base, parts, line)
        found = part(base, items)
        if found.rank:
            return found
        return self.element(found, (), line)

    def parts(self, base: Section, index: Sequence[Part], expr: Expr) -> list[Part | Section]:
        """The items of a subscript, one for each axis, and new axes."""
        found: list[Part | Section] = []
        for item in index:
            if isinstance(item, Slice | str):
                found.append(item)
            elif isinstance(item, Name) and self.known.objects.get(item.id, 0) is None:
                found.append("None")  # np.newaxis
            else:
                found.append(self.value(item))
        axes = 0
        for one in found:
            if isinstance(one, Section) and one.boolean:
                axes += one.rank
            elif not isinstance(one, str):
                axes += 1
        missing = base.rank - axes
        line = getattr(expr, "line", self.nest.loop.line)
        if missing < 0 or found.count("...") > 1:
            detail = f"{text(expr)} of an array with {base.rank} dimensions"
            raise self.refuse(Reason.WRONG_RANK, line, detail)
        everything = [Slice(None, None, None)] * missing
        if "..." not in found:
            return [*found, *everything]
        k = found.index("...")
        return [*found[:k], *everything, *found[k + 1 :]]

    def items(self, base: Section, parts: Sequence[Part | Section], line: int) -> list[Item]:
        """What a subscript takes along each axis."""
        axis = 0
        found: list[Item] = []
        for one in parts:
            if isinstance(one, str):
                found.append(New())
                continue
            assert not isinstance(one, Section)
            extent = base.extents[axis]
            found.append(
                self.run(one, extent, line)
                if isinstance(one, Slice)
                else self.place(one, extent, line)
            )
            axis += 1
        return found

    def place(self, index: Expr, extent: Polynomial, line: int) -> Place:
        """One place along an axis."""
        found = self.exact(index, line)
        if found is None:  # a bool is not a place
            found = self.noted(Call("<place>", (index,), line), line, "place")
        if found.literal is not None and found.literal < 0:
            found = extent + found
        self.require(found, 0, None, line, "a subscript that may be negative")
        self.require(extent - found, 1, None, line, "a subscript that may be out of bounds")
        return Place(found)

    def run(self, piece: Slice, extent: Polynomial, line: int) -> Run:
        """A slice of an axis, which must lie within it, or is cut off there if need be."""
        step = 1
        if piece.step is not None:
            match self.value(piece.step):
                case Const(value=int(step)) if step:
                    pass
                case _:
                    raise self.refuse(Reason.SYNTAX, line, f"a slice with step {text(piece.step)}")
        if step < 0:
            if piece.start is not None or piece.stop is not None:
                raise self.refuse(Reason.SYNTAX, line, "a part of an axis backwards")
            return Run(_divided(extent, -step, line), extent - ONE, step)
        end = self.cut_off if self.strict else self.end
        start = ZERO if piece.start is None else end(piece.start, extent, line)
        stop = extent if piece.stop is None else end(piece.stop, extent, line)
        length = stop - start
        whole = piece.start is None and piece.stop is None
        if length.literal is None and not whole and (self.strict or not self.known_early(length)):
            length = self.noted(Call("<max>", (length.expr(line), Const(0)), line), line, "length")
            self.most |= dict.fromkeys(length.names, extent)
        return Run(_divided(length, step, line), start, step)

    def cut_off(self, bound: Expr, extent: Polynomial, line: int) -> Polynomial:
        """Where a slice starts or stops, as Python cuts it off.

        References
        ----------
        Python reference, "Slice objects", `slice.indices`.
        """
        size = extent.expr(line)
        at = self.noted(Call("<index>", (self.scalar(bound),), line), line, "index").expr(line)
        back = Binary("+", at, size, line)
        found = Select(Compare("<", at, Const(0), line), back, at, line)
        cut = Call("<min>", (Call("<max>", (found, Const(0)), line), size), line)
        return self.noted(cut, line, "end")

    def end(self, bound: Expr, extent: Polynomial, line: int) -> Polynomial:
        """Where a slice starts or stops; one that is negative counts from the end."""
        match self.value(bound):
            case Section():
                raise self.refuse(Reason.WRONG_TYPE, line, text(bound))
            case Unary(op="-", operand=operand):
                # Not zero, which would not count from the end.
                back = self.integer(operand, line)
                self.require(back, 1, None, line, "a slice that counts from the end or not")
                found = extent - back
            case value:
                found = self.integer(value, line)
                if found.literal is not None and found.literal < 0:
                    found = extent + found
        self.require(found, 0, None, line, "a slice that may begin before the array")
        self.require(extent - found, 0, None, line, "a slice that may end behind the array")
        return found

    def gathered(self, base: Section, parts: Sequence[Part | Section], expr: Expr) -> Section:
        """``base[index]`` for an array of integers, or of bools of the shape of `base`."""
        line = getattr(expr, "line", self.nest.loop.line)
        match parts:
            case [Section(boolean=True) as mask] if mask.rank == base.rank:
                for one, two in zip(mask.extents, base.extents, strict=True):
                    if one != two:
                        self.equal(one, two, line)
                return replace(
                    base, mask=lambda index: self.element(mask, index, line), ordered=False
                )
            case [Section(counting=True, path=path) as chosen, *rest] if (
                path and base.where is tuple and all(map(_everything, rest))
            ):
                for extent in base.extents[1:]:
                    self.require(extent, 1, None, line, "an array without elements")

                def where(index: Index) -> Index:
                    own = self.element(chosen, index[: chosen.rank], line)
                    return base.where((symbol(own), *index[chosen.rank :]))

                return replace(
                    base,
                    extents=(*chosen.extents, *base.extents[1:]),
                    where=where,
                    distinct=False,
                )
        raise self.refuse(Reason.SYNTAX, line, text(expr))


def _everything(item: Part | Section) -> bool:
    return isinstance(item, Slice) and (item.start, item.stop, item.step) == (None, None, None)


def _divided(length: Polynomial, step: int, line: int) -> Polynomial:
    """How many steps there are in `length`, rounded up."""
    return length if step == 1 else (length + number(step - 1)).floor(step, line)
