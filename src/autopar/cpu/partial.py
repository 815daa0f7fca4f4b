"""Loops in order whose iterations know a part of an extreme before they begin.

A strip of them takes the steps of the inner loop that come before it together, side by side, as
lanes do.  Then each takes the rest of its steps, and looks at what was found before.
"""

from __future__ import annotations

import numpy as np

from autopar.cpu.lanes import LaneWriter
from autopar.cpu.loops import Look
from autopar.cpu.packs import Range
from autopar.cpu.runs import SHARED, Tiled
from autopar.nest.ir import For, Partial
from autopar.records import dataclass
from autopar.sched.bands import inner_of


@dataclass(frozen=True, slots=True)
class Begun:
    """What is there when the iterations of a strip begin.

    Attributes
    ----------
    strip
        The iterations.
    step
        Text of the first step of the inner loop that they have not taken.
    room
        Where they have their partial extremes.
    """

    partial: Partial
    strip: Range
    step: str
    room: str


@dataclass(slots=True)
class PartialWriter(LaneWriter):
    """Loops of one kernel, some of which look for extremes.

    Attributes
    ----------
    ready
        What there is of the strip at hand.
    """

    ready: Begun | None = None

    def loop(self, loop: For) -> None:
        partial = loop.lanes.partial if loop.lanes is not None else None
        if self.ready is not None and loop.id == self.ready.partial.loop:
            self.rest(loop, self.ready)
        elif partial is not None and self.free and partial.scalar not in self.tagged:
            self.in_parts(loop, partial)
        else:
            LaneWriter.loop(self, loop)

    def in_parts(self, loop: For, partial: Partial) -> None:
        """A loop in strips, each with what was there before it first."""
        assert loop.lanes is not None
        inner, name = inner_of(loop, partial), partial.scalar
        polls = self.looks(loop) is not Look.NOWHERE
        whole = Range(loop, *self.ends(loop))
        plain = self.begin(loop, self.plainly_bound(loop))
        info = np.iinfo(self.storage(name))
        least = info.max if partial.op == "<" else info.min
        for strip in self.strips_of(whole, str(loop.lanes.strip)):
            if polls:
                self.poll()
            tile = Tiled(({},), strip, frozenset((name,)), SHARED)
            (place,) = self.places(tile, name)
            with self.each(strip, strip.low, strip.high):
                self.write(f"lane_ = {self.names[loop.var]} - {strip.low}")
                self.write(f"{place} = {self.storage(name)}({least})")
            self.tile = tile
            with self.deferring(inner), self.ahead(inner):
                step = self.steps_before(inner, strip)
            self.tile = None
            self.ready = Begun(partial, strip, step, place.removesuffix("[lane_]"))
            with self.each(strip, strip.low, strip.high):
                self.nonnegatives.clear()
                self.block(loop.body)
            self.ready = None
        self.nonnegatives.clear()
        self.end(loop, plain)

    def steps_before(self, inner: For, strip: Range) -> str:
        """The steps that come before a strip, some at once; the text of the first that is left."""
        assert inner.lanes is not None
        count, var = inner.lanes.copies, self.names[inner.var]
        first = self.temp(self.ends(inner)[0])
        # From the end of an axis, a step reads what a later iteration stores.
        steps = self.temp(f"max({strip.low} - {first}, 0) // {count} if {first} >= 0 else 0")
        left = self.temp(f"{first} + {steps} * {count}")
        for _ in self.head(inner, self.plainly_bound(inner), f"{first}, {left}, {count}"):
            texts = self.following(var, count)
            self.run(inner.body, tuple({inner.var: text} for text in texts))
        return left

    def rest(self, inner: For, begun: Begun) -> None:
        """The steps that an iteration has not taken, and a look at what came of the others."""
        plain = self.plainly_bound(inner)
        low, high = self.ends(inner)
        low = self.temp(f"max({low}, {begun.step})")
        self.counted(inner, plain, f"{low}, {high}", Look.NOWHERE)
        lane = f"{self.names[begun.strip.loop.var]} - {begun.strip.low}"
        found = self.temp(f"{begun.room}[{lane}]")
        here = self.names[begun.partial.scalar]
        self.write(f"if {found} {begun.partial.op} {here}:")
        self.write(f"    {here} = {found}")
