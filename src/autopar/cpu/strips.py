"""Strips of a loop that are put back, and run again to name its warnings, when they rang.

See `kernel.Watch.KEEP`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from autopar.cpu.scalar import ScalarWriter
from autopar.kernel import Watch
from autopar.nest.flow import elements_read
from autopar.nest.ir import Assign, Element, For, Leave, Load, Name, While
from autopar.nest.walking import assigned, statements, walk

KEPT_STRIP = 512
"""Iterations between two looks at whether something rang, so that what they overwrite can be kept
in the fastest cache, beside what they read."""


class Run(Enum):
    """One way to write the body of a loop that is cut into strips which can be put back."""

    KEEPING = "keeping"
    UNDOING = "undoing"
    NAMING = "naming"


@dataclass(frozen=True, slots=True)
class Strip:
    """The strip of a loop that is being written.

    Attributes
    ----------
    run
        The way.
    kept
        The store that overwrites what must be kept, if there is one.
    position
        Text of the number of an iteration within its strip.
    sometimes
        Whether some iterations may not come to the store.
    """

    run: Run
    kept: Assign | None
    position: str
    sometimes: bool

    def keeps(self, store: Assign) -> bool:
        """Whether to keep what `store` overwrites, here and now."""
        kept = self.kept is not None and self.kept.id == store.id
        return kept and self.run is Run.KEEPING


@dataclass(slots=True)
class StripWriter(ScalarWriter):
    """What is around the body of a loop that is cut into strips which can be put back.

    Attributes
    ----------
    independent
        Loops whose iterations may run in any order.
    apart
        Whether no array that is written shares memory with another.
    strip
        What is being written of a strip that can be put back.
    rooms
        Buffers for what strips overwrite: for each, its dtype.
    """

    independent: frozenset[int] = frozenset()
    apart: bool = False
    strip: Strip | None = None
    rooms: dict[str, str] = field(default_factory=dict)

    def undoable(self, loop: For) -> bool:
        """Whether a strip of the loop can be run again: each iteration has cells of its own."""
        return (
            self.watch is Watch.KEEP
            and loop.id in self.independent
            and self.overwritten(loop) is not None
        )

    def overwritten(self, loop: For) -> tuple[Assign, ...] | None:
        """The store of `loop`, if any, whose cells must be as before for it to run again.

        None where there are several, or loops inside, or where a cell is not known from the
        iteration alone: other values may have changed since.  What an iteration only reads once
        it has stored it is stored again.
        """
        inside = [inner for stmt in loop.body for inner in statements(stmt)]
        if any(isinstance(s, (For, While)) for s in inside):
            return None
        loaded = elements_read(loop.body)
        stores = [
            (s, s.target) for s in inside if isinstance(s, Assign) and isinstance(s.target, Element)
        ]
        kept = [(s, t) for s, t in stores if t.array in loaded or not self.apart]
        if len(kept) > 1 or any(not _steady(target, loop) for _, target in kept):
            return None
        return tuple(store for store, _ in kept)

    def versions(self, loop: For, position: str) -> Iterator[None]:
        """Once for each version of the loop; usually there is one.

        A strip that can be run again is run to the end by the first version, which notices, and
        keeps what is overwritten and read.  If it rang, the second puts that back and the third
        names.

        Parameters
        ----------
        position
            Text of the number of an iteration within its strip.
        """
        if not self.undoable(loop):
            yield
            return
        kept = next(iter(self.overwritten(loop) or ()), None)
        self.temps += 1
        self.flag, before = f"strange{self.temps}", len(self.lines)
        jumps = any(isinstance(s, Leave) for s in statements(loop))
        sometimes = kept is not None and (kept not in loop.body or jumps)
        strip = Strip(Run.KEEPING, kept, position, sometimes)
        self.watch, self.strip = Watch.NOTICE, strip
        yield
        starts, up = self.flags(self.flag)
        self.lines[before:before] = ["    " * self.depth + line for line in starts]
        self.flag = "odd"
        if starts:
            self.write(f"if {up}:")
            for run, watch in ((Run.UNDOING, Watch.IGNORE), (Run.NAMING, Watch.NAME)):
                self.watch, self.strip = watch, replace(strip, run=run)
                if run is Run.NAMING or kept is not None:
                    with self.indented():
                        yield
        self.watch, self.strip = Watch.KEEP, None

    def keep(self, strip: Strip, place: str) -> None:
        """Before the store of an iteration: keep what is at `place`."""
        kept, done = self.room(strip)
        self.write(f"{kept}[{strip.position}] = {place}")
        if strip.sometimes:
            self.write(f"{done}[{strip.position}] = True")

    def put_back(self, strip: Strip) -> None:
        """The body of an iteration that puts back what it overwrote."""
        assert strip.kept is not None
        assert isinstance(strip.kept.target, Element)
        (kept, done), place = self.room(strip), self.element(strip.kept.target)
        if strip.sometimes:
            self.write(f"if {done}[{strip.position}]:")
        self.write(f"{'    ' * strip.sometimes}{place} = {kept}[{strip.position}]")

    def room(self, strip: Strip) -> tuple[str, str]:
        """Buffers for what the store of a strip overwrites, and for whether it has."""
        assert strip.kept is not None
        assert isinstance(strip.kept.target, Element)
        dtype = self.typed.array(strip.kept.target.array).dtype
        self.rooms[f"kept_{dtype}_"] = dtype
        if strip.sometimes:
            self.rooms["kept_done_"] = "bool"
        return f"kept_{dtype}_", "kept_done_"


def _steady(target: Element, loop: For) -> bool:
    """Whether the cell of `target` follows from the iteration of `loop` alone."""
    parts = [part for index in target.index for part in walk(index)]
    changed = frozenset().union(*(assigned(stmt) for stmt in loop.body))
    read = {part.id for part in parts if isinstance(part, Name)} | {loop.var}
    return not read & changed and not any(isinstance(part, Load) for part in parts)
