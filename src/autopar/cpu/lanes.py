"""Bands of loops whose iterations go on together, as the schedule has marked them: tiles of these.

What is written in a tile is up to `runs`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

import numpy as np

from autopar.cpu.ahead import AheadWriter
from autopar.cpu.loops import Look, LoopWriter
from autopar.cpu.packs import Range
from autopar.cpu.runs import SHARED, Own, RunWriter, Tiled, kept_in
from autopar.kernel import Watch
from autopar.nest.flow import names, written
from autopar.nest.ir import Const, Element, For, Stmt
from autopar.nest.typed.types import kind_of
from autopar.nest.walking import accesses
from autopar.records import dataclass, replace
from autopar.sched.alike import varying
from autopar.sched.boxes import Box
from autopar.sched.machine import MACHINE
from autopar.sched.together import leans, staggered, together

_VECTOR = 8  # lanes that fill the widest vectors


@dataclass(slots=True)
class LaneWriter(RunWriter):
    """Loops of one kernel, some of whose iterations go on together.

    Attributes
    ----------
    alone
        Whether iterations go on one after the other, whatever their loop says.
    own
        What the lanes of a strip have each of its own.
    parted
        `For.id` of a loop inside others of which only the chunk is to be written; None once it is.
    """

    alone: bool = False
    own: Own = SHARED
    parted: int | None = None

    def chunk(self, loop: For, asked: bool) -> None:
        band = () if asked else self.band(loop)
        if not band:
            AheadWriter.chunk(self, loop, asked)
            return
        self.span(loop)
        start = "" if loop.start == Const(0) else f"{self.value(loop.start).text} + "
        with self.ahead(loop, whole=False):
            self.sweep(band, self.temp(f"{start}lo"), self.temp(f"{start}hi"))

    def loop(self, loop: For) -> None:
        if loop.id == self.parted:
            self.parted = None
            self.chunk(loop, False)
            return
        if self.free and loop.lanes and loop.lanes.behind and staggered(loop):
            self.stagger(loop, loop.lanes)
            return
        band = self.band(loop)
        if not band:
            LoopWriter.loop(self, loop)
            return
        self.sweep(band, *self.ends(loop))

    @property
    def free(self) -> bool:
        """Whether iterations need not go on one after the other, as Python would have them."""
        return not self.alone and self.tile is None and self.watch is not Watch.NAME

    def band(self, loop: For) -> tuple[For, ...]:
        """The loops that go on together with `loop`; none where each goes on alone."""
        if not self.free:
            return ()
        found: list[For] = []
        inner: Stmt = loop
        while isinstance(inner, For) and inner.lanes and not inner.lanes.ordered:
            found.append(inner)
            if len(inner.body) != 1:
                break
            (inner,) = inner.body
        if not found or not together(found):
            return ()
        if self.watch is Watch.KEEP and self.undoable(found[-1]):
            return ()  # its own strips are put back where something rings
        kinds = dict(self.typed.scalars)
        noted = written(found[-1].body) & self.tagged
        if any(len(kinds[name]) > 1 for name in noted):
            return ()  # which type it has would have to be kept for each lane
        last = all(one.lanes is not None and one.lanes.last for one in found)
        if (noted or {one.var for one in found} & self.tagged) and not last:
            return ()
        return tuple(found)

    # ------------------------------------------------------------------ tiles

    def sweep(self, band: Sequence[For], low: str, high: str) -> None:
        """All iterations of `band`, whose first loop goes from `low` to `high`."""
        self.polls = self.looks(band[0]) is not Look.NOWHERE
        ranges: list[Range] = []
        before: list[bool | None] = []
        for k, loop in enumerate(band):
            if leans(loop, band[:k]):
                self.bounds(loop)  # what the guard has to show
                ranges.append(Range(loop))
            else:
                low, high = self.ends(loop) if ranges else (low, high)
                ranges.append(Range(loop, low, high))
            before.append(self.begin(loop, self.plainly_bound(loop)))
        self.but_last(ranges, band[-1].body)
        for loop, plain in zip(reversed(band), reversed(before), strict=True):
            self.end(loop, plain)

    def but_last(self, ranges: Sequence[Range], body: Sequence[Stmt]) -> None:
        """`ranges` in tiles, and the last iteration alone where somebody sees what it leaves."""
        if not ranges:
            self.plain((), ({},), body)
            return
        first, *others = ranges
        if not first.lanes.last:
            # A strip that all iterations share is gone through by one after the other of them.
            order = ranges if any(one.leans for one in ranges) else _strips_first(ranges)
            self.copied(order, None, ({},), body)
            return
        last = self.temp(f"max({first.high} - 1, {first.low})")
        order = _strips_first((replace(first, high=last), *others))
        # Where a loop has no iteration, one that has been moved out of it must not begin either.
        moved = order[0].loop is not first.loop
        runs = [f"{one.low} < {one.high}" for one in order if moved and not one.leans]
        if runs:
            self.write(f"if {' and '.join(runs)}:")
        with self.indented() if runs else nullcontext():
            self.copied(order, None, ({},), body)
        with self.each(first, last, first.high):
            self.but_last(others, body)

    def copied(
        self,
        ranges: Sequence[Range],
        strip: Range | None,
        copies: tuple[Mapping[str, str], ...],
        body: Sequence[Stmt],
    ) -> None:
        """The loops of `ranges`, in strips and some iterations written out, around tiles.

        Parameters
        ----------
        strip
            What each run goes through.
        copies
            Texts of the variables of the loops around.
        """
        if not ranges:
            self.tiled(Tiled(copies, strip, kept_in(body, self.own), self.own), body)
            return
        first, *others = ranges
        if len(others) == 1 and others[0].leans and others[0].lanes.packs:
            self.slanted(first, others[0], body)
        elif first.leans:
            self.shared(first, others, copies, body)
        elif first.lanes.private:
            self.with_arrays(first, copies, body)
        elif first.lanes.strip:
            self.stripped(first, others, copies, body)
        else:
            self.written_out(first, others, strip, copies, body)

    def stripped(
        self,
        first: Range,
        others: Sequence[Range],
        copies: tuple[Mapping[str, str], ...],
        body: Sequence[Stmt],
    ) -> None:
        """A loop in strips; the loops as they stand where that would be a short one."""
        self.write(f"if {first.high} - {first.low} >= {MACHINE.least_lanes}:")
        with self.indented():
            trips = self.temp(f"{first.high} - {first.low}")
            found = self.far_apart(first, others, body)
            if found:
                alone = first.without_strips
                self.packed(
                    found,
                    first,
                    others,
                    trips,
                    lambda strip: self.copied(others, strip, copies, body),
                    lambda: self.copied([*others, alone], None, copies, body),
                )
            else:
                length = self.even(trips, str(first.lanes.strip))
                for strip in self.strips_of(first, length):
                    self.pack(strip, others, body)
                    self.copied(others, strip, copies, body)
                    self.packs = {}
        self.write("else:")
        with self.indented():
            self.plain([first, *others], copies, body)

    def with_arrays(
        self, first: Range, copies: tuple[Mapping[str, str], ...], body: Sequence[Stmt]
    ) -> None:
        """A loop in strips whose lanes have private arrays each of its own.

        As many lanes go on together as such arrays stay in the cache; one iteration after the other
        where these are few.

        References
        ----------
        Array expansion: P. Feautrier, "Array expansion", ICS 1988, here for the lanes of a strip.
        """
        private = frozenset(first.lanes.private)
        found = varying(first.loop, private)
        stored = {a.array for s in body for _, a in accesses(s) if isinstance(a, Element)}
        arrays = sorted(private & stored & found)
        extents = {path: self.extents(path) for path in arrays}
        most = str(first.lanes.strip)
        if arrays:
            sizes = [np.dtype(self.typed.array(path).dtype).itemsize for path in arrays]
            parts = zip(extents.values(), sizes, strict=True)
            lane = self.temp(" + ".join(" * ".join((*extent, str(size))) for extent, size in parts))
            whole = ~(_VECTOR - 1)
            fits = f"{MACHINE.private_bytes} // max({lane}, 1) & {whole}"
            most = self.temp(f"min({most}, {fits})")
        trips = self.temp(f"{first.high} - {first.low}")
        length = self.temp("int64(0)")
        least = MACHINE.least_lanes
        self.write(f"if {trips} >= {least} and {most} >= {least}:")
        with self.indented():
            self.write(f"{length} = {self.even(trips, most)}")
        rooms: dict[str, str] = {}
        for path in arrays:
            self.temps += 1
            rooms[path] = f"own{self.temps}_"
            shape = ", ".join((*extents[path], length))
            self.write(f'{rooms[path]} = borrowed_("{self.typed.array(path).dtype}", {shape})')
        there = [f"there_({room})" for room in rooms.values()]
        self.write(f"if {' and '.join((f'{length} > 0', *there))}:")
        with self.indented():
            for path in arrays:
                with self.cells(extents[path]) as cell, self.each_lane(length):
                    here = self.names[path]
                    self.write(f"{rooms[path]}[{cell}, lane_] = {here}[{cell}]")
            self.own = Own(rooms, found)
            for strip in self.strips_of(first, length):
                self.copied((), strip, copies, body)
            self.own = SHARED
            last = self.temp(f"({trips} - 1) % {length}")
            for path in arrays if not first.lanes.last else ():
                with self.cells(extents[path]) as cell:
                    self.write(f"{self.names[path]}[{cell}] = {rooms[path]}[{cell}, {last}]")
        self.write("else:")
        with self.indented():
            self.plain([first], copies, body)
        for room in rooms.values():
            self.write(f"give_back_({room})")

    def extents(self, path: str) -> list[str]:
        return [f"{self.names[path]}.shape[{k}]" for k in range(self.typed.array(path).ndim)]

    @contextmanager
    def cells(self, extents: Sequence[str]) -> Generator[str, None, None]:
        """Loops through all cells of an array of these extents; the text of their subscripts."""
        with ExitStack() as stack:
            places = []
            for extent in extents:
                self.temps += 1
                places.append(f"cell{self.temps}_")
                self.write(f"for {places[-1]} in range(0, {extent}):")
                stack.enter_context(self.indented())
            yield ", ".join(places)

    @contextmanager
    def each_lane(self, length: str) -> Generator[None, None, None]:
        self.write(f"for lane_ in apart_(0, {length}):")
        with self.indented():
            yield

    def even(self, trips: str, most: str) -> str:
        """The length of strips as long as each other, in whole vectors.

        A short one at the end would take as long.
        """
        whole = _VECTOR - 1
        count = self.temp(f"({trips} + {most} - 1) // {most}")
        return self.temp(f"min((({trips} + {count} - 1) // {count} + {whole}) & {~whole}, {most})")

    def strips_of(self, first: Range, length: str) -> Iterator[Range]:
        """The strips of a loop; what is written while one is at hand is what is in it."""
        self.temps += 1
        base = f"base{self.temps}_"
        self.write(f"for {base} in range({first.low}, {first.high}, {length}):")
        with self.indented():
            yield Range(first.loop, base, self.temp(f"min({base} + {length}, {first.high})"))

    def packed(
        self,
        found: Sequence[Box],
        first: Range,
        others: Sequence[Range],
        trips: str,
        inside: Callable[[Range], None],
        otherwise: Callable[[], None],
    ) -> None:
        """A loop in strips for each of which what it reads far apart in memory is packed.

        There are as many lanes as keep that in the cache.  Where it would not stay there, or where
        a loop has no iteration, so that it need not be there to be read, there are no strips.

        Parameters
        ----------
        inside, otherwise
            Write what is in a strip, and what there is in place of strips.
        """
        loops = {loop.id: loop for box in found for loop in box.loops}
        spans = {number: Range(loop, *self.ends(loop)) for number, loop in loops.items()}
        tests = dict.fromkeys(self.condition(test) for box in found for test in box.tests)
        runs = [f"{one.low} < {one.high}" for one in (*others, *spans.values())]
        done = self.temp("False")
        self.write(f"if {' and '.join((*runs, *tests))}:")
        with self.indented():
            packs = self.laid_out(found, spans, first)
            lane = self.temp(" + ".join(pack.lane_bytes for pack in packs.values()))
            wider = self.temp(f"max({', '.join(('0', *(p.wider for p in packs.values())))})")
            whole = ~(_VECTOR - 1)
            fits = f"({MACHINE.private_bytes} // {lane} - {wider}) & {whole}"
            most = self.temp(f"min({first.lanes.strip}, {fits})")
            self.write(f"if {most} >= {MACHINE.least_lanes}:")
            with self.indented():
                length = self.even(trips, most)
                for pack in packs.values():
                    shape = ", ".join((*pack.extents, f"{length} + {pack.wider}"))
                    self.write(f'{pack.room} = borrowed_("{pack.dtype}", {shape})')
                self.write(f"if {' and '.join(f'there_({p.room})' for p in packs.values())}:")
                with self.indented():
                    self.boxes = {box.load.id: packs[box.same] for box in found}
                    for strip in self.strips_of(first, length):
                        for pack in packs.values():
                            self.fill(pack, strip)
                        inside(strip)
                    self.boxes = {}
                    self.write(f"{done} = True")
                for pack in packs.values():
                    self.write(f"give_back_({pack.room})")
        self.write(f"if not {done}:")
        with self.indented():
            otherwise()

    def slanted(self, rows: Range, columns: Range, body: Sequence[Stmt]) -> None:
        """Rows that begin or end one column after each other, in strips of columns.

        What is packed of all columns is read: the longest row has them.
        """
        moving = rows.loop.var in names((columns.loop.start,))
        longest = rows.low if moving else self.temp(f"{rows.high} - 1")
        whole = Range(columns.loop, *self.ends_in(columns.loop, {rows.loop.var: longest}))

        def otherwise() -> None:
            self.copied([rows, columns.without_strips], None, ({},), body)

        # Other integers of NumPy's may wrap, and then no row has all columns that any has.
        bounds = columns.loop.start, columns.loop.stop
        plain = all(kind_of(self.typed, bound) == {"int"} for bound in bounds)
        found = self.far_apart(whole, (rows,), body) if plain else ()
        if not found:
            otherwise()
            return
        trips = self.temp(f"max({whole.high} - {whole.low}, 1)")
        self.packed(
            found,
            whole,
            (rows,),
            trips,
            lambda strip: self.rows_of(rows, moving, strip, body),
            otherwise,
        )

    def rows_of(self, rows: Range, moving: bool, strip: Range, body: Sequence[Stmt]) -> None:
        """The rows of a triangle in one strip of columns.

        Some go on together where the strip lies within all of them; at the rim each has its part.

        Parameters
        ----------
        moving
            Whether it is their begin that moves, not their end.
        """
        var, count = self.names[rows.loop.var], rows.lanes.copies
        with self.each(rows, rows.low, rows.high, count):
            beyond = self.temp(f"{var} + {count}")
            shortest = self.temp(f"{beyond} - 1") if moving else var
            low, high = self.ends_in(strip.loop, {rows.loop.var: shortest})
            within = f"{low} <= {strip.low} and {strip.high} <= {high}"
            self.write(f"if {beyond} <= {rows.high} and {within}:")
            with self.indented():
                copies = tuple({rows.loop.var: text} for text in self.following(var, count))
                self.copied((), strip, copies, body)
            self.write("else:")
            with self.indented():
                self.temps += 1
                row = f"row{self.temps}_"
                self.write(f"for {row} in range({var}, min({beyond}, {rows.high})):")
                with self.indented():
                    self.part_of(strip, {rows.loop.var: row}, body)

    def part_of(self, strip: Range, row: Mapping[str, str], body: Sequence[Stmt]) -> None:
        """What one row has of a strip of columns."""
        low, high = self.ends_in(strip.loop, row)
        low = self.temp(f"max({low}, {strip.low})")
        high = self.temp(f"min({high}, {strip.high})")
        skipped = self.temp(f"{low} - {strip.low}")
        self.write(f"if {low} < {high}:")
        with self.indented():
            self.copied((), replace(strip, low=low, high=high, skipped=skipped), (row,), body)

    def ends_in(self, loop: For, copy: Mapping[str, str]) -> tuple[str, str]:
        """Where `loop` begins and ends in an iteration of the loops around it."""
        names, self.names = self.names, {**self.names, **copy}
        found = self.ends(loop)
        self.names = names
        return found

    def written_out(
        self,
        first: Range,
        others: Sequence[Range],
        strip: Range | None,
        copies: tuple[Mapping[str, str], ...],
        body: Sequence[Stmt],
    ) -> None:
        """A loop some of whose iterations are written out, and what is left of it."""
        count, var = first.lanes.copies, self.names[first.loop.var]
        middle = first.high
        if count > 1:
            trips = f"max({first.high} - {first.low}, 0)"
            middle = self.temp(f"{first.low} + {trips} // {count} * {count}")
        with self.each(first, first.low, middle, count):
            texts = self.following(var, count)
            more = tuple({**copy, first.loop.var: text} for copy in copies for text in texts)
            self.copied(others, strip, more, body)
        if count > 1:
            with self.each(first, middle, first.high):
                if strip is None and not any(one.lanes.strip for one in others):
                    self.plain(others, copies, body)
                else:
                    self.copied(others, strip, copies, body)

    def shared(
        self,
        first: Range,
        others: Sequence[Range],
        copies: tuple[Mapping[str, str], ...],
        body: Sequence[Stmt],
    ) -> None:
        """A loop whose range differs from copy to copy: what they share, and the rest of each."""
        ends = [self.ends_in(first.loop, copy) for copy in copies]
        low, high = ends[0]
        if len(ends) > 1:
            low = self.temp(f"max({', '.join(low for low, _ in ends)})")
            high = self.temp(f"max(min({', '.join(high for _, high in ends)}), {low})")
            varying = set().union(*copies)
            for copy, (start, stop) in zip(copies, ends, strict=True):
                if names((first.loop.start,)) & varying:
                    before = Range(first.loop, start, f"min({low}, {stop})")
                    self.plain([before, *others], (copy,), body)
                if names((first.loop.stop,)) & varying:
                    after = Range(first.loop, f"max({high}, {start})", stop)
                    self.plain([after, *others], (copy,), body)
        self.copied([Range(first.loop, low, high), *others], None, copies, body)

    def plain(
        self,
        ranges: Sequence[Range],
        copies: tuple[Mapping[str, str], ...],
        body: Sequence[Stmt],
    ) -> None:
        """One iteration after the other, of all copies."""
        names, before = self.names, self.alone
        self.alone = True
        for copy in copies:
            self.names = {**names, **copy}
            if ranges:
                first, *others = ranges
                low, high = self.ends(first.loop) if first.leans else (first.low, first.high)
                with self.each(first, low, high, first.by):
                    self.plain(others, ({},), body)
            else:
                self.block(body)
        self.names, self.alone = names, before


def _strips_first(ranges: Sequence[Range]) -> list[Range]:
    return sorted(ranges, key=lambda one: not one.lanes.strip)
