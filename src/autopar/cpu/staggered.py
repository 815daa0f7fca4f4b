"""Rows of a sweep that go on together, each some columns behind the one before it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from autopar.cpu.loops import Look, LoopWriter
from autopar.cpu.packs import PackWriter, Range
from autopar.nest.ir import For, Lanes
from autopar.records import dataclass
from autopar.sched.machine import MACHINE


@dataclass(slots=True)
class StaggeredWriter(PackWriter):
    """Loops of one kernel, some of which sweep in several rows."""

    def ends(self, loop: For) -> tuple[str, str]:
        """Where a loop begins and ends."""
        low, high = (self.cast(v.text, v.dtype, "int64") for v in self.bounds(loop)[:2])
        return self.temp(low), self.temp(high)

    @contextmanager
    def each(self, one: Range, low: str, high: str, step: int = 1) -> Generator[None, None, None]:
        """The head of a loop around what is written inside."""
        var = self.names[one.loop.var]
        steps = f", {step}" if step > 1 else ""
        self.write(f"for {var} in range({low}, {high}{steps}):")
        with self.indented():
            self.counter(one.loop)
            yield

    def stagger(self, loop: For, lanes: Lanes) -> None:
        """Rows of a sweep together, each some columns behind the one before it.

        The last rows, at least one, go on alone: they leave what all of them leave.

        References
        ----------
        L. Lamport, "The parallel execution of DO loops", CACM 17(2), 1974: the hyperplane method,
        here for the instructions of one thread.
        """
        (columns,) = loop.body
        assert isinstance(columns, For)
        polls = self.looks(loop) is not Look.NOWHERE
        rows = Range(loop, *self.ends(loop))
        before = self.begin(loop, self.plainly_bound(loop))
        steps = Range(columns, *self.ends(columns))
        count, far = lanes.copies, lanes.behind * (lanes.copies - 1)
        together = f"max({rows.high} - {rows.low} - 1, 0) // {count} * {count}"
        wide = f"{steps.high} - {steps.low} >= {MACHINE.least_columns + far}"
        middle = self.temp(f"{rows.low} + ({together} if {wide} else 0)")
        begun, ended = self.temp(f"{steps.low} + {far}"), self.temp(f"{steps.high} + {far}")
        plain = self.begin(columns, self.plainly_bound(columns))
        with self.each(rows, rows.low, middle, count):
            if polls:
                self.poll()
            self.some_rows(steps, lanes, loop, (steps.low, begun))
            with self.each(steps, begun, steps.high):
                for k in range(count):
                    self.step(steps, lanes, loop, k)
            self.some_rows(steps, lanes, loop, (steps.high, ended))
        self.end(columns, plain)
        self.end(loop, before)
        before = self.begin(loop, self.plainly_bound(loop))
        with self.each(rows, middle, rows.high):
            if polls:
                self.poll()
            LoopWriter.loop(self, columns)
        self.end(loop, before)

    def some_rows(self, steps: Range, lanes: Lanes, rows: For, part: tuple[str, str]) -> None:
        """Steps of those rows that have begun and have not ended."""
        with self.each(steps, *part):
            for k in range(lanes.copies):
                here = self.names[steps.loop.var]
                self.write(
                    f"if {steps.low} + {k * lanes.behind} <= {here}"
                    f" and {here} < {steps.high} + {k * lanes.behind}:"
                )
                with self.indented():
                    self.step(steps, lanes, rows, k)

    def step(self, steps: Range, lanes: Lanes, rows: For, k: int) -> None:
        """One step of the row that is the k-th of those that go on together."""
        names = self.names
        if k:
            self.names = {
                **names,
                rows.var: self.temp(f"{names[rows.var]} + {k}"),
                steps.loop.var: self.temp(f"{names[steps.loop.var]} - {k * lanes.behind}"),
            }
        self.nonnegatives.clear()
        self.block(steps.loop.body)
        self.nonnegatives.clear()
        self.names = names
