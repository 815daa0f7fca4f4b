"""What the lanes of a strip read far apart in memory, copied once for all of them, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from autopar.cpu.ahead import AheadWriter
from autopar.nest.ir import Expr, For, Lanes, Stmt
from autopar.nest.typed.types import kind_of
from autopar.records import dataclass, field, replace
from autopar.sched.boxes import Box, boxes
from autopar.sched.together import packable

_AT_ONCE = 4  # lanes that are copied together


@dataclass(frozen=True, slots=True)
class Range:
    """A loop of a band, and texts of where it begins and ends, if that is known before all.

    Attributes
    ----------
    by
        How many iterations further each of those goes that are meant.
    skipped
        Text of how many iterations before it there are copies for as well.
    """

    loop: For
    low: str = ""
    high: str = ""
    by: int = 1
    skipped: str = ""

    @property
    def leans(self) -> bool:
        """Whether it begins or ends elsewhere for each iteration of the loop around it."""
        return not self.low

    @property
    def lanes(self) -> Lanes:
        assert self.loop.lanes is not None
        return self.loop.lanes

    @property
    def without_strips(self) -> Range:
        """The same loop, one iteration after the other."""
        lanes = replace(self.lanes, strip=0, packs=())
        return replace(self, loop=replace(self.loop, lanes=lanes))


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """A copy of the cells that the lanes of a strip read by an access, side by side.

    Attributes
    ----------
    room, dtype, extents
        Its name and type, and texts of its extents but for the last, along the lanes.
    wider
        Text of how much longer it is there than there are lanes.
    lane_bytes
        Text of what it takes for each lane.
    begins
        Texts of the first numbers of the variables in its subscripts.
    """

    box: Box
    room: str
    dtype: str
    extents: tuple[str, ...]
    wider: str
    lane_bytes: str
    begins: Mapping[str, str]


@dataclass(slots=True)
class PackWriter(AheadWriter):
    """Loops of one kernel, some of which read copies.

    Attributes
    ----------
    packs
        Where the lanes of a strip find a cell that has been read for all of them.
    boxes
        Where they find what an access reads, by its id.
    """

    packs: dict[tuple[str, tuple[Expr, ...]], str] = field(default_factory=dict)
    boxes: dict[int, Pack] = field(default_factory=dict)

    def far_apart(self, first: Range, others: Sequence[Range], body: Sequence[Stmt]) -> list[Box]:
        """What the lanes of `first` read far apart in memory, again in each of the loops inside."""
        return [
            box
            for box in boxes(first.loop, [one.loop for one in others], body, first.lanes.settled)
            if box.loops  # others are cells that `pack` reads
            and box.load.array in first.lanes.packs
            and box.load.id in self.inside
            # Integers of NumPy's may wrap, so their sums need not fill a box.
            and all(kind_of(self.typed, index) == {"int"} for index in box.load.index)
        ]

    def laid_out(
        self, found: Sequence[Box], spans: Mapping[int, Range], strip: Range
    ) -> dict[tuple[object, ...], Pack]:
        """Where boxes go, by what they have in common."""
        packs: dict[tuple[object, ...], Pack] = {}
        for box in found:
            if box.same in packs:
                continue
            dtype = self.typed.array(box.load.array).dtype
            begins = {loop.var: spans[loop.id].low for loop in box.loops}
            wide = {
                loop.var: f"{spans[loop.id].high} - {spans[loop.id].low} - 1" for loop in box.loops
            }
            extents, wider = [], "0"
            for axis in box.axes:
                far = " + ".join(f"({wide[var]})" for var in axis if var in wide)
                if strip.loop.var in axis:
                    wider = self.temp(far or "int64(0)")
                elif axis:
                    extents.append(self.temp(f"1 + {far}"))
            size = " * ".join((*extents, str(np.dtype(dtype).itemsize)))
            self.temps += 1
            room = f"pack{self.temps}_{dtype}_"
            packs[box.same] = Pack(box, room, dtype, tuple(extents), wider, size, begins)
        return packs

    def fill(self, pack: Pack, strip: Range) -> None:
        """Copy what the lanes of `strip` read.

        Where they lie far apart, for some lanes at a time: each store then fills a vector, and each
        load goes on where the one before it has brought memory into the cache.
        """
        names, var = self.names, strip.loop.var
        # The guard knows the variables by their loops.
        before = [self.begin(loop, self.plainly_bound(loop)) for loop in pack.box.loops]
        self.names = {**names, **pack.begins, var: strip.low}
        index = self.place(pack.box.load)
        self.names = names
        for loop, plain in zip(reversed(pack.box.loops), reversed(before), strict=True):
            self.end(loop, plain)
        axes = [k for k, axis in enumerate(pack.box.axes) if axis]
        across = next(k for k in axes if var in pack.box.axes[k])
        others = [k for k in axes if k != across]
        inner = [(k, f"0, {extent}") for k, extent in zip(others, pack.extents, strict=True)]
        wide = self.temp(f"{strip.high} - {strip.low} + {pack.wider}")
        if across == axes[-1]:
            self.copy(pack, index, [*inner, (across, f"0, {wide}")], across, 1)
            return
        whole = self.temp(f"{wide} // {_AT_ONCE} * {_AT_ONCE}")
        some = across, f"0, {whole}, {_AT_ONCE}"
        self.copy(pack, index, [some, *inner], across, _AT_ONCE)
        self.copy(pack, index, [(across, f"{whole}, {wide}"), *inner], across, 1)

    def copy(
        self,
        pack: Pack,
        index: Sequence[str],
        loops: Sequence[tuple[int, str]],
        across: int,
        count: int,
    ) -> None:
        """Copy cells from `index` on.

        Parameters
        ----------
        loops
            From the outermost on: an axis, and the text of a range along it.
        across
            The axis of the lanes, `count` of which are copied at a time.
        """
        with ExitStack() as stack:
            cells: dict[int, str] = {}
            for k, span in loops:
                self.temps += 1
                cells[k] = f"cell{self.temps}_"
                self.write(f"for {cells[k]} in range({span}):")
                stack.enter_context(self.indented())
            first = cells[across]
            for step in range(count):
                cells[across] = f"{first} + {step}" if step else first
                there = [cells[k] for k in sorted(cells) if k != across]
                here = (
                    f"{text} + {cells[k]}" if k in cells else text for k, text in enumerate(index)
                )
                source = f"{self.names[pack.box.load.array]}[{', '.join(here)}]"
                self.write(f"{pack.room}[{', '.join((*there, cells[across]))}] = {source}")

    def in_box(self, pack: Pack, strip: Range) -> str:
        """Where a lane finds what the access reads."""
        cells, lane = [], " + ".join(("lane_", *filter(None, [strip.skipped])))
        for axis in pack.box.axes:
            ways = [f"({self.names[v]} - {pack.begins[v]})" for v in axis if v in pack.begins]
            if strip.loop.var in axis:
                lane = " + ".join((lane, *ways))
            elif axis:
                cells.append(" + ".join(ways))
        return f"{pack.room}[{', '.join((*cells, lane))}]"

    def pack(self, strip: Range, others: Sequence[Range], body: Sequence[Stmt]) -> None:
        """Read once for `strip` what its lanes read far apart, again in each of the loops inside.

        Where one of these has no iteration, it need not be there to be read.
        """
        if not others or not strip.lanes.packs:
            return
        cells = {
            (load.array, load.index): load
            for load in packable(strip.loop, [one.loop for one in others], body)
            if load.array in strip.lanes.packs and load.id in self.inside
        }
        if not cells:
            return
        runs = " and ".join(f"{one.low} < {one.high}" for one in others)
        self.write(f"if {runs}:")
        var = self.names[strip.loop.var]
        found: dict[tuple[str, tuple[Expr, ...]], str] = {}
        with self.indented():
            self.write(f"for {var} in range({strip.low}, {strip.high}):")
            with self.indented():
                for cell, load in cells.items():
                    dtype = self.typed.array(load.array).dtype
                    room = f"packed{len(found)}_{dtype}_"  # no name of a box
                    self.buffer(room, dtype, strip.lanes.strip)
                    self.write(f"{room}[{var} - {strip.low}] = {self.element(load)}")
                    found[cell] = f"{room}[lane_]"
        self.packs = found
