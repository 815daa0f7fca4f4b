"""Loops of one kernel: chunks, and strips that can be interrupted."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum

from autopar.cpu.bulk import BulkWriter
from autopar.cpu.scalar import is_plain
from autopar.cpu.sticky import Trail, sticky, trails
from autopar.cpu.strips import KEPT_STRIP, Run
from autopar.cpu.tallies import FAR, INTEGER, tallies
from autopar.cpu.writer import Value
from autopar.kernel import Claim, Status, Watch
from autopar.nest import kinds
from autopar.nest.flow import exposed
from autopar.nest.forward import substitute
from autopar.nest.ir import Assign, Const, Element, Expr, For, If, Leave, Load, Stmt
from autopar.nest.typed.types import Typed
from autopar.nest.walking import blocks, statements
from autopar.records import dataclass, field
from autopar.sched.flat import ALONE, Tile
from autopar.verdict import Reason, Refusal, Refused, Span

RANGE = 2**61
"""Bounds and steps of loops stay within this, so that ``stop - start`` fits 64 bits."""
STRIP = 1 << 16
"""Iterations between two looks at whether to stop."""


class Look(Enum):
    """Where a loop looks whether it should stop."""

    NOWHERE = "nowhere"
    EACH_TIME = "each time"
    BETWEEN_STRIPS = "between strips"


@dataclass(frozen=True, slots=True)
class Share:
    """What one work item has of loops that are one range.

    Attributes
    ----------
    item
        Text of which work item of its block it is; empty where none has others beside it.
    firsts
        Texts of the variables there; of a tile, in the first iteration of its block.
    """

    tile: Tile
    item: str
    firsts: tuple[str, ...]


@dataclass(slots=True)
class LoopWriter(BulkWriter):
    """Loops of one kernel.

    Attributes
    ----------
    driven
        Number of loops around the kernel, in the driver.
    brief, lengthy
        Loops whose iterations are short, and loops that run long each time.
    deferred
        Assignments whose results are looked at after a loop that is being written.
    owed
        What to look at then.
    bounded
        Arrays whose elements are known to be far from the ends of 64 bits.
    separate
        Loops whose iterations have no cell in common that one of them stores in.
    unwatched, missed
        Stores that are looked at along their cells after a loop, and those of them that leave
        something to look at.
    part
        `For.id` of a loop inside others of which this kernel does only a chunk.
    looked
        Whether cells have been looked at after a loop.
    """

    driven: int = 0
    brief: frozenset[int] = frozenset()
    lengthy: frozenset[int] = frozenset()
    deferred: frozenset[int] = frozenset()
    owed: dict[int, tuple[str, str]] = field(default_factory=dict)
    unwatched: frozenset[int] = frozenset()
    missed: set[int] = field(default_factory=set)
    bounded: frozenset[str] = frozenset()
    separate: frozenset[int] = frozenset()
    part: int | None = None
    looked: bool = False

    def chunk(self, loop: For, asked: bool) -> None:
        """The part ``lo <= t < hi`` of a parallel loop, counted in iterations.

        When its range was `asked`, ``start_`` and ``step_`` are arguments.
        """
        var = self.names[loop.var]
        start, step = "start_", "step_"
        if not asked:
            self.span(loop)
            start, step = self.value(loop.start).text, self.value(loop.step).text
        looks = self.looks(loop)
        before = self.begin(loop, not asked)
        first = "" if loop.start == Const(0) else f"{start} + "
        unit = loop.step == Const(1)
        with (
            self.tally(loop),
            self.deferring(loop, "lo < hi"),
            self.strips("lo", "hi", 1, loop, looks) as (low, high),
        ):
            begin = f"({first}{low})" if first else low
            position = f"{var} - {begin}" if unit else f"t_ - {low}"

            def head() -> Iterator[None]:
                if unit:
                    self.write(f"for {var} in {self.order(loop)}({first}{low}, {first}{high}):")
                else:
                    self.write(f"for t_ in {self.order(loop)}({low}, {high}):")
                with self.indented():
                    if not unit:
                        self.write(f"{var} = {start} + t_ * {step}")
                    yield

            for _ in self.versions(loop, position):
                self.in_bulk(loop, position, f"{high} - {low}", head)
                for _ in head():
                    self.body(loop, looks)
                self.found = {}
        self.end(loop, before)

    @contextmanager
    def tally(self, loop: For) -> Iterator[None]:
        """Around `loop`, ahead of which its counters are small, so that nobody looks in it."""
        before, kinds_of = (self.tallied, self.whole_numbers), dict(self.typed.scalars)
        found = {n for n in tallies(loop) if kinds_of.get(n) == INTEGER}
        for name in sorted(found - self.tallied):
            number = self.names[name]
            self.fail_if(f"{number} < {-FAR} or {number} > {FAR}")
        self.tallied |= found
        self.whole_numbers |= found & exposed(loop.body)
        yield
        self.tallied, self.whole_numbers = before

    def flat(self, loops: Sequence[For], body: Sequence[Stmt]) -> Tile:
        """The part ``lo <= t < hi`` of parallel loops that are one range, the fastest one last.

        What is answered is what a work item has of the last two.
        """
        tile = self.tile_of(loops, body)
        spans = [1] * len(loops)
        if tile.several:
            spans[-2:] = tile.spans[-len(loops[-2:]) :]
        before = []
        for loop in loops:
            self.span(loop)
            before.append(self.begin(loop, True))
        counts: list[str] = []
        for loop in loops[1:]:
            first, last, by = (self.value(e) for e in (loop.start, loop.stop, loop.step))
            assert isinstance(by.const, int)
            ends = (first.text, last.text) if by.const > 0 else (last.text, first.text)
            more = abs(by.const) * spans[len(counts) + 1] - 1
            trips = f"({ends[1]} - {ends[0]}{f' + {more}' * bool(more)}) // {more + 1}"
            counts.append(self.temp(f"uint64(max(1, {trips}))"))
        order = "apart_" if all(loop.id in self.separate for loop in loops) else "range"
        self.write(f"for t_ in {order}(lo, hi):")
        with self.indented():
            self.poll()
            left = "uint64(t_)"
            places, item = [], ""
            if tile != ALONE:
                left = self.temp(left)
                item = self.temp(f"int64({left} % {tile.items})")
            if tile.several:
                left = f"{left} // {tile.items}"
            for count in reversed(counts):
                left = self.temp(left)
                around = self.temp(f"{left} // {count}")  # which takes long on a device
                places.append(self.temp(f"int64({left} - {around} * {count})"))
                left = around
            places.append(self.temp(f"int64({left})"))
            firsts = []
            for loop, place, span in zip(loops, reversed(places), spans, strict=True):
                start, step = self.value(loop.start).text, self.value(loop.step).text
                if span > 1:  # steps are 1
                    step = str(span)
                far = place if step == "1" else f"{place} * {step}"
                firsts.append(far if loop.start == Const(0) else f"{start} + {far}")
            self.iteration(loops, Share(tile, item, tuple(firsts)), body)
        for loop, plain in zip(reversed(loops), reversed(before), strict=True):
            self.end(loop, plain)
        return tile

    def tile_of(self, loops: Sequence[For], body: Sequence[Stmt]) -> Tile:
        """What a work item has of the last two of some loops around `body`, in whatever order."""
        return ALONE

    def iteration(self, loops: Sequence[For], share: Share, body: Sequence[Stmt]) -> None:
        """One iteration of loops that are one range, or a tile of them."""
        for loop, first in zip(loops, share.firsts, strict=True):
            self.write(f"{self.names[loop.var]} = {first}")
            self.counter(loop)
        self.nonnegatives.clear()
        self.block(body)

    def looks(self, loop: For, counted: bool = True) -> Look:
        """Where a loop that is about to be written looks whether to stop."""
        if counted and (self.undoable(loop) or self.bulky(loop)):
            return Look.BETWEEN_STRIPS
        if len(self.loops) > self.driven and loop.id not in self.lengthy:
            return Look.NOWHERE
        return Look.BETWEEN_STRIPS if counted and loop.id in self.brief else Look.EACH_TIME

    def poll(self) -> None:
        """Leave when the launching thread asks for it: Ctrl-C, or another chunk has failed."""
        self.write("if stopped_(stop):")
        self.write(f"    return {Status.STOPPED}")

    @contextmanager
    def strips(
        self, low: str, high: str, step: int, loop: For, looks: Look
    ) -> Generator[tuple[str, str], None, None]:
        """Around a loop of short iterations: pieces short enough to poll between them.

        A look in each iteration would keep LLVM from making vector instructions.
        """
        if looks is not Look.BETWEEN_STRIPS:
            yield low, high
            return
        self.temps += 1
        base = f"base{self.temps}_"
        kept = self.undoable(loop) and self.overwritten(loop)
        length = str(KEPT_STRIP if kept or self.bulky(loop) else STRIP)
        rows = self.rows(loop) if self.undoable(loop) else ()
        if rows:
            length = self.temp(f"max(1, {STRIP} // max(1, {self.trips(rows)}))")
        sign, bound = ("+", "min") if step > 0 else ("-", "max")
        self.write(f"for {base} in range({low}, {high}, {'-' * (step < 0)}{length}):")
        with self.indented():
            self.poll()
            yield base, f"{bound}({base} {sign} {length}, {high})"

    def trips(self, rows: Sequence[For]) -> str:
        """Text of how often the body of a nest runs whose bounds do not depend on one another."""
        ends = (self.bounds(row)[:2] for row in rows)
        each = ([self.cast(v.text, v.dtype, "int64") for v in pair] for pair in ends)
        return " * ".join(f"max(0, {high} - {low})" for low, high in each)

    def span(self, loop: For) -> None:
        """The guard must bound the range of a loop that the driver evaluates."""
        for bound in (loop.start, loop.stop, loop.step):
            self.needs[Claim(bound, -RANGE, RANGE, tuple(self.loops))] = None

    def begin(self, loop: For, plain: bool) -> bool | None:
        before = self.plain_loops.get(loop.var)
        self.plain_loops[loop.var] = plain
        self.loops.append(loop)
        return before

    def end(self, loop: For, before: bool | None) -> None:
        self.loops.pop()
        # After its loop the variable keeps its last value, whose range nobody has bounded.
        self.plain_loops[loop.var] = bool(before)

    def body(self, loop: For, looks: Look) -> None:
        if looks is Look.EACH_TIME:
            self.poll()
        if self.strip is not None and self.strip.run is Run.UNDOING:
            self.put_back(self.strip)
            return
        self.counter(loop)
        self.nonnegatives.clear()  # the first iteration comes from somewhere else
        strip = self.strip
        if strip is not None and strip.run is Run.KEEPING:
            self.begun(strip)
        self.block(loop.body)

    def counter(self, loop: For) -> None:
        """At the start of an iteration: the variable of `loop` is an int."""
        if loop.var in self.tagged:
            self.write(f"{self.names[loop.var]}_tag = int64({kinds.tag('int')})")

    def bounds(self, loop: For) -> tuple[Value, Value, Value]:
        """Start, stop and step, checked to be integers that leave room in 64 bits."""
        exprs = loop.start, loop.stop, loop.step
        start, stop, step = (self.value(e) for e in exprs)
        for expr, value in zip(exprs, (start, stop, step), strict=True):
            if any(kinds.family(kinds.dtype(a)) not in ("int", "uint") for a in value.kind):
                raise self.refuse_type(loop)
            if "uint64" in value.dtype:
                raise self.refuse_type(loop)
            if value.dtype == "int64" and not self.is_bounded(expr):
                self.within(value, -RANGE, RANGE)
        return start, stop, step

    def is_bounded(self, expr: Expr) -> bool:
        """Whether `expr` is an element of an array whose elements leave room in 64 bits."""
        match substitute(expr, self.definitions):
            case Load(array=array):
                return array in self.bounded
        return False

    def loop(self, loop: For) -> None:
        if loop.fold:
            self.fold(loop)
            return
        if loop.product:
            self.product(loop)
            return
        plain = self.plainly_bound(loop)
        start, stop, step = self.bounds(loop)
        low, high = (self.cast(v.text, v.dtype, "int64") for v in (start, stop))
        with self.tally(loop):
            if step.const in (1, -1):
                sign = 1 if step.const == 1 else -1
                looks = self.looks(loop, counted=not _breaks(loop.body))
                if looks is Look.BETWEEN_STRIPS:
                    low, high = self.temp(low), self.temp(high)
                with self.strips(low, high, sign, loop, looks) as (low, high):
                    var = self.names[loop.var]
                    position = f"{var} - {low}" if sign > 0 else f"{low} - {var}"
                    cut = looks is Look.BETWEEN_STRIPS
                    trips = f"{high} - {low}" if sign > 0 else f"{low} - {high}"
                    for _ in self.versions(loop, position) if cut else (None,):
                        bounds = f"{low}, {high}" + ", -1" * (sign < 0)
                        if cut:
                            head = functools.partial(self.head, loop, plain, bounds)
                            self.in_bulk(loop, position, trips, head)
                        self.counted(loop, plain, bounds, looks)
                        self.found = {}
            else:
                held = self.temp(self.cast(step.text, step.dtype, "int64"))
                if not step.const:
                    self.fail_if(f"{held} == 0")
                looks = self.looks(loop, counted=False)
                self.counted(loop, plain, f"{low}, {high}, {held}", looks)

    @abstractmethod
    def fold(self, loop: For) -> None:
        """NumPy's own loop."""

    @abstractmethod
    def product(self, loop: For) -> None:
        """A product of matrices, by BLAS."""

    def counted(self, loop: For, plain: bool, bounds: str, looks: Look) -> None:
        for _ in self.head(loop, plain, bounds):
            self.body(loop, looks)

    def head(self, loop: For, plain: bool, bounds: str) -> Iterator[None]:
        """The head of a loop; what is written while it waits is its body."""
        self.write(f"for {self.names[loop.var]} in {self.order(loop)}({bounds}):")
        before = self.begin(loop, plain)
        with self.indented():
            yield
        self.end(loop, before)

    def order(self, loop: For) -> str:
        """What the iterations of `loop` are taken from; LLVM may know more of them."""
        return "apart_" if loop.id in self.separate else "range"

    def refuse_type(self, loop: For) -> Refused:
        where = Span(self.typed.nest.file, loop.line)
        return Refused(Refusal(Reason.WRONG_TYPE, where, f"range of {loop.var}"))

    @contextmanager
    def deferring(self, loop: For, ran: str = "") -> Generator[None, None, None]:
        """Around a loop: look at what it leaves after it rather than in it.

        Parameters
        ----------
        ran
            Text of whether it has had an iteration, if its bounds do not say so.
        """
        mine = self.lasting(loop) - self.deferred if self.watch is Watch.NOTICE else frozenset()
        updates = [s for s in statements(loop) if isinstance(s, Assign) and s.id in mine]
        for stmt in updates:
            if isinstance(stmt.target, Element):
                dtype = self.typed.array(stmt.target.array).dtype
                self.write(f"kept{stmt.id}_ = {'False' if dtype == 'bool' else f'{dtype}(0)'}")
        self.deferred |= mine
        known = self.deferred | self.unwatched
        new = [t for t in self.trails(loop) if not t.seen & known]
        seen = frozenset().union(*(trail.seen for trail in new))
        self.unwatched |= seen
        yield
        self.unwatched -= seen
        due = [trail for trail in new if trail.seen & self.missed]
        self.missed -= seen
        if due:
            self.write(f"if {ran or self.has_run(loop)}:")
            with self.indented():
                for trail in due:
                    self.look_along(trail)
        self.deferred -= mine
        self.overdue([self.owed.pop(key) for key in sorted(mine & self.owed.keys())])

    def lasting(self, loop: For) -> frozenset[int]:
        """Ids of the assignments in `loop` whose results are still there after it."""
        return sticky(loop)

    def trails(self, loop: For) -> tuple[Trail, ...]:
        """Cells along which each iteration of `loop` goes, to look at after it."""
        if self.watch is not Watch.NOTICE:
            return ()
        return trails(loop, floats(self.typed), self.inside, self.apart)

    def overdue(self, owed: Sequence[tuple[str, str]]) -> None:
        """Look at what a loop has left, given as texts and dtypes."""
        for text, dtype in owed:
            self.notice(text, dtype)

    def has_run(self, loop: For) -> str:
        """Text of whether a loop has had an iteration that leaves its bounds as they are."""
        low, high, step = self.bounds(loop)
        assert isinstance(step.const, int)
        return f"{low.text} {'<' if step.const > 0 else '>'} {high.text}"

    def look_along(self, trail: Trail) -> None:
        """Notice infinities and nans in the cells that stores have left, one after the other."""
        self.looked = True
        target = trail.store.target
        assert isinstance(target, Element)
        before = []
        with ExitStack() as inside:
            for loop in trail.loops:
                plain = self.plainly_bound(loop)
                low, high = (self.cast(v.text, v.dtype, "int64") for v in self.bounds(loop)[:2])
                if loop.id == self.part:
                    first = "" if loop.start == Const(0) else f"{low} + "
                    low, high = f"{first}lo", f"{first}hi"
                self.write(f"for {self.names[loop.var]} in range({low}, {high}):")
                before.append(self.begin(loop, plain))
                inside.enter_context(self.indented())
                if loop is not trail.loops[-1]:
                    self.poll()
            self.notice(self.element(target), self.typed.array(target.array).dtype)
        for loop, plainly in zip(reversed(trail.loops), reversed(before), strict=True):
            self.end(loop, plainly)

    def plainly_bound(self, loop: For) -> bool:
        """Whether the guard can bound the variable of `loop`."""
        around = frozenset(f.var for f in self.loops if self.plain_loops.get(f.var))
        return all(is_plain(self.typed, e, around) for e in (loop.start, loop.stop, loop.step))


def floats(typed: Typed) -> frozenset[str]:
    """Arrays in which something can be infinite or nan."""
    kinds_of = {path: kinds.family(kind.dtype) for path, kind in typed.arrays}
    return frozenset(path for path, kind in kinds_of.items() if kind in ("float", "complex"))


def _breaks(stmts: Sequence[Stmt]) -> bool:
    """Whether a ``break`` of the loop around `stmts` is among them."""
    return any(
        (isinstance(s, Leave) and s.kind == "break")
        or (isinstance(s, If) and any(_breaks(block) for block in blocks(s)))
        for s in stmts
    )
