"""What a work item of a device has of parallel loops: an iteration, or a tile of them.

Work items of one block may read by way of the chip (`sched.staged`).  Where they run together,
steps of a loop in order go on in stages::

    if together_(128, True):                # do all of the block run here?
      if all_(full):                        # and each in full?
        for base in range(0, middle, 16):
            v1_ = a[row + item // 16, base + item % 16]
            …
            meet_()                         # nobody reads what was there before
            stage0_[item // 16 * 17 + item % 16] = v1_
            …
            meet_()                         # all of it is there
            for step in range(0, 16):
                k = base + step
                …                           # as ever, with stage0_[…] for a[i, k]
        for k in range(middle, n):
            …                               # what is left, as ever
      else:                                 # at the rim: only what is there is stored
        first_ = least_(…)                  # which rows and columns are there in the block
        …
    else:
        …                                   # as ever
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import product
from math import prod
from types import MappingProxyType

import numpy as np

from autopar.cpu.lanes import LaneWriter
from autopar.cpu.loops import Look, LoopWriter, Share
from autopar.cpu.packs import Range
from autopar.cpu.partial import PartialWriter
from autopar.cpu.runs import Tiled, kept_in
from autopar.cpu.writer import Value
from autopar.kernel import Watch
from autopar.nest.flow import names, written
from autopar.nest.ir import Assign, Binary, Const, Element, Expr, For, Lanes, Load, Name, Stmt
from autopar.nest.kinds import Kind, dtype, family
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import accesses, expressions, statements, walk
from autopar.records import dataclass, field, replace
from autopar.sched.bands import harmless, has_loops
from autopar.sched.flat import ALONE, Tile, guarded, in_groups
from autopar.sched.staged import Staged, same_cells, staged

_ON_CHIP = (1 << 15) - 64
"""Bytes that each device has on its chip for a block, beside what it is asked by."""
_FEWEST = 4  # steps that work items meet for
_BEYOND = 1 << 30  # further than any iteration of a block is from its first
NO_LIMITS: Mapping[str, tuple[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Buffer:
    """Where on the chip it is what an access comes to in a stage.

    Attributes
    ----------
    room
        Name of the memory there.
    axes
        Axes of the array along which it moves, and how many cells it comes to along each; last the
        one along which they lie side by side.
    wide
        Cells from one row to the next along that: an odd number, so that a column of them lies in
        different banks of the memory.
    """

    one: Staged
    room: str
    dtype: str
    axes: tuple[tuple[int, int], ...]
    wide: int

    @property
    def cells(self) -> int:
        return prod(extent for _, extent in self.axes)

    @property
    def length(self) -> int:
        return self.cells // self.axes[-1][1] * self.wide

    def at(self, places: Mapping[int, str]) -> str:
        """The text of a cell, by texts of how far it is along each of the axes."""
        (first, _), *others = self.axes
        text = f"({places[first]})"
        for axis, extent in others:
            by = self.wide if axis == self.axes[-1][0] else extent
            text = f"({text} * {by} + ({places[axis]}))"
        return f"{self.room}[{text}]"


@dataclass(frozen=True, slots=True)
class Group:
    """Work items of a block that are all there.

    Attributes
    ----------
    begins
        Texts of the first values of the loops' variables in it.
    item, items
        Text of which of them it is, and how many there are.
    steps
        Of a stage.
    buffers
        By the ids of loops in order.
    limits
        Of each variable the texts of how far its least and its greatest value are from the first,
        where not all iterations of the block are there.
    """

    begins: Mapping[str, str]
    item: str
    items: int
    steps: int
    buffers: Mapping[int, tuple[Buffer, ...]]
    limits: Mapping[str, tuple[str, str]] = NO_LIMITS

    def limit(self, one: Staged, k: int, text: str) -> str:
        """How far along axis `k` a cell is that is there, by the text of one that may not be."""
        limits = [self.limits[var] for var in one.axes[k] if var in self.limits]
        if not limits:
            return text
        step = any(var not in self.limits for var in one.axes[k])
        low = " + ".join(low for low, _ in limits)
        high = " + ".join([high for _, high in limits] + [str(self.steps - 1)] * step)
        return f"min(max({text}, {low}), {high})"


@dataclass(slots=True)
class ItemWriter(PartialWriter):
    """Loops of one kernel, which may be one range.

    Attributes
    ----------
    group
        The block that is being written.
    unwritten
        Arrays that share no memory with one that the iterations store into.
    beside
        For each copy the texts of the variables of loops, or those of another that is there.
    straight
        Remainders of what is not divided: it is less than the divisor.
    near
        What is on the chip, by the ids of accesses, and the texts of the first values of variables.
    """

    group: Group | None = None
    unwritten: frozenset[str] = frozenset()
    beside: tuple[Mapping[str, str], ...] = ()
    straight: frozenset[Binary] = frozenset()
    near: dict[int, tuple[Buffer, Mapping[str, str]]] = field(default_factory=dict)

    def tile_of(self, loops: Sequence[For], body: Sequence[Stmt]) -> Tile:
        if len(loops) == 1:
            lanes = loops[0].lanes
            if lanes is None or not in_groups(loops[0]) or self.watch is Watch.NAME:
                return ALONE
            if lanes.copies > 1 and not self.band(replace(loops[0], body=tuple(body))):
                return ALONE
            return Tile(1, lanes.copies, 1, lanes.apart, lanes.steps)
        *_, first, second = loops
        inside = replace(second, body=guarded(body)[1])
        found = [one.lanes for one in self.band(replace(first, body=(inside,)))]
        match found:
            case [Lanes(copies=down, apart=one) as lanes, Lanes(copies=across, apart=other)]:
                if down == across:  # long where cells are dense
                    one, other = min(one, other), max(one, other)
                return Tile(down, across, one, other, lanes.steps, lanes.rims)
        return ALONE

    def iteration(self, loops: Sequence[For], share: Share, body: Sequence[Stmt]) -> None:
        if share.tile == ALONE:
            LoopWriter.iteration(self, loops, share, body)
        elif not share.tile.several:
            self.of_row(loops[0], share, body)
        else:
            LoopWriter.iteration(self, loops[:-2], replace(share, firsts=share.firsts[:-2]), ())
            self.of_tile(loops[-2:], replace(share, firsts=share.firsts[-2:]), body)

    def of_row(self, loop: For, share: Share, body: Sequence[Stmt]) -> None:
        """One iteration of a loop that stands alone."""
        here = self.temp(share.firsts[0])
        share = replace(share, firsts=(here,))
        group = self.grouped((loop,), share, (self.temp(f"{here} - {share.item}"),), body)
        if group is not None:
            self.write(f"if together_({group.items}, True):")
            with self.in_group(group):
                LoopWriter.iteration(self, (loop,), share, body)
            self.write("else:")
        with nullcontext() if group is None else self.indented():
            LoopWriter.iteration(self, (loop,), share, body)

    def of_tile(self, loops: Sequence[For], share: Share, body: Sequence[Stmt]) -> None:
        """A tile of one loop or two; what there is of it, where it is not there in full."""
        tile, item = share.tile, share.item
        ranges, texts, tests, begins = [], [], [], []
        ways = (
            (f"{item} // {tile.columns}", tile.rows, tile.down),
            (f"{item} % {tile.columns}", tile.columns, tile.across),
        )
        for loop, first, way in zip(loops, share.firsts, ways[-len(loops) :], strict=True):
            place, by, count = way
            begins.append(self.temp(first))
            low, end = self.temp(f"{begins[-1]} + {place}"), self.as_index(loop.stop)
            each = [low, *(self.temp(f"{low} + {k * by}") for k in range(1, count))]
            high = self.temp(f"min({low} + {count * by}, {end})")
            ranges.append(Range(loop, low, high, by))
            texts.append(each)
            tests.append(f"{each[-1]} < {end}")
        variables = [loop.var for loop in loops]
        copies = tuple(dict(zip(variables, each, strict=True)) for each in product(*texts))
        test, inside = guarded(body)
        holds = [] if test is None else [self.there(copy, self.condition, test) for copy in copies]
        rims = (
            [f"{text} < {one.high}" for text in each]
            for each, one in zip(texts, ranges, strict=True)
        )
        there = tuple(" and ".join(each) for each in product(*rims))
        if holds:
            there = tuple(f"{one} and {other}" for one, other in zip(there, holds, strict=True))
        self.polls = False
        stored = {a.array for stmt in inside for _, a in accesses(stmt) if isinstance(a, Element)}
        lanes = loops[-1].lanes
        self.unwritten = frozenset(() if lanes is None else lanes.packs) - stored
        turns = self.turns(inside, frozenset(variables))
        near = [text for turn in turns for text in self.unturned(turn, copies)]
        full = self.temp(" and ".join((*tests, *holds, *near)))
        tiled = Tiled(copies, None, kept_in(inside, self.own), self.own)
        group = self.grouped(loops, share, begins, inside)
        self.straight = frozenset(turns)
        rim = group is not None and tile.rims and (test is None or _apart(group, variables))
        if group is not None:
            self.write(f"if together_({group.items}, {'True' if rim else full}):")
            with self.in_group(group):
                if rim:
                    self.write(f"if all_({full}):")
                with self.indented() if rim else nullcontext():
                    self.tiled(tiled, inside)
                self.straight = frozenset()
                if rim:
                    self.write("else:")
                    with self.indented():
                        self.rim(group, replace(tiled, tests=there), texts, begins, inside)
        self.straight = frozenset(turns)
        self.write(f"{'el' if group is not None else ''}if {full}:")
        with self.indented():
            self.tiled(tiled, inside)
        self.straight = frozenset()
        self.write("else:")
        with self.indented():
            if rim or not tile.rims or not any(map(has_loops, inside)):
                self.plain(ranges, ({},), body)
            else:
                # One after the other, each would wait for memory alone.
                lines = None if holds else zip(texts, ranges, strict=True)
                self.incomplete(replace(tiled, tests=there), lines, inside)

    def incomplete(
        self,
        tile: Tiled,
        lines: Iterable[tuple[Sequence[str], Range]] | None,
        body: Sequence[Stmt],
    ) -> None:
        """A tile of which some iterations are not there; the others go on together all the same.

        Parameters
        ----------
        lines
            Of each loop the texts of its variable in rows or columns, and its range; None where
            they do not tell which iterations are there.
        """
        tile = replace(tile, tests=tuple(map(self.temp, tile.tests)))
        self.write(f"if {' or '.join(tile.tests)}:")
        with self.indented():
            if lines is not None:
                lanes = tile.copies[0].keys()
                near = [
                    [self.temp(f"min({text}, {one.high} - 1)") for text in each]
                    for each, one in lines
                ]
                self.beside = tuple(dict(zip(lanes, each, strict=True)) for each in product(*near))
            self.tiled(tile, body)
            self.beside = ()

    def rim(
        self,
        group: Group,
        tile: Tiled,
        texts: Sequence[Sequence[str]],
        begins: Sequence[str],
        body: Sequence[Stmt],
    ) -> None:
        """The same in a block, which brings to the chip only what some iteration reads.

        Parameters
        ----------
        texts, begins
            Of each loop the texts of the variable in the rows or columns of the tile, and of its
            first value in the block.
        """
        tile = replace(tile, tests=tuple(map(self.temp, tile.tests)))
        places = list(product(*(range(len(each)) for each in texts)))
        limits = {}
        for d, (var, first) in enumerate(group.begins.items()):
            below, above = [], []
            for n, text in enumerate(texts[d]):
                tests = (t for place, t in zip(places, tile.tests, strict=True) if place[d] == n)
                there = " or ".join(tests)
                below.append(f"({text} - {first} if {there} else {_BEYOND})")
                above.append(f"({first} - {text} if {there} else {_BEYOND})")
            least = self.temp(f"least_({_least(below)})")
            limits[var] = least, self.temp(f"-least_({_least(above)})")
        low, high = limits[next(iter(limits))]
        self.write(f"if {low} <= {high}:")
        with self.indented():
            self.group = replace(group, limits=limits)
            self.tiled(tile, body)

    def there(self, copy: Mapping[str, str], written: Callable[[Expr], str], expr: Expr) -> str:
        """The text of `expr` in one of the iterations of a tile."""
        names, self.names = self.names, {**self.names, **copy}
        found = written(expr)
        self.names = names
        return found

    # ------------------------------------------------------------------ remainders

    def turns(self, body: Sequence[Stmt], variables: frozenset[str]) -> tuple[Binary, ...]:
        """Remainders such as ``(i + 1) % n``, which most tiles need not divide for.

        As at the edges of a torus: elsewhere, neighbours that are reached by a remainder are known
        to be side by side once it is gone, and are read once.
        """
        changed = written(body) | variables
        steady = variables - written(body)
        inside = (
            e for top in body for s in statements(top) for own in expressions(s) for e in walk(own)
        )
        return tuple(
            dict.fromkeys(
                e
                for e in inside
                if isinstance(e, Binary)
                and e.op == "%"
                and _beside(e.left) in steady
                and harmless(e.right)
                and not names((e.right,)) & changed
                and kind_of(self.typed, e.left) == kind_of(self.typed, e.right) == {"int"}
            )
        )

    def unturned(self, turn: Binary, copies: Sequence[Mapping[str, str]]) -> tuple[str, str]:
        """Tests under which a remainder is what is divided, in all of the iterations of a tile."""
        low, high = (self.there(copy, self.as_index, turn.left) for copy in (copies[0], copies[-1]))
        return f"{low} >= 0", f"{high} < {self.as_index(turn.right)}"

    def as_index(self, expr: Expr) -> str:
        found = self.value(expr)
        return self.cast(found.text, found.dtype, "int64")

    def python_integer(self, expr: Binary, left: Value, right: Value, kind: Kind) -> Value:
        found = PartialWriter.python_integer(self, expr, left, right, kind)
        if not self.straight or expr not in self.straight:
            return found
        return replace(found, text=self.cast(left.text, left.dtype, "int64"))

    # ------------------------------------------------------------------ stages

    def grouped(
        self, loops: Sequence[For], share: Share, begins: Sequence[str], body: Sequence[Stmt]
    ) -> Group | None:
        """The block of a work item, if something in `body` is read by way of the chip."""
        lanes, tile = loops[-1].lanes, share.tile
        if lanes is None or not tile.steps:
            return None
        layouts = {path: kind.layout for path, kind in self.typed.arrays}
        block = tuple(loop.var for loop in loops)
        found = staged(body, block, lanes.packs, layouts, tile.steps)
        found = {number: tuple(filter(self.sure, some)) for number, some in found.items()}
        extents = dict(zip(block, tile.spans[-len(block) :], strict=True))
        inner = (stmt for top in body for stmt in statements(top))
        counters = {stmt.id: stmt.var for stmt in inner if isinstance(stmt, For)}
        steps = tile.steps
        while steps >= min(_FEWEST, tile.steps):
            buffers = {
                number: self.buffers_of(some, {**extents, counters[number]: steps}, layouts)
                for number, some in found.items()
                if some
            }
            size = sum(n * np.dtype(dtype).itemsize for dtype, n in _rooms(buffers).values())
            if size <= _ON_CHIP:
                break
            steps //= 2
        else:
            return None
        if not buffers:
            return None
        first = dict(zip(block, begins, strict=True))
        return Group(first, share.item, tile.items, steps, buffers)

    def sure(self, one: Staged) -> bool:
        """Whether its cells are known to be there, since the guard has shown it of the access."""
        return self.inside_plainly(one.load)

    def inside_plainly(self, load: Load) -> bool:
        """Whether the guard has shown it of an access by Python's integers.

        Those of NumPy's may wrap, so their sums need not fill a box.
        """
        plain = all(kind_of(self.typed, index) == {"int"} for index in load.index)
        return plain and load.id in self.inside

    def buffers_of(
        self, found: Sequence[Staged], extents: Mapping[str, int], layouts: Mapping[str, str]
    ) -> tuple[Buffer, ...]:
        """A buffer on the chip for each of the boxes that accesses of one loop come to."""
        made: list[Buffer] = []
        for one in same_cells(found):
            dtype = self.typed.array(one.load.array).dtype
            box = one.box(extents)
            dense = 0 if layouts.get(one.load.array) == "F" else max(box)
            axes = sorted(box.items(), key=lambda item: (item[0] == dense, item[0]))
            wide = axes[-1][1] | 1 if len(axes) > 1 else axes[-1][1]
            number = sum(buffer.dtype == dtype for buffer in made)
            made.append(Buffer(one, f"stage{number}_{dtype}_", dtype, tuple(axes), wide))
        return tuple(made)

    def loop(self, loop: For) -> None:
        if self.group is not None and self.tile is None and loop.id in self.group.buffers:
            self.in_stages(loop, self.group, lambda: self.body(loop, Look.NOWHERE))
        else:
            PartialWriter.loop(self, loop)

    def steps(self, loop: For) -> None:
        if self.group is not None and loop.id in self.group.buffers:
            self.in_stages(loop, self.group, lambda: self.advance(loop.body))
            return
        tile = self.tile
        if tile is not None and self.beside and self.quiet(loop):
            self.tile = replace(tile, copies=self.beside, tests=())
        LaneWriter.steps(self, loop)
        self.tile = tile

    @contextmanager
    def in_group(self, group: Group) -> Generator[None, None, None]:
        """Around what the work items of a block do together."""
        with self.indented():
            for room, (dtype, length) in _rooms(group.buffers).items():
                self.write(f'{room} = onchip_("{dtype}", {length})')
            self.group = group
            yield
            self.group = None

    def in_stages(self, loop: For, group: Group, body: Callable[[], None]) -> None:
        """A loop in order, of which some steps at a time find on the chip what they read."""
        plain, steps = self.plainly_bound(loop), group.steps
        low, high = self.ends(loop)
        middle = self.temp(f"{low} + max({high} - {low}, 0) // {steps} * {steps}")
        self.temps += 1
        base, step, var = f"base{self.temps}_", f"step{self.temps}_", self.names[loop.var]
        buffers = group.buffers[loop.id]
        self.write(f"for {base} in range({low}, {middle}, {steps}):")
        before = self.begin(loop, plain)
        with self.indented():
            begins = {**group.begins, loop.var: base}
            self.bring(buffers, group, begins)
            self.write(f"for {step} in range(0, {steps}):")
            with self.indented():
                self.write(f"{var} = {base} + {step}")
                cells = {buffer.one.same: (buffer, begins) for buffer in buffers}
                self.near = {
                    access.id: cells[access.array, access.index]
                    for stmt in loop.body
                    for _, access in accesses(stmt)
                    if (access.array, access.index) in cells
                }
                tile = self.tile
                if tile is not None and self.quiet(loop):
                    self.tile = replace(tile, tests=())
                body()
                self.near, self.tile = {}, tile
        self.end(loop, before)
        for _ in self.head(loop, plain, f"{middle}, {high}"):
            body()

    def quiet(self, loop: For) -> bool:
        """Whether nobody notices a step of an iteration that is not there.

        So where it does nothing but sums, in scalars that are looked at after the loop, of numbers
        that another iteration reads as well: at the same place, unless a subscript has a scalar
        that only iterations have that are there.
        """
        kept = self.tile.kept if self.tile is not None else frozenset()

        def sound(expr: Expr) -> bool:
            match expr:
                case Load():
                    there = expr.id in self.near or (
                        bool(self.beside)
                        and expr.array in self.unwritten
                        and self.inside_plainly(expr)
                        and not names(expr.index) & kept
                    )
                case Binary(op="+" | "-" | "*", left=left, right=right, whole=False):
                    there = sound(left) and sound(right)
                case _:
                    there = isinstance(expr, Name | Const)
            return there and {family(dtype(a)) for a in kind_of(self.typed, expr)} == {"float"}

        return all(
            isinstance(stmt, Assign)
            and isinstance(stmt.target, Name)
            and stmt.id in self.deferred
            and sound(stmt.value)
            for stmt in loop.body
        )

    def bring(self, buffers: Sequence[Buffer], group: Group, begins: Mapping[str, str]) -> None:
        """Have on the chip what a stage reads; all that is on its way is asked for at once."""
        puts: list[tuple[str, str]] = []
        names = self.names
        for buffer in buffers:
            self.names = {**names, **begins}
            index = self.place(buffer.one.load)
            self.names = names
            for first in range(0, buffer.cells, group.items):
                cell = self.temp(f"uint64({group.item} + {first})")
                test = f"{cell} < {buffer.cells}" if first + group.items > buffer.cells else ""
                far: dict[int, str] = {}
                left = cell
                for axis, extent in reversed(buffer.axes[1:]):
                    far[axis] = self.temp(f"int64({left} % {extent})")
                    left = self.temp(f"{left} // {extent}")
                far[buffer.axes[0][0]] = self.temp(f"int64({left})")
                known = {k: group.limit(buffer.one, k, text) for k, text in far.items()}
                where = ", ".join(
                    f"{i} + {known[k]}" if k in far else i for k, i in enumerate(index)
                )
                if test:
                    self.write(f"if {test}:")
                with self.indented() if test else nullcontext():
                    value = self.held(f"{names[buffer.one.load.array]}[{where}]", buffer.dtype)
                puts.append((test, f"{buffer.at(far)} = {value}"))
        self.write("meet_()")
        for test, put in puts:
            if test:
                self.write(f"if {test}:")
            self.write(f"{'    ' if test else ''}{put}")
        self.write("meet_()")

    def held(self, cell: str, dtype: str) -> str:
        """The text of a number that is taken from `cell` now.

        The parts of a complex one each for itself: PoCL loses 16 bytes in one piece where work
        items meet.
        """
        if family(dtype) != "complex":
            return self.temp(cell)
        return f"complex({self.temp(f'{cell}.real')}, {self.temp(f'{cell}.imag')})"

    def element(self, access: Load | Element) -> str:
        found = self.near.get(access.id)
        if found is None:
            return LaneWriter.element(self, access)
        buffer, begins = found
        places = {
            k: " + ".join(f"({self.names[var]} - {begins[var]})" for var in axis)
            for k, axis in enumerate(buffer.one.axes)
            if axis
        }
        return buffer.at(places)


def _apart(group: Group, block: Collection[str]) -> bool:
    """Whether no two of the variables of a block move a subscript of what it reads on the chip."""
    buffers = (one for some in group.buffers.values() for one in some)
    return all(len({*axis} & {*block}) <= 1 for buffer in buffers for axis in buffer.one.axes)


def _least(texts: Sequence[str]) -> str:
    return f"min({', '.join(texts)})" if len(texts) > 1 else texts[0]


def _beside(expr: Expr) -> str:
    """The variable of which `expr` is a neighbour, if it is one."""
    match expr:
        case Name(id=name):
            return name
        case Binary(op="+" | "-", left=Name(id=name), right=Const()):
            return name
    return ""


def _rooms(buffers: Mapping[int, Sequence[Buffer]]) -> dict[str, tuple[str, int]]:
    """Dtype and length of all memory on the chip: loops one after the other use the same."""
    found: dict[str, tuple[str, int]] = {}
    for buffer in (one for some in buffers.values() for one in some):
        _, length = found.get(buffer.room, ("", 0))
        found[buffer.room] = buffer.dtype, max(length, buffer.length)
    return found
