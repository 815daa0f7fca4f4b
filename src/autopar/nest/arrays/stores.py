"""What is assigned to arrays in a nest that is written out, and room for what must be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count, product

import numpy as np

from autopar.nest import ir, walking
from autopar.nest.arrays import library
from autopar.nest.arrays.bounds import loads
from autopar.nest.arrays.elements import At, Elements, Value
from autopar.nest.arrays.section import ONE, ZERO, Index, Item, Run, Section, aligned, part
from autopar.nest.ir import Assign, Call, Const, Element, Expr, For, If, Load, Name, Stmt
from autopar.nest.meaning import rebuilt
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.show import text
from autopar.records import dataclass, field, replace
from autopar.verdict import Reason


@dataclass(slots=True)
class Made:
    """An array that the nest makes, so far."""

    path: str
    extents: Index
    dtype: str | None = None
    flag: str = ""
    initial: str | None = None
    by: set[int] = field(default_factory=set)
    scope: tuple[For, ...] = ()
    boolean: bool = False
    counting: bool = False
    real: bool = False
    signed: bool = False
    unsigned: bool = False
    double: bool = False
    most: Index = ()
    private: frozenset[int] = frozenset()
    listed: bool = False
    length: str | None = None
    extends: str | None = None
    last_of: str | None = None
    lengths: str | None = None
    room: bool = False
    lowest: str | None = None
    rows: bool = False

    @property
    def section(self) -> Section:
        """All of it."""
        return Section(
            self.extents,
            path=self.path,
            boolean=self.boolean,
            counting=self.counting,
            real=self.real,
            signed=self.signed,
            unsigned=self.unsigned,
            double=self.double,
            listed=len(self.extents) if self.listed else 0,
        )

    def holds(self, section: Section) -> None:
        """Note what is known of its elements, which are those of `section`."""
        self.boolean |= section.boolean
        self.counting |= section.counting
        self.real |= section.real
        self.signed |= section.signed
        self.unsigned |= section.unsigned
        self.double |= section.double


@dataclass(slots=True)
class Stores(Elements):
    """Assignments to parts of arrays.

    Attributes
    ----------
    made
        Arrays that the nest makes, by name.
    enclosing
        All loops around the statement at hand.
    apart
        Arrays that must not share memory for what is written.
    """

    made: dict[str, Made] = field(default_factory=dict)
    enclosing: list[For] = field(default_factory=list)
    apart: set[tuple[str, str]] = field(default_factory=set)

    def store(self, target: Section, value: Value, stmt: Assign | ir.Put) -> tuple[Stmt, ...]:
        """``target[...] = value``, all reads before all writes."""
        line = stmt.line
        if target.fresh:
            raise self.refuse(Reason.SYNTAX, line, text(stmt.target))
        settled = self.settled(value, line)
        if isinstance(settled, Section):
            settled = self.fit(target, settled, line)
            if stmt.augmented and settled.rank > target.rank:
                raise self.refuse(Reason.SIZES, line, "shapes that do not fit")
        else:
            self.fits(target, settled, line)

        def element(index: Index) -> Expr:
            if isinstance(settled, Section):
                return self.element(settled, aligned(settled, index), line)
            return settled

        clashes = self.clashes(target, element, line)
        if not clashes:
            return self.filled(target, element, stmt, isinstance(settled, Section))
        if target.mask is not None:
            raise self.refuse(Reason.SYNTAX, line, text(stmt.target))
        rank = len(target.extents)
        if target.distinct and all(len(_axes(load, rank)) < rank for load in clashes.values()):
            return self.fetched(target, element, clashes, stmt)
        held = self.room(target.extents, line)
        held.listed = 0 < target.listed == rank
        (here,) = held.by
        kept = partial(self.element, held.section, line=line)

        def operand(index: Index) -> Expr:
            return _binary(element(index)).right

        def computed(index: Index) -> Expr:
            return replace(_binary(element(index)), right=kept(index))

        late = stmt.augmented and target.distinct and self.is_right(element, clashes, rank)
        before = replace(stmt, id=here, augmented=False)
        return (
            *self.filled(held.section, operand if late else element, before),
            *self.filled(target, computed if late else kept, stmt),
        )

    def is_right(self, element: At, clashes: Mapping[int, Load], rank: int) -> bool:
        """Whether all that would be lost is read by the right operand of an assignment in place.

        Then that is kept, as NumPy does, whose operation casts to the target's type as it goes.
        """
        first = element((ZERO,) * rank)
        return isinstance(first, ir.Binary) and min(clashes) >= len(loads(first.left))

    def one_by_one(
        self, target: Section, op: str, value: Value, stmt: Assign | ir.Put
    ) -> tuple[Stmt, ...]:
        """``target[k] = target[k] op value[k]`` for one element after the other."""
        line = stmt.line
        if isinstance(value, Section):
            value = self.fit(target, value, line)
            computed = value.fresh or value.path == target.path
            given: Section | Name = self.kept(value, line) if computed else value
        else:  # beside an array, it is an array as well
            given = self.hold(Call("<strong>", (value,), line), line)

        def one(index: Index) -> Expr:
            if isinstance(given, Section):
                return self.element(given, aligned(given, index), line)
            return given

        if self.clashes(target, one, line):
            raise self.refuse(Reason.SYNTAX, line, text(stmt.target))

        def element(index: Index) -> Expr:
            return ir.Binary(op, self.element(target, index, line), one(index), line, whole=True)

        return self.filled(target, element, replace(stmt, augmented=True))

    def as_long(self, path: str) -> bool:
        """See `Subscripts.as_long`."""
        made = next((one for one in self.made.values() if one.path == path), None)
        if made is None or made.room or made.scope or made.most:
            return False
        return made.length is None and made.extends is None

    def called(self, call: Call) -> Value:
        """The value of a call."""
        return library.called(self, call)

    def kept(self, section: Section, line: int) -> Section:
        """An array that holds `section`, filled before the statement at hand."""
        room = self.room(section.extents, line)
        room.holds(section)
        room.listed = section.rank == section.listed
        self.do(room.section, partial(self.element, section, line=line), line, room)
        # What NumPy has in its place lies in memory as `section` does.
        return replace(room.section, new=True, ordered=section.ordered)

    def of_doubles(self, path: str) -> bool:
        """Whether elements of an array are known to be floats of double precision."""
        if path in self.known.dtypes:
            return self.known.dtypes[path] == "float64"
        return any(made.double for made in self.made.values() if made.path == path)

    def listed(
        self, shape: Index, values: Sequence[Expr], line: int, double: bool = False
    ) -> Section:
        """An array of these numbers, all of its elements in C order."""
        room = self.room(shape, line)
        room.by = set()
        sizes = [extent.literal or 0 for extent in shape]
        for place, value in zip(product(*map(range, sizes)), values, strict=True):
            here = next(self.ids)
            room.by.add(here)
            target = Element(room.path, tuple(map(Const, place)), next(self.ids), line)
            self.first.append(Assign(target, value, here, line))
        room.real = room.double = double
        return replace(room.section, new=True)

    def flat(self, section: Section, line: int) -> Section:
        """The same with all elements along one axis."""
        size = ONE
        for extent in section.extents:
            size = size * extent
        room = self.room((size,), line)
        room.holds(section)
        extents = section.extents

        def where(index: Index) -> Index:
            place = ZERO
            for i, extent in zip(index, extents, strict=True):
                place = place * extent + i
            return (place,)

        target = Section(extents, path=room.path, where=where)
        self.do(target, partial(self.element, section, line=line), line, room)
        return replace(room.section, new=True)

    def packed(self, section: Section, line: int) -> Section:
        """The elements that its mask chooses, one after the other."""
        mask, axes = section.mask, section.masked
        assert mask is not None
        size = ONE
        for extent in section.extents[:axes]:
            size = size * extent
        rest = section.extents[axes:]
        room = self.room((size, *rest), line)
        room.holds(section)
        (here,) = room.by
        number = next(self.ids)
        found = Name(f"<chosen {number}>")
        self.first.append(Assign(found, Const(0), number, line))

        def body(index: Index) -> tuple[Stmt, ...]:
            def row(inner: Index) -> tuple[Stmt, ...]:
                where = tuple(i.expr(line) for i in inner)
                place = Element(room.path, (found, *where), next(self.ids), line)
                one = self.element(section, (*index, *inner), line)
                return (Assign(place, one, here, line, whole=True),)

            taken = self.loops(rest, line, row, axes)
            more = ir.Binary("+", found, Const(1), line)
            step = Assign(found, more, next(self.ids), line)
            return (If(mask(index), (*taken, step), (), next(self.ids), line),)

        self.first += self.loops(section.extents[:axes], line, body)
        self.most[found.id] = size
        return replace(room.section, extents=(symbol(found), *rest), new=True)

    def filled_by(
        self, extents: Index, stmts: Callable[[Index], tuple[list[Stmt], Expr]], line: int
    ) -> Section:
        """An array each element of which takes statements to compute."""
        room = self.room(extents, line)
        (here,) = room.by

        def body(index: Index) -> tuple[Stmt, ...]:
            before, value = stmts(index)
            where = tuple(i.expr(line) for i in index)
            place = Element(room.path, where, next(self.ids), line)
            return (*before, Assign(place, value, here, line, whole=True))

        self.first += self.loops(extents, line, body)
        return replace(room.section, new=True)

    def pieced(
        self, extents: Index, axis: int, pieces: Sequence[tuple[Section, Polynomial, At]], line: int
    ) -> Section:
        """An array made of pieces, each with where it begins along an axis, and its elements."""
        room = self.room(extents, line)
        for piece, start, element in pieces:
            items: list[Item] = [Run(extent) for extent in piece.extents]
            items[axis] = Run(piece.extents[axis], start)
            here = next(self.ids)
            room.by.add(here)
            stmt = Assign(Name(room.path), Const(0), here, line)
            self.first += self.filled(part(room.section, items), element, stmt)
        return replace(room.section, new=True)

    def running(
        self, whole: Section, axis: int, step: Callable[[Expr, Expr], Expr], line: int
    ) -> Section:
        """An array of all results on the way along an axis."""
        room = self.room(whole.extents, line)
        room.holds(whole)

        def at(index: Index, k: Polynomial) -> Index:
            return (*index[:axis], k, *index[axis:])

        def store(place: Index, value: Expr, here: int) -> tuple[Stmt, ...]:
            where = tuple(i.expr(line) for i in place)
            target = Element(room.path, where, next(self.ids), line)
            return (Assign(target, value, here, line, whole=True),)

        def begin(index: Index) -> tuple[Stmt, ...]:
            place = at(index, ZERO)
            return store(place, self.element(whole, place, line), min(room.by))

        name = f"<element of line {line}>"
        here = symbol(Name(name))

        def onwards(index: Index) -> tuple[Stmt, ...]:
            before = self.element(room.section, at(index, here - ONE), line)
            one = self.element(whole, at(index, here), line)
            return store(at(index, here), step(before, one), next(self.ids))

        others = (*whole.extents[:axis], *whole.extents[axis + 1 :])
        self.first += self.loops(others, line, begin)
        body, stop = self.loops(others, line, onwards), whole.extents[axis].expr(line)
        self.first.append(For(name, Const(1), stop, Const(1), body, next(self.ids), line))
        return replace(room.section, new=True)

    def lies_dense(self, path: str) -> bool:
        """Whether an array lies in memory without gaps, in C order."""
        return path in self.known.dense or any(
            not any(extent.names - self.known.ints for extent in made.extents)
            and (made.initial is None or made.initial in self.known.dense)
            for made in self.made.values()
            if made.path == path
        )

    def shape_of(self, path: str, rank: int) -> Index:
        """How long all axes of an array are."""
        made = next((made for made in self.made.values() if made.path == path), None)
        return (
            made.extents if made is not None else tuple(self.extent(path, k) for k in range(rank))
        )

    def multiplied(
        self,
        extents: Index,
        length: Polynomial,
        factors: Callable[[Index, Polynomial], tuple[Expr, Expr]],
        line: int,
    ) -> Section:
        """An array of sums of so many products, as NumPy's own loop adds them."""
        room = self.room(extents, line)
        room.real = room.double = True
        (here,) = room.by
        name = f"<product of line {line}>"
        names = [f"<axis {axis} of line {line}>" for axis in range(len(extents))]
        index = tuple(symbol(Name(axis)) for axis in names)
        where = tuple(i.expr(line) for i in index)

        def place() -> Element:
            return Element(room.path, where, next(self.ids), line)

        one, two = factors(index, symbol(Name(name)))
        product = ir.Binary("*", one, two, line, whole=True)
        old = Load(room.path, where, next(self.ids), line)
        more = ir.Binary("+", old, product, line, whole=True, reduced=True)
        update = Assign(place(), more, next(self.ids), line, whole=True)
        stop, number = length.expr(line), next(self.ids)
        made: tuple[Stmt, ...] = (
            Assign(place(), Call("<cast float64>", (Const(0.0),), line), here, line, whole=True),
            For(name, Const(0), stop, Const(1), (update,), number, line),
        )
        for axis, extent in reversed(list(zip(names, extents, strict=True))):
            bound, number = extent.expr(line), next(self.ids)
            made = (For(axis, Const(0), bound, Const(1), made, number, line, axis == names[0]),)
        self.first += made
        return replace(room.section, new=True)

    def do(self, target: Section, element: At, line: int, room: Made) -> None:
        """Fill `target`, which is `room`, before the statement at hand."""
        (here,) = room.by
        # Of the statement nothing but its number and place matters.
        stmt = Assign(Name(room.path), Const(0), here, line)
        self.first += self.filled(target, element, stmt)

    def bounded(self, extents: Index, line: int) -> Index | None:
        """The most that `extents` can be, where it is known in time."""
        most = []
        for extent in extents:
            grows = all(factor > 0 for _, factor in extent.terms)
            bound = extent.where(self.most, line) if grows else extent
            if not self.known_early(bound):
                return None
            most.append(bound)
        return tuple(most)

    def room(self, extents: Index, line: int) -> Made:
        """Room for what must not be lost."""
        most = self.bounded(extents, line)
        if most is None:
            raise self.refuse(Reason.SYNTAX, line, "an array of unknown size that reads itself")
        here = next(self.ids)
        made = Made(f"{ir.HELD}{here}>", extents, by={here}, scope=tuple(self.around))
        made.most = most
        made.private = frozenset(loop.id for loop in self.enclosing)
        self.made[made.path] = made
        return made

    def fetched(
        self, target: Section, element: At, clashes: Mapping[int, Load], stmt: Assign | ir.Put
    ) -> tuple[Stmt, ...]:
        """`store` where what would be lost has fewer axes than the target: a row, say."""
        line, before = stmt.line, list[Stmt]()
        rank = len(target.extents)
        rooms: dict[str, tuple[Made, tuple[int, ...]]] = {}
        alone: dict[str, Name] = {}
        for number, load in clashes.items():
            if text(load) in rooms:
                continue
            axes = _axes(load, rank)
            if not axes:
                alone[text(load)] = self.hold(load, line)
                continue
            room = self.room(tuple(target.extents[axis] for axis in axes), line)
            rooms[text(load)] = room, axes

            def copied(index: Index, number: int = number, axes: tuple[int, ...] = axes) -> Expr:
                whole = [ZERO] * rank
                for axis, i in zip(axes, index, strict=True):
                    whole[axis] = i
                return loads(element(tuple(whole)))[number]

            (here,) = room.by
            before += self.filled(room.section, copied, replace(stmt, id=here, augmented=False))

        def kept(index: Index) -> Expr:
            found: dict[int, Expr] = {}
            for number, load in clashes.items():
                if text(load) in alone:
                    found[number] = alone[text(load)]
                    continue
                room, axes = rooms[text(load)]
                found[number] = self.element(room.section, tuple(index[a] for a in axes), line)
            return _with_loads(element(index), found)

        return (*before, *self.filled(target, kept, stmt))

    def fits(self, target: Section, value: Expr, line: int) -> None:
        """An element of `target` can be `value`, or there is one that will tell."""
        dtype = self.known.dtypes.get(target.path)
        harmless = dtype is not None and np.dtype(dtype).kind in "fcb"
        harmless |= any(made.real for made in self.made.values() if made.path == target.path)
        if isinstance(value, Const) and type(value.value) is int and dtype and not harmless:
            info = np.iinfo(dtype)
            harmless = info.min <= value.value <= info.max
        if harmless or fits_any(value) or (dtype == "int64" and self.exact(value, line)):
            return
        if target.mask is not None:
            raise self.refuse(Reason.WRONG_TYPE, line, f"{text(value)} for some elements")
        for extent in target.extents:
            self.require(extent, 1, None, line, "an assignment to no elements")

    def fit(self, target: Section, value: Section, line: int) -> Section:
        """`value`, which can be broadcast to the shape of `target`."""
        if value.extents[: max(0, value.rank - target.rank)] != (ONE,) * (value.rank - target.rank):
            raise self.refuse(Reason.SIZES, line, "shapes that do not fit")
        for one, two in zip(reversed(target.extents), reversed(value.extents), strict=False):
            if two != ONE:
                self.equal(one, two, line)
        return self.spread(value, target.extents, line)

    def clashes(self, target: Section, element: At, line: int) -> dict[int, Load]:
        """Elements that may be read after they were written, by their number among the reads.

        Notes which arrays must lie apart for there to be no others.
        """
        ours = {made.path for made in self.made.values()}
        axes = enumerate(target.extents)
        probe = tuple(ZERO if extent == ONE else axis_of(axis) for axis, extent in axes)
        place = tuple(i.expr(line) for i in target.where(probe))
        read = loads(element(probe))
        others = [load for expr in place for load in loads(expr)]
        if target.mask is not None:
            others += loads(target.mask(probe))
        found: dict[int, Load] = {}
        for number, load in enumerate((*read, *others)):
            if load.array == target.path:
                if target.distinct and _same(load.index, place):
                    continue
                if number >= len(read):
                    raise self.refuse(Reason.SYNTAX, line, f"{text(load)}, which may change")
                found[number] = load
            elif not {load.array, target.path} & ours:
                self.apart.add((target.path, load.array))
        if target.path not in ours:
            self.apart.add((target.path, target.path))
        return found

    def filled(
        self, target: Section, element: At, stmt: Assign | ir.Put, whole: bool = True
    ) -> tuple[Stmt, ...]:
        """Loops that assign each element of `target`, from a `whole` array or from a number."""
        line = stmt.line

        def body(index: Index) -> tuple[Stmt, ...]:
            where = tuple(i.expr(line) for i in target.where(index))
            place = Element(target.path, where, next(self.ids), line)
            store = Assign(place, element(index), stmt.id, line, stmt.augmented, whole)
            if target.mask is None:
                return (store,)
            return (If(target.mask(index), (store,), (), next(self.ids), line),)

        return self.loops(target.extents, line, body)


def _binary(expr: Expr) -> ir.Binary:
    assert isinstance(expr, ir.Binary)
    return expr


def _axes(load: Load, rank: int) -> tuple[int, ...]:
    """The axes of the target along which `load` changes."""
    names = {e.id for e in walking.walk(load) if isinstance(e, Name)}
    return tuple(axis for axis in range(rank) if f"<axis {axis}>" in names)


def _with_loads(expr: Expr, found: Mapping[int, Expr]) -> Expr:
    """`expr` with some of its reads, by their number, replaced."""
    numbers = count()

    def change(one: Expr) -> Expr:
        made = rebuilt(one, change)
        if isinstance(one, Load):
            return found.get(next(numbers), made)
        return made

    return change(expr)


def fits_any(number: Expr) -> bool:
    """Whether `number` is an integer that an array of any type can hold."""
    return isinstance(number, Const) and type(number.value) is int and 0 <= number.value < 128


def axis_of(axis: int) -> Polynomial:
    return symbol(Name(f"<axis {axis}>"))


def _same(one: Sequence[Expr], two: Sequence[Expr]) -> bool:
    """Whether both are the same subscripts, with no reads in them."""
    return tuple(one) == tuple(two) and not any(loads(e) for e in one)
