"""Subscripts of whole arrays: slices, places, new axes, masks and arrays of indices."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from autopar.nest import walking
from autopar.nest.arrays.bounds import Bounds
from autopar.nest.arrays.section import (
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
from autopar.nest.ir import (
    PLACES,
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Element,
    Expr,
    For,
    Items,
    Load,
    Name,
    Part,
    Put,
    Select,
    Slice,
    Stmt,
    Unary,
    View,
)
from autopar.nest.polynomial import Polynomial, number, symbol
from autopar.nest.show import text
from autopar.records import dataclass, replace
from autopar.verdict import Reason

Value = Expr | Section
_ALL = Slice(None, None, None)


@dataclass(slots=True)
class Subscripts(Bounds):
    """What subscripts take of arrays, in a nest that is written out.

    Attributes
    ----------
    at_once
        Whether what is taken of a list is read before the statement at hand stores anything.
    """

    at_once: bool = False

    @abstractmethod
    def value(self, expr: Expr) -> Value:
        """`expr` without anything in it that stands for more than one element, or a section."""

    @abstractmethod
    def scalar(self, expr: Expr) -> Expr:
        """`expr`, which must have one element."""

    @abstractmethod
    def element(self, section: Section, index: Index, line: int) -> Expr:
        """One element of `section`."""

    @abstractmethod
    def kept(self, section: Section, line: int) -> Section:
        """An array that holds `section`, filled before the statement at hand."""

    @abstractmethod
    def listed(
        self, shape: Index, values: Sequence[Expr], line: int, double: bool = False
    ) -> Section:
        """An array of these numbers, all of its elements in C order."""

    @abstractmethod
    def stores_around(self, path: str) -> bool:
        """Whether the innermost loop around the statement at hand may store into this list."""

    @abstractmethod
    def as_long(self, path: str) -> bool:
        """Whether an array of the nest's has as many elements as is said of it, and no more."""

    @abstractmethod
    def packed(self, section: Section, line: int) -> Section:
        """The elements that its mask chooses, one after the other."""

    def taken(
        self, base: Section, index: Sequence[Part], expr: Load | View, target: bool = False
    ) -> Value:
        """``base[index]``; only as a `target` do masks and index arrays mean `base` itself."""
        line = expr.line
        if base.compute is not None:
            base = self.copied(base, line)
        parts = self.parts(base, index, expr)
        if base.listed:
            own = (*parts[: min(len(index), base.listed)], *index[: base.listed])
            odd = (p for p in own if isinstance(p, Slice | str | Section))
            tupled = 0 < expr.tupled <= base.listed
            rows = self.rows_gone_through(base, index)
            lent = rows or any(isinstance(p, Slice) and p.lent for p in own)
            sliced = not (target or lent) and base.rank == base.listed == len(index)
            sliced = sliced and _cuts_last(parts)
            if tupled or any(
                not isinstance(p, Slice) or not (p.lent or sliced or rows) for p in odd
            ):
                assigned = ", which is assigned" if target else ""
                raise self.refuse(Reason.WRONG_TYPE, line, f"{text(expr)} of a list{assigned}")
            through = any(isinstance(p, Slice) and p.through for p in index)
            if sliced and base.path in self.known.fixed and not through:
                raise self.refuse(Reason.WRONG_TYPE, line, f"{text(expr)} of a tuple")
            if sliced:
                found = part(base, self.items(base, parts, line))
                return replace(found, compute=lambda index: self.element(found, index, line))
        fancy = [p for p in parts if isinstance(p, Section)]
        if fancy:
            found = self.gathered(base, parts, expr)
            if target:
                if found.mask is None:
                    self.in_order(fancy, expr)
                return found
            if found.mask is not None:
                return self.packed(found, line)
            return replace(found, compute=lambda index: self.element(found, index, line))
        if len(parts) == base.rank and not any(isinstance(p, Slice | str) for p in parts):
            # One element: a negative subscript counts from the end, as ever.
            place = tuple(p for p in parts if not isinstance(p, Slice | str | Section))
            if isinstance(expr, Load) and base.path == expr.array:
                return replace(expr, index=place)
            if self.strict and base.where is tuple and self.as_long(base.path):
                return Load(base.path, place, next(self.ids), line)
        items = self.items(base, parts, line)
        found = part(base, items)
        if found.rank:
            return found
        return self.element(found, (), line)

    def rows_gone_through(self, base: Section, index: Sequence[Part]) -> bool:
        """Whether a loop goes through some rows of a list, in which no row is replaced.

        What is stored into a row is seen in a part of the list as in the list.
        """
        match index:
            case [Slice(through=True)] if base.rank > 1 and base.path in self.nest.paths:
                return not any(_replaces(s, base) for s in walking.statements(self.nest.loop))
        return False

    def copied(self, base: Section, line: int) -> Section:
        """An array that holds `base`, which is computed.

        A part of a list is a copy for Python, made before its items are gone through; it is the
        list itself while nothing is stored.
        """
        if base.path and base.listed:
            if not self.at_once and self.stores_around(base.path):
                what = f"a part of {base.path} in a loop that may store into it"
                raise self.refuse(Reason.SYNTAX, line, what)
            return replace(base, compute=None)
        return self.kept(base, line)

    def parts(self, base: Section, index: Sequence[Part], expr: Expr) -> list[Part | Section]:
        """The items of a subscript, one for each axis, and new axes."""
        found: list[Part | Section] = []
        for item in index:
            if isinstance(item, Slice | str):
                found.append(item)
            elif isinstance(item, Call) and item.func == PLACES:
                found.append(self.places(item))
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

    def places(self, index: Call) -> Section:
        """An array of the integers in a list that is written out."""
        line, (items,) = index.line, index.args
        if not isinstance(items, Items) or not items.values:
            raise self.refuse(Reason.SYNTAX, line, text(index))
        values: list[Expr] = []
        for value in items.values:
            place = Call("<place>", (self.scalar(value),), line)  # of bools, it would be a mask
            values.append(Call("<cast int64>", (place,), line))
        found = self.listed((number(len(values)),), values, line)
        return replace(found, counting=True, signed=True)

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
        if any(self.goes_through(loop, found, extent) for loop in self.around):
            return Place(found)
        if any(self.begins_below(loop, found) for loop in self.around):
            at = found.expr(line)
            back = Binary("+", at, extent.expr(line), line)
            wrapped = Select(Compare("<", at, Const(0), line), back, at, line)
            found = self.noted(wrapped, line, "place")
        self.require(found, 0, None, line, "a subscript that may be negative")
        self.require(extent - found, 1, None, line, "a subscript that may be out of bounds")
        return Place(found)

    def goes_through(self, loop: For, place: Polynomial, extent: Polynomial) -> bool:
        """Whether `place` is the variable of `loop`, which goes through an axis of that extent."""
        if (loop.start, loop.step) != (Const(0), Const(1)) or place != symbol(Name(loop.var)):
            return False
        return self.exact(loop.stop, loop.line) == extent

    def begins_below(self, loop: For, place: Polynomial) -> bool:
        """Whether `place` is below zero in the first iterations of `loop`: it counts from the end.

        As ``u[i - 1]`` does at the edge of what is periodic.
        """
        match loop.start, loop.step:
            case Const(value=int(start)), Const(value=int(step)) if step > 0:
                first = place - symbol(Name(loop.var)) + number(start)
                return first.literal is not None and first.literal < 0
        return False

    def run(self, piece: Slice, extent: Polynomial, line: int) -> Run:
        """A slice of an axis, which must lie within it, or is cut off there if need be."""
        step = 1
        if piece.step is not None:
            match self.scalar(piece.step):
                case Const(value=int(step)) if step:
                    pass
                case Const():
                    raise self.refuse(Reason.SYNTAX, line, f"a slice with step {text(piece.step)}")
                case value:
                    return self.strided(piece, self.integer(value, line), extent, line)
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

    def strided(self, piece: Slice, step: Polynomial, extent: Polynomial, line: int) -> Run:
        """A slice with a step that only the nest knows; it must be positive."""
        self.require(step, 1, None, line, "a slice with a step that may not be positive")
        end = self.cut_off if self.strict else self.end
        start = ZERO if piece.start is None else end(piece.start, extent, line)
        stop = extent if piece.stop is None else end(piece.stop, extent, line)
        beyond = (stop - start + step - ONE).expr(line)
        steps = Call("<max>", (Binary("//", beyond, step.expr(line), line), Const(0)), line)
        length = self.noted(steps, line, "length")
        self.most |= dict.fromkeys(length.names, extent)
        return Run(length, start, step)

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

    # ------------------------------------------------------------------ masks and arrays of indices

    def gathered(self, base: Section, parts: Sequence[Part | Section], expr: Expr) -> Section:
        """``base[index]`` with arrays in the index."""
        line = getattr(expr, "line", self.nest.loop.line)
        arrays = [one for one in parts if isinstance(one, Section)]
        if any(one.boolean for one in arrays):
            if len(arrays) > 1 or (isinstance(expr, Load) and expr.nested):
                raise self.refuse(Reason.SYNTAX, line, text(expr))
            return self.under_mask(base, parts, arrays[0], expr)
        nested = isinstance(expr, Load) and expr.nested
        if nested or not all(one.counting for one in arrays) or "None" in parts:
            raise self.refuse(Reason.SYNTAX, line, text(expr))
        if base.where is not tuple:  # an index that is negative would count from the array's end
            raise self.refuse(Reason.SYNTAX, line, text(expr))
        return self.picked(base, parts, line)

    def forwards(self, section: Section) -> bool:
        """Whether NumPy's own array for `section` has strides that are positive."""
        given = section.compute is None and section.path in self.known.ranks
        return section.ordered and (not given or section.path in self.known.ordered)

    def in_order(self, arrays: Sequence[Section], expr: Load | View) -> None:
        """NumPy goes through these arrays of indices forwards, the last axis innermost.

        The last of several values for one element stays.  Where all strides are negative, or axes
        are those of different arrays, NumPy may go another way.
        """
        rank = max(one.rank for one in arrays)
        if not all(map(self.forwards, arrays)) or (rank > 1 and len(arrays) > 1):
            raise self.refuse(Reason.SYNTAX, expr.line, f"{text(expr)} in an order of NumPy's own")

    def under_mask(
        self, base: Section, parts: Sequence[Part | Section], mask: Section, expr: Expr
    ) -> Section:
        """Where `mask` is up; it is for the first axes that are left by the other subscripts."""
        line = getattr(expr, "line", self.nest.loop.line)
        plain: list[Part | Section] = []
        for one in parts:
            plain += [_ALL] * mask.rank if one is mask else [one]
        places = any(not isinstance(one, Slice | Section) for one in parts)
        if any(isinstance(one, str) for one in parts) or (places and base.rank > len(parts)):
            raise self.refuse(Reason.SYNTAX, line, text(expr))
        slices = [one for one in parts if isinstance(one, Slice)]
        if slices and (places or parts[0] is not mask or any(one != _ALL for one in slices)):
            raise self.refuse(Reason.SYNTAX, line, text(expr))
        if places:
            base = part(base, self.items(base, plain, line))
        rank = mask.rank
        for extent, other in zip(mask.extents, base.extents, strict=False):
            if extent != other:
                self.equal(extent, other, line)

        def chosen(index: Index) -> Expr:
            return self.element(mask, index[:rank], line)

        return replace(base, mask=chosen, masked=rank, ordered=False)

    def picked(self, base: Section, parts: Sequence[Part | Section], line: int) -> Section:
        """The elements at arrays of indices, beside slices and places.

        References
        ----------
        NumPy user guide, "Combining advanced and basic indexing": the axes of arrays and places
        come where these stand if they stand together, and first of all if not.
        """
        arrays = [
            one if one.compute is None else self.kept(one, line)
            for one in parts
            if isinstance(one, Section)
        ]
        together = self.broadcast([one.extents for one in arrays], line)
        left = iter(arrays)
        items: list[Section | Run | Place] = []
        for one, extent in zip(parts, base.extents, strict=True):
            match one:
                case Section():
                    items.append(next(left))
                case Slice():
                    items.append(self.run(one, extent, line))
                case _:
                    assert not isinstance(one, str)
                    items.append(self.place(one, extent, line))
        runs = [item for item in items if isinstance(item, Run)]
        for run in runs:
            self.require(run.extent, 1, None, line, "an array without elements")
        beside = [k for k, item in enumerate(items) if not isinstance(item, Run)]
        before = beside[0] if beside[-1] - beside[0] == len(beside) - 1 else 0
        rank = len(together)
        around = tuple(run.extent for run in runs)

        def where(index: Index) -> Index:
            here, rest = (
                index[before : before + rank],
                iter(index[:before] + index[before + rank :]),
            )
            found: list[Polynomial] = []
            for item in items:
                match item:
                    case Section():
                        found.append(symbol(self.element(item, aligned(item, here), line)))
                    case Run():
                        found.append(item.place(next(rest)))
                    case Place(index=place):
                        found.append(place)
            return tuple(found)

        plain = all(one.rank < 2 or (one.rank == rank and one.ordered) for one in arrays)
        in_order = rank < 2 or (plain and len(arrays) == 1)
        return replace(
            base,
            extents=(*around[:before], *together, *around[before:]),
            where=where,
            distinct=False,
            ordered=base.ordered and in_order and (not before or not runs),
            dtype=None,
        )


def _cuts_last(parts: Sequence[Part | Section]) -> bool:
    """Whether a subscript takes one place of all axes but the last, and a slice of that."""
    return isinstance(parts[-1], Slice) and not any(isinstance(p, Slice | str) for p in parts[:-1])


def _replaces(stmt: Stmt, whole: Section) -> bool:
    """Whether `stmt` may put another row in the place of one of `whole`."""
    match stmt:
        case Assign(target=Element(array=path, index=index)):
            return path == whole.path and len(index) < whole.rank
        case Put(target=target):
            inner = walking.walk(target)
            return any(whole.path in (getattr(e, "id", ""), getattr(e, "array", "")) for e in inner)
    return False


def _divided(length: Polynomial, step: int, line: int) -> Polynomial:
    """How many steps there are in `length`, rounded up."""
    return length if step == 1 else (length + number(step - 1)).floor(step, line)
