"""Statements on whole arrays, written out as loops.

``B[1:-1] = 0.5 * (A[2:] + A[:-2])`` becomes a loop over the elements of the target.  All reads come
before all writes, as in NumPy: where an element may be read after it was written, what is computed
goes to an array of its own first.  An array that is given a name is a `Local`.

References
----------
Allen & Kennedy, *Optimizing Compilers for Modern Architectures*, chapter 13 (scalarization of
array statements).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

from autopar.nest import folds, ir, library
from autopar.nest.bounds import Arrays, loads
from autopar.nest.elements import Elements, Value
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Assign,
    Call,
    Const,
    Element,
    Expr,
    For,
    If,
    Items,
    Leave,
    Load,
    Local,
    Name,
    Nest,
    Row,
    Stmt,
    Unary,
    View,
    While,
)
from autopar.nest.lift import MATMUL, SHAPE
from autopar.nest.meaning import rebuilt
from autopar.nest.polynomial import Polynomial, symbol
from autopar.nest.section import ONE, ZERO, Index, Section, aligned
from autopar.nest.show import text
from autopar.verdict import Reason, Refusal, Refused

_MOST_STATEMENTS = 400
LIBRARY = folds, library  # what is in them is known once they have been imported
known = library.known
At = Callable[[Index], Expr]


def needed(nest: Nest, ranks: Mapping[str, int]) -> bool:
    """Whether `nest` has anything in it that must be written out."""
    ranks = {**ranks, **{local.path: len(local.extents) for local in nest.locals}}
    for stmt in ir.statements(nest.loop):
        match stmt:
            case ir.Put():
                return True
            case Assign(target=Element(array=path, index=index)) if ranks.get(path) != len(index):
                return True
        for top in ir.expressions(stmt):
            for expr in ir.walk(top):
                match expr:
                    case View() | Items():
                        return True
                    case Name(id=path) if path in ranks:
                        return True
                    case Load(array=path, index=index) if ranks.get(path) != len(index):
                        return True
                    case Call(func=func, names=names):
                        if names or func in (SHAPE, MATMUL) or func.startswith("<."):
                            return True
    return False


def written_out(nest: Nest, known: Arrays, strict: bool) -> Nest | Refusal:
    """`nest` without statements on whole arrays.

    Parameters
    ----------
    known
        What is known of this call.
    strict
        Whether to check in the nest whatever cannot be known for sure before.
    """
    writer = _Writer(nest, known, strict)
    try:
        writer.prepare()
        (loop,) = writer.statement(nest.loop)
        assert isinstance(loop, For)
        return writer.nest_with(loop)
    except Refused as refused:
        return refused.refusal


@dataclass(slots=True)
class _Made:
    """An array that the nest makes, so far."""

    path: str
    extents: Index
    dtype: str | None = None
    flag: str = ""
    initial: str | None = None
    by: set[int] = field(default_factory=set)
    scope: tuple[For, ...] = ()
    boolean: bool = False
    real: bool = False
    double: bool = False
    most: Index = ()

    @property
    def section(self) -> Section:
        """All of it."""
        return Section(
            self.extents,
            path=self.path,
            boolean=self.boolean,
            real=self.real,
            double=self.double,
        )


@dataclass(slots=True)
class _Writer(Elements):
    """Statements of a nest that is written out.

    Attributes
    ----------
    made
        Arrays that it makes, by name.
    inplace
        Scalars of the nest that are live-in arrays, and only changed in place.
    apart
        Arrays that must not share memory for what is written.
    inside
        The loops of `around`, as they were.
    views, rows
        Names of views, and of those that live on: of which array along which axis.
    """

    made: dict[str, _Made] = field(default_factory=dict)
    inplace: set[str] = field(default_factory=set)
    apart: set[tuple[str, str]] = field(default_factory=set)
    inside: list[For] = field(default_factory=list)
    views: set[str] = field(default_factory=set)
    rows: dict[str, tuple[str, int]] = field(default_factory=dict)

    # ------------------------------------------------------------------ the nest

    def prepare(self) -> None:
        """Scalars that are arrays from the start."""
        for name in sorted(set(self.nest.scalars) & self.known.ranks.keys()):
            mine = [s for s in ir.statements(self.nest.loop) if _assigns(s, name)]
            whole = self.array(name)
            if all(isinstance(s, Assign) and s.augmented for s in mine):
                self.inplace.add(name)
                self.named[name] = whole
                continue
            if not whole.ordered:
                raise self.refuse(Reason.SYNTAX, mine[0].line, f"{name} in another order than C")
            made = _Made(f"<{name}>", whole.extents, None, f"<made {name}>", name)
            made.boolean, made.real, made.double = whole.boolean, whole.real, whole.double
            self.made[name] = made
            self.named[name] = made.section

    def nest_with(self, loop: For) -> Nest:
        """The nest, its loop written out."""
        if sum(1 for _ in ir.statements(loop)) > _MOST_STATEMENTS:
            raise self.refuse(Reason.SYNTAX, loop.line, "whole-array statements that are too long")
        used = _paths(loop)
        locals_ = tuple(
            Local(
                m.path,
                tuple(e.expr(loop.line) for e in m.most or m.extents),
                m.dtype,
                frozenset(m.by),
                m.flag,
                m.initial,
                m.scope,
            )
            for m in self.made.values()
        )
        conditions = tuple(self.conditions)
        used |= {local.initial for local in locals_ if local.initial}
        for expr in (*(e for m in locals_ for e in m.extents), *(c.expr for c in conditions)):
            used |= _names(expr)
        flags = {name: made.flag for name, made in self.made.items()}
        flags |= {name: f"<which {name}>" for name in self.rows}
        rows = [
            Row(position, *self.rows[name])
            for position, name in enumerate(self.nest.live_out)
            if name in self.rows
        ]
        flags |= {name: f"<made {name}>" for name in self.inplace}  # never: it stays what it is
        scalars = ir.assigned(loop)
        return replace(
            self.nest,
            loop=loop,
            paths=tuple(sorted(used - scalars)),
            scalars=tuple(sorted(scalars)),
            live_out=tuple(flags.get(name, name) for name in self.nest.live_out),
            locals=locals_,
            apart=frozenset(self.apart),
            conditions=conditions,
            rows=tuple(rows),
        )

    # ------------------------------------------------------------------ statements

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        sure = self.sure
        for stmt in stmts:
            made += self.statement(stmt)
            self.sure = self.sure and not _leaves(stmt)
        self.sure = sure
        return tuple(made)

    def under(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """Statements under a condition."""
        sure, self.sure = self.sure, False
        made = self.block(stmts)
        self.sure = sure
        return made

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """`stmt`, and before it what it needs."""
        outside, self.first, self.indices = self.first, [], {}
        try:
            made = self.plain(stmt)
            return (*self.first, *made)
        finally:
            self.first = outside

    def plain(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case Assign():
                return self.assign(stmt)
            case ir.Put():
                return self.put(stmt)
            case If(test=test, body=body, orelse=orelse):
                here = self.scalar(test)
                return (replace(stmt, test=here, body=self.under(body), orelse=self.under(orelse)),)
            case While(test=test, body=body):
                before = len(self.first)
                here = self.scalar(test)
                again = tuple(self.first[before:])
                del self.first[before:]
                inside = self.under(body)
                if not again:
                    return (replace(stmt, test=here, body=inside),)
                done = Unary("not", here, stmt.line)
                leave = Leave("break", next(self.ids), stmt.line)
                end = If(done, (leave,), (), next(self.ids), stmt.line)
                return (replace(stmt, test=Const(True), body=(*again, end, *inside)),)
            case For(start=start, stop=stop, step=step, body=body):
                bounds = [self.scalar(e) for e in (start, stop, step)]
                loop = replace(stmt, start=bounds[0], stop=bounds[1], step=bounds[2])
                if self.first and stmt is self.nest.loop:
                    raise self.refuse(Reason.SYNTAX, stmt.line, "an array in the outermost range")
                entered = self.entered(loop)
                if entered:
                    self.inside.append(stmt)
                inside = self.block(body) if entered else self.under(body)
                if entered:
                    self.inside.pop()
                    self.around.pop()
                return (replace(loop, body=inside),)
        return (stmt,)

    def assign(self, stmt: Assign) -> tuple[Stmt, ...]:
        value = self.masked(stmt) or self.value(stmt.value)
        match stmt.target:
            case Name(id=name):
                if isinstance(value, Section):
                    return self.bind(name, value, stmt)
                if name in self.named:
                    raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is an array as well")
                return (replace(stmt, value=value, augmented=False),)
            case Element(array=path, index=index, id=number, line=line):
                target = self.taken(self.array(path), index, Load(path, index, number, line))
        return self.given(target, value, stmt)

    def put(self, stmt: ir.Put) -> tuple[Stmt, ...]:
        """``view = value``."""
        value = self.value(stmt.value)
        return self.given(self.value(stmt.target), value, stmt)

    def given(self, target: Value, value: Value, stmt: Assign | ir.Put) -> tuple[Stmt, ...]:
        """``target = value`` for an element or a part of an array."""
        if isinstance(target, Section):
            return self.store(target, value, stmt)
        if isinstance(value, Section) or not isinstance(target, Load):
            raise self.refuse(Reason.WRONG_TYPE, stmt.line, text(stmt.target))
        place = Element(target.array, target.index, target.id, target.line)
        return (Assign(place, value, stmt.id, stmt.line),)

    def masked(self, stmt: Assign) -> Section | None:
        """What is assigned by ``a[mask] += value``: where the mask is down, to nobody."""
        match stmt:
            case Assign(
                target=Element(array=array, index=(item,)),
                value=ir.Binary(left=Load() as old, op=op, right=right, line=line),
                augmented=True,
            ) if isinstance(self.value(item), Section):
                target = self.taken(self.array(array), (item,), old)
                if isinstance(target, Section) and target.mask is not None:
                    whole = replace(target, mask=None)
                    other = self.scalar(right)
                    return self.mapped(
                        [whole, other], lambda e: ir.Binary(op, e[0], e[1], line, True), line
                    )
        return None

    def bind(self, name: str, value: Section, stmt: Assign) -> tuple[Stmt, ...]:
        """``name = value`` for an array."""
        if stmt.augmented:
            return self.store(self.named[name], value, stmt)
        if value.mask is not None:
            value = self.packed(value, stmt.line)
        if not value.fresh:
            return self.alias(name, value, stmt)
        made = self.made.get(name)
        if name in self.named and made is None:
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is a view as well")
        if name in exposed((self.nest.loop,)) and made is None:
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, f"{name} is no array at first")
        if not value.ordered:
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name} in another order than C")
        if made is None:
            changing = frozenset().union(*(e.names for e in value.extents)) - self.known.ints
            if changing and not self.keeps_inside(name, changing):
                raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, whose shape changes")
            made = self.made[name] = _Made(f"<{name}>", value.extents, flag=f"<made {name}>")
            made.dtype, made.scope = value.dtype, tuple(self.around) if changing else ()
        elif len(made.extents) != value.rank:
            raise self.refuse(Reason.WRONG_RANK, stmt.line, name)
        made.boolean |= value.boolean  # it has one dtype, whichever says so
        made.real |= value.real
        made.double |= value.double
        if value.dtype != made.dtype and made.by:
            raise self.refuse(Reason.MIXED_TYPE, stmt.line, name)
        for one, two in zip(made.extents, value.extents, strict=True):
            self.equal(one, two, stmt.line)
            self.require(two, 0, None, stmt.line, "a negative number of elements")
        self.named[name] = made.section
        made.by.add(stmt.id)
        filled = self.store(made.section, value, stmt)
        if name not in self.nest.live_out:
            return filled
        flag = Assign(Name(made.flag), Const(1), next(self.ids), stmt.line)
        return (*filled, flag)

    def keeps_inside(self, name: str, changing: frozenset[str]) -> bool:
        """Whether the array `name` is made in the loops of these variables and not seen outside."""
        around = [loop for loop in self.inside if loop.var in changing]
        if len(around) < len(changing) or name in self.nest.live_out:
            return False
        everywhere = _mentions(self.nest.loop, name)
        once = sum(1 for s in ir.statements(self.nest.loop) if _assigns(s, name)) == 1
        return once and all(
            name not in exposed(loop.body) and _mentions(loop, name) == everywhere
            for loop in around
        )

    def alias(self, name: str, value: Section, stmt: Assign) -> tuple[Stmt, ...]:
        """A view that has a name."""
        loop = self.nest.loop
        kept = self.rows.get(name)
        if not _known_where_read((loop,), name) or (name in self.named and name not in self.views):
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, which is another array's view")
        if value.path.strip("<>") in self.made:
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, a view of an array of the nest")
        self.views.add(name)
        self.named[name] = value
        if name not in self.nest.live_out:
            return ()
        place = _row(value, self.known.ranks[value.path])
        if place is None or kept not in (None, (value.path, place[0])):
            raise self.refuse(Reason.SYNTAX, stmt.line, f"{name}, a view that lives on")
        axis, index = place
        self.rows[name] = value.path, axis
        which = Assign(Name(f"<which {name}>"), index.expr(stmt.line), next(self.ids), stmt.line)
        return (which,)

    # ------------------------------------------------------------------ stores

    def store(self, target: Section, value: Value, stmt: Assign | ir.Put) -> tuple[Stmt, ...]:
        """``target[...] = value``, all reads before all writes."""
        line = stmt.line
        if target.fresh:
            raise self.refuse(Reason.SYNTAX, line, text(stmt.target))
        settled = self.settled(value, line)
        if isinstance(settled, Section):
            self.fit(target, settled, line)

        def element(index: Index) -> Expr:
            if isinstance(settled, Section):
                return self.element(settled, aligned(settled, index), line)
            return settled

        clashes = self.clashes(target, element, line)
        if not clashes:
            return self.filled(target, element, stmt)
        if target.mask is not None or (not target.distinct and len(target.extents) > 1):
            raise self.refuse(Reason.SYNTAX, line, text(stmt.target))
        rank = len(target.extents)
        if target.distinct and all(len(_axes(load, rank)) < rank for load in clashes.values()):
            return self.fetched(target, element, clashes, stmt)
        held = self.room(target.extents, line)
        (here,) = held.by
        return (
            *self.filled(held.section, element, replace(stmt, id=here, augmented=False)),
            *self.filled(target, partial(self.element, held.section, line=line), stmt),
        )

    def called(self, call: Call) -> Value:
        """The value of a call."""
        return library.called(self, call)

    def kept(self, section: Section, line: int) -> Section:
        """An array that holds `section`, filled before the statement at hand."""
        room = self.room(section.extents, line)
        room.boolean, room.real, room.double = section.boolean, section.real, section.double
        self.do(room.section, partial(self.element, section, line=line), line, room)
        return replace(room.section, new=True)

    def flat(self, section: Section, line: int) -> Section:
        """The same with all elements along one axis."""
        size = ONE
        for extent in section.extents:
            size = size * extent
        room = self.room((size,), line)
        room.boolean, room.real, room.double = section.boolean, section.real, section.double
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
        mask = section.mask
        assert mask is not None
        size = ONE
        for extent in section.extents:
            size = size * extent
        room = self.room((size,), line)
        room.boolean, room.real, room.double = section.boolean, section.real, section.double
        (here,) = room.by
        number = next(self.ids)
        found = Name(f"<chosen {number}>")
        self.first.append(Assign(found, Const(0), number, line))

        def body(index: Index) -> tuple[Stmt, ...]:
            place = Element(room.path, (found,), next(self.ids), line)
            taken = Assign(place, self.element(section, index, line), here, line, whole=True)
            more = ir.Binary("+", found, Const(1), line)
            step = Assign(found, more, next(self.ids), line)
            return (If(mask(index), (taken, step), (), next(self.ids), line),)

        self.first += self.loops(section.extents, line, body)
        self.most[found.id] = size
        signed = section.signed
        return replace(room.section, extents=(symbol(found),), new=True, signed=signed)

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

    def do(self, target: Section, element: At, line: int, room: _Made) -> None:
        """Fill `target`, which is `room`, before the statement at hand."""
        (here,) = room.by
        # Of the statement nothing but its number and place matters.
        stmt = Assign(Name(room.path), Const(0), here, line)
        self.first += self.filled(target, element, stmt)

    def room(self, extents: Index, line: int) -> _Made:
        """Room for what must not be lost."""
        loops = {loop.var for loop in self.around}
        most = []
        for extent in extents:
            bound = extent
            if not extent.names <= self.known.ints | loops and len(extent.terms) == 1:
                bound = self.most.get("".join(extent.names), extent)
            if not bound.names <= self.known.ints | loops:
                raise self.refuse(Reason.SYNTAX, line, "an array of unknown size that reads itself")
            most.append(bound)
        here = next(self.ids)
        made = _Made(f"<held {here}>", extents, by={here}, scope=tuple(self.around))
        made.most = tuple(most)
        self.made[made.path] = made
        return made

    def fetched(
        self, target: Section, element: At, clashes: Mapping[int, Load], stmt: Assign | ir.Put
    ) -> tuple[Stmt, ...]:
        """`store` where what would be lost has fewer axes than the target: a row, say."""
        line, before = stmt.line, list[Stmt]()
        rank = len(target.extents)
        rooms: dict[str, tuple[_Made, tuple[int, ...]]] = {}
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

    def fit(self, target: Section, value: Section, line: int) -> None:
        """`value` can be broadcast to the shape of `target`."""
        if value.extents[: max(0, value.rank - target.rank)] != (ONE,) * (value.rank - target.rank):
            raise self.refuse(Reason.WRONG_RANK, line, "shapes that do not fit")
        rank = min(target.rank, value.rank)
        own = value.extents[value.rank - rank :]
        for one, two in zip(target.extents[target.rank - rank :], own, strict=True):
            if two != ONE:
                self.equal(one, two, line)

    def clashes(self, target: Section, element: At, line: int) -> dict[int, Load]:
        """Elements that may be read after they were written, by their number among the reads.

        Notes which arrays must lie apart for there to be no others.
        """
        ours = {made.path for made in self.made.values()}
        axes = enumerate(target.extents)
        probe = tuple(ZERO if extent == ONE else _probe(axis) for axis, extent in axes)
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

    def filled(self, target: Section, element: At, stmt: Assign | ir.Put) -> tuple[Stmt, ...]:
        """Loops that assign each element of `target`."""
        line = stmt.line

        def body(index: Index) -> tuple[Stmt, ...]:
            where = tuple(i.expr(line) for i in target.where(index))
            place = Element(target.path, where, next(self.ids), line)
            store = Assign(place, element(index), stmt.id, line, stmt.augmented, whole=True)
            if target.mask is None:
                return (store,)
            return (If(target.mask(index), (store,), (), next(self.ids), line),)

        return self.loops(target.extents, line, body)


def _axes(load: Load, rank: int) -> tuple[int, ...]:
    """The axes of the target along which `load` changes."""
    names = {e.id for e in ir.walk(load) if isinstance(e, Name)}
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


def _known_where_read(stmts: Sequence[Stmt], name: str) -> bool:
    """Whether the text says which assignment of `name` each read of it sees."""
    for k, stmt in enumerate(stmts):
        inner = ir.blocks(stmt)
        if not any(
            _assigns(s, name) for block in inner for one in block for s in ir.statements(one)
        ):
            continue
        if name in exposed(stmts[k + 1 :]):
            return False
        if isinstance(stmt, For | While) and name in exposed(stmt.body):
            return False
        if not all(_known_where_read(block, name) for block in inner):
            return False
    return name not in exposed(stmts)


def _row(section: Section, rank: int) -> tuple[int, Polynomial] | None:
    """The axis of which `section` is one place, if it is all of the others."""
    probe = tuple(_probe(axis) for axis in range(section.rank))
    rest, found = iter(probe), []
    for axis, index in enumerate(section.where(probe)):
        if index in probe:
            if index != next(rest):
                return None
        else:
            found.append((axis, index))
    return found[0] if len(found) == 1 and section.rank == rank - 1 else None


def _probe(axis: int) -> Polynomial:
    return symbol(Name(f"<axis {axis}>"))


def _same(one: Sequence[Expr], two: Sequence[Expr]) -> bool:
    """Whether both are the same subscripts, with no reads in them."""
    return tuple(one) == tuple(two) and not any(loads(e) for e in one)


def _assigns(stmt: Stmt, name: str) -> bool:
    match stmt:
        case Assign(target=Name(id=found)) | For(var=found):
            return found == name
    return False


def _mentions(stmt: Stmt, name: str) -> int:
    """How often `stmt` reads `name`."""
    exprs = (e for s in ir.statements(stmt) for top in ir.expressions(s) for e in ir.walk(top))
    return sum(1 for e in exprs if isinstance(e, Name) and e.id == name)


def _leaves(stmt: Stmt) -> bool:
    return any(isinstance(inner, Leave) for inner in ir.statements(stmt))


def _paths(loop: For) -> set[str]:
    """Everything that `loop` names, scalars included."""
    found: set[str] = set()
    for stmt in ir.statements(loop):
        for top in ir.expressions(stmt):
            for expr in ir.walk(top):
                found |= _named(expr)
        if isinstance(stmt, Assign) and isinstance(stmt.target, Element):
            found.add(stmt.target.array)
    return found


def _names(expr: Expr) -> set[str]:
    return {name for inner in ir.walk(expr) for name in _named(inner)}


def _named(expr: Expr) -> set[str]:
    match expr:
        case Name(id=name) | Load(array=name) | ir.Dim(array=name):
            return {name}
        case Call(func=func) if not func.startswith("<"):
            return {func}
    return set()
