"""What work items of one block read by way of a device's chip (`sched.staged`).

Where they run together, steps of a loop in order go on in stages::

    if together_(128, True):                # do all of the block run here?
      if all_(full):                        # and each in full?
        if 0 < middle:
            v1_ = a[row + item // 16, item % 16]
            …
            for base in range(0, middle, 16):
                meet_()                     # nobody reads what was there before
                stage0_[item // 16 * 17 + item % 16] = v1_
                …
                meet_()                     # all of it is there
                next = min(base + 16, middle - 16)
                v1_ = a[row + item // 16, next + item % 16]
                …                           # it comes while this stage is computed
                for step in unrolled_(4, 16):
                    k = base + step
                    …                       # as ever, with stage0_[…] for a[i, k]
        for k in range(middle, n):
            …                               # what is left, as ever
      else:                                 # at the rim: only what is there is stored
        first_ = least_(…)                  # which rows and columns are there in the block
        …
    else:
        …                                   # as ever
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from types import MappingProxyType

import numpy as np

from autopar.cpu.lanes import LaneWriter
from autopar.cpu.loops import Look, Share
from autopar.cpu.partial import PartialWriter
from autopar.nest.flow import names
from autopar.nest.ir import Assign, Binary, Const, Element, Expr, For, Load, Name, Stmt
from autopar.nest.kinds import dtype, family
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import accesses, statements
from autopar.records import dataclass, field, replace
from autopar.sched.staged import Staged, same_cells, staged

_ON_CHIP = (1 << 15) - 64
"""Bytes that each device has on its chip for a block, beside what it is asked by."""
_FEWEST = 4  # steps that work items meet for
_UNROLLED = 4
"""Steps of a tile that are one piece of code: many would not stay where a device keeps its code."""
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
class Bringer:
    """How a work item has a cell on the chip in each stage, which it reads the stage before.

    Attributes
    ----------
    far
        Texts of how far the cell is along axes of the array.
    held
        Names of what it has read: a number, or the parts of a complex one.
    """

    buffer: Buffer
    far: Mapping[int, str]
    held: tuple[str, ...]


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
class StageWriter(PartialWriter):
    """Loops of one kernel, some of which go on in stages.

    Attributes
    ----------
    group
        The block that is being written.
    near
        What is on the chip, by the ids of accesses, and the texts of the first values of variables.
    unwritten
        Arrays that share no memory with one that the iterations store into.
    beside
        For each copy the texts of the variables of loops, or those of another that is there.
    """

    group: Group | None = None
    near: dict[int, tuple[Buffer, Mapping[str, str]]] = field(default_factory=dict)
    unwritten: frozenset[str] = frozenset()
    beside: tuple[Mapping[str, str], ...] = ()

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
        # What the guard has shown of an access, it has of all cells that it comes to.
        found = {
            number: tuple(one for one in some if self.inside_plainly(one.load))
            for number, some in found.items()
        }
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

    def inside_plainly(self, access: Load | Element) -> bool:
        """Whether the guard has shown it of an access by Python's integers.

        Those of NumPy's may wrap, so their sums need not fill a box.
        """
        plain = all(kind_of(self.typed, index) == {"int"} for index in access.index)
        return plain and access.id in self.inside

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
        self.write(f"if {low} < {middle}:")
        before = self.begin(loop, plain)
        with self.indented():
            bringers = self.bringers(buffers, group, {**group.begins, loop.var: low})
            self.write(f"for {base} in range({low}, {middle}, {steps}):")
            with self.indented():
                self.bring(bringers)
                after = self.temp(f"min({base} + {steps}, {middle} - {steps})")
                for one in bringers:
                    texts = self.sources(one, group, {**group.begins, loop.var: after})
                    for name, text in zip(one.held, texts, strict=True):
                        self.write(f"{name} = {text}")
                many = steps if self.tile is None else _UNROLLED
                self.write(f"for {step} in unrolled_({many}, {steps}):")
                with self.indented():
                    self.write(f"{var} = {base} + {step}")
                    begins = {**group.begins, loop.var: base}
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

    def bringers(
        self, buffers: Sequence[Buffer], group: Group, begins: Mapping[str, str]
    ) -> list[Bringer]:
        """What each work item brings, of which it reads what the first stage needs.

        All of it is asked for at once.  Where there is not another cell for each, the last one
        comes several times.
        """
        found = []
        for buffer in buffers:
            for first in range(0, buffer.cells, group.items):
                cell = f"{group.item} + {first}"
                if first + group.items > buffer.cells:
                    cell = f"min({cell}, {buffer.cells - 1})"
                left = self.temp(f"uint64({cell})")
                far: dict[int, str] = {}
                for axis, extent in reversed(buffer.axes[1:]):
                    far[axis] = self.temp(f"int64({left} % {extent})")
                    left = self.temp(f"{left} // {extent}")
                far[buffer.axes[0][0]] = self.temp(f"int64({left})")
                found.append(Bringer(buffer, far, ()))
        return [
            replace(one, held=tuple(map(self.temp, self.sources(one, group, begins))))
            for one in found
        ]

    def sources(self, one: Bringer, group: Group, begins: Mapping[str, str]) -> tuple[str, ...]:
        """Texts of the cell that is read in a stage that begins there.

        The parts of a complex number each for itself: PoCL loses 16 bytes in one piece where work
        items meet.
        """
        staged, names = one.buffer.one, self.names
        self.names = {**names, **begins}
        index = self.place(staged.load)
        self.names = names
        known = {k: group.limit(staged, k, text) for k, text in one.far.items()}
        where = ", ".join(f"{i} + {known[k]}" if k in known else i for k, i in enumerate(index))
        cell = f"{names[staged.load.array]}[{where}]"
        if family(one.buffer.dtype) == "complex":
            return f"{cell}.real", f"{cell}.imag"
        return (cell,)

    def bring(self, bringers: Sequence[Bringer]) -> None:
        """Have on the chip what has been read for a stage."""
        self.write("meet_()")
        for one in bringers:
            value = one.held[0] if len(one.held) == 1 else f"complex({', '.join(one.held)})"
            self.write(f"{one.buffer.at(one.far)} = {value}")
        self.write("meet_()")

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


def _rooms(buffers: Mapping[int, Sequence[Buffer]]) -> dict[str, tuple[str, int]]:
    """Dtype and length of all memory on the chip: loops one after the other use the same."""
    found: dict[str, tuple[str, int]] = {}
    for buffer in (one for some in buffers.values() for one in some):
        _, length = found.get(buffer.room, ("", 0))
        found[buffer.room] = buffer.dtype, max(length, buffer.length)
    return found
