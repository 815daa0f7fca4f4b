"""Strips of a loop that are put back, and run again to name its warnings, when they rang.

See `kernel.Watch.KEEP`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from autopar.cpu.scalar import ScalarWriter
from autopar.kernel import Watch
from autopar.nest.flow import elements_read
from autopar.nest.ir import Assign, Const, Element, For, Leave, Load, Name, While
from autopar.nest.walking import assigned, statements, walk
from autopar.records import dataclass, field, replace

KEPT_STRIP = 512
"""Iterations between two looks at whether something rang, so that what they overwrite can be kept
in the fastest cache, beside what they read."""

MOST_KEPT = 4
"""Stores of one loop that overwrite what must be kept, each in a buffer of its own."""


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
        The stores that overwrite what must be kept, in the order of the text.
    position
        Text of the number of an iteration within its strip.
    sometimes
        Ids of those that some iterations may not come to.
    """

    run: Run
    kept: tuple[Assign, ...]
    position: str
    sometimes: frozenset[int]

    def keeps(self, store: Assign) -> bool:
        """Whether to keep what `store` overwrites, here and now."""
        return self.run is Run.KEEPING and any(kept.id == store.id for kept in self.kept)


@dataclass(slots=True)
class StripWriter(ScalarWriter):
    """What is around the body of a loop that is cut into strips which can be put back.

    Attributes
    ----------
    independent
        Loops whose iterations may run in any order.
    whole
        Those of them of which no strips are put back: many are short, and copies are cheaper.
    apart
        Whether no array that is written shares memory with another.
    strip
        What is being written of a strip that can be put back.
    rooms
        Buffers for what strips overwrite, and for what else lanes have: dtypes and lengths.
    """

    independent: frozenset[int] = frozenset()
    whole: frozenset[int] = frozenset()
    apart: bool = False
    strip: Strip | None = None
    rooms: dict[str, tuple[str, int]] = field(default_factory=dict)

    def buffer(self, name: str, dtype: str, length: int = KEPT_STRIP) -> None:
        """Have a buffer of that name, of so many elements; loops that share it may need more."""
        before = self.rooms[name][1] if name in self.rooms else 0
        self.rooms[name] = dtype, max(length, before)

    def undoable(self, loop: For) -> bool:
        """Whether a strip of the loop can be run again: each iteration has cells of its own."""
        return (
            self.watch is Watch.KEEP
            and loop.id in self.independent - self.whole
            and self.overwritten(loop) is not None
        )

    def rows(self, loop: For) -> tuple[For, ...]:
        """The loops that `loop` is nothing but a nest of, if what they store may be stored again.

        Where rows are short, a look after each of them takes as long as the row: a strip is
        then some rows.
        """
        found: list[For] = []
        around = loop
        while True:
            match around.body:
                case (For(step=Const(value=1), fold=False, product=False, lanes=None) as inner,):
                    pass
                case _:
                    break
            bounds = [part for bound in (inner.start, inner.stop) for part in walk(bound)]
            named = {part.id for part in bounds if isinstance(part, Name)}
            loaded = any(isinstance(part, Load) for part in bounds)
            if named & assigned(loop) or loaded or inner.id not in self.independent - self.whole:
                return ()
            found.append(inner)
            around = inner
        innermost = found and not any(isinstance(s, (For, While)) for s in around.body)
        return tuple(found) if innermost and self.overwritten(around) == () else ()

    def overwritten(self, loop: For) -> tuple[Assign, ...] | None:
        """The stores of `loop` whose cells must be as before for it to run again.

        None where there are many, or loops inside, or where a cell is not known from the
        iteration alone: other values may have changed since.  What an iteration only reads once
        it has stored it is stored again.
        """
        inside = [inner for stmt in loop.body for inner in statements(stmt)]
        if any(isinstance(s, (For, While)) for s in inside):
            return () if self.rows(loop) else None
        loaded = elements_read(loop.body)
        stores = [
            (s, s.target) for s in inside if isinstance(s, Assign) and isinstance(s.target, Element)
        ]
        kept = [(s, t) for s, t in stores if t.array in loaded or not self.apart]
        if len(kept) > MOST_KEPT or any(not _steady(target, loop) for _, target in kept):
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
        kept = self.overwritten(loop) or ()
        self.temps += 1
        self.flag, before = f"strange{self.temps}", len(self.lines)
        jumps = any(isinstance(s, Leave) for s in statements(loop))
        sometimes = frozenset(store.id for store in kept if jumps or store not in loop.body)
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
                if run is Run.NAMING or kept:
                    with self.indented():
                        yield
        self.watch, self.strip = Watch.KEEP, None

    def begun(self, strip: Strip) -> None:
        """At the start of an iteration: it has come to none of the stores so far."""
        for store in strip.kept:
            if store.id in strip.sometimes:
                self.write(f"{self.room(strip, store)[1]}[{strip.position}] = False")

    def keep(self, strip: Strip, store: Assign, place: str) -> None:
        """Before `store` in an iteration: keep what is at `place`."""
        kept, done = self.room(strip, store)
        self.write(f"{kept}[{strip.position}] = {place}")
        if store.id in strip.sometimes:
            self.write(f"{done}[{strip.position}] = True")

    def put_back(self, strip: Strip) -> None:
        """The body of an iteration that puts back what it overwrote, what came last first."""
        for store in reversed(strip.kept):
            assert isinstance(store.target, Element)
            (kept, done), place = self.room(strip, store), self.element(store.target)
            sometimes = store.id in strip.sometimes
            if sometimes:
                self.write(f"if {done}[{strip.position}]:")
            self.write(f"{'    ' * sometimes}{place} = {kept}[{strip.position}]")

    def room(self, strip: Strip, store: Assign) -> tuple[str, str]:
        """Buffers for what `store` overwrites in a strip, and for whether it has."""
        assert isinstance(store.target, Element)
        dtype = self.typed.array(store.target.array).dtype
        number = [kept.id for kept in strip.kept].index(store.id)
        kept, done = f"kept{number}_{dtype}_", f"kept{number}_done_"
        self.buffer(kept, dtype)
        if store.id in strip.sometimes:
            self.buffer(done, "bool")
        return kept, done


def _steady(target: Element, loop: For) -> bool:
    """Whether the cell of `target` follows from the iteration of `loop` alone."""
    parts = [part for index in target.index for part in walk(index)]
    changed = frozenset().union(*(assigned(stmt) for stmt in loop.body))
    read = {part.id for part in parts if isinstance(part, Name)} | {loop.var}
    return not read & changed and not any(isinstance(part, Load) for part in parts)
