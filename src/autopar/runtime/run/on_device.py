"""Runs one program on a device: the same driver, with kernels that a device runs."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from autopar import config, journal
from autopar.config import Target
from autopar.deps.cells import Descriptor
from autopar.device.api import Array, Device
from autopar.device.devices import find
from autopar.device.lower import Source
from autopar.device.memory import Box, layout
from autopar.device.run import Run
from autopar.device.values import Untaken
from autopar.kernel import Kernel, Loaded, Reduction, Status
from autopar.nest.ir import HELD
from autopar.records import dataclass
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.run import joins
from autopar.runtime.run.copies import copy
from autopar.runtime.run.launch import Extents, Launch, with_rooms
from autopar.runtime.run.transaction import Transaction
from autopar.runtime.values.facts import Values

Part = tuple[Descriptor, ...] | None
"""Cells of an array; None: all of them."""
Parts = Mapping[str, tuple[Part, Part]]
"""By the path of an array: what comes and what goes."""
NO_PARTS: Parts = MappingProxyType({})
Boxes = Mapping[str, Box]
NO_BOXES: Boxes = MappingProxyType({})
Between = Callable[[int, int], tuple[Parts, Boxes]]
"""What iterations need from one value of the loop variable on and before another, and for which
part of an array there is to be room."""
_NO_ROOM = (
    "its arrays have no room on the device, and it is no one loop of which parts could run there"
)
_MOST_PIECES = 4096  # of a nest that has no room at once
_OWN = 1 << 28  # bytes of arrays that chunks have for themselves
_LARGEST = 1 << 62  # iterations
_JOINED, _PARTS, _FEW = 1 << 24, 1024, 16
"""Bytes of copies that are put together by the host, and how many there are; fewer are no use."""
_CHUNKS, _FEWER, _LEAST = 1 << 15, 1 << 12, 1 << 6
"""Of a loop whose chunks leave something for the host to look at, and those of one that gives them
less than so many iterations each."""

_warned: list[str] = []


@dataclass(frozen=True, slots=True)
class Ready:
    """A program whose kernels a device has.

    Attributes
    ----------
    sources
        The kernels in C.
    mute
        Whether nothing is left beside what is in arrays, by kernels or by the driver, so that the
        host has no part in a run but to start kernels.
    """

    loaded: Loaded
    sources: Sequence[Source]
    device: Device
    mute: bool


def ready(loaded: Loaded, sources: Sequence[Source], target: Target) -> Ready:
    """A program whose kernels the device has compiled.

    Raises
    ------
    DeviceFailed
        There is no device, or it does not take them.
    """
    device = aside(functools.partial(_compiled, sources, target))
    kernels = loaded.program.kernels
    # After a kernel that has given up, those behind it must come to an end all the same.
    mute = all(k.steady for k in kernels) and not loaded.program.slots
    mute = mute and not any(k.asks or k.copied or k.cells or _leaves(k) for k in kernels)
    return Ready(loaded, sources, device, mute)


class OnDevice(Launch):
    """One run on a device.  No array of the user's is changed before all of it is done.

    Attributes
    ----------
    device
        As the report names it.
    moved, scratch
        Bytes of arrays that went over and came back, and bytes of what else kernels need.
    told, ahead
        Cells and what else chunks leave, by their ids: those of which the device has the first
        row, and those of which it has a later one than the host.
    held
        Arrays whose copies have been put together, by their paths, as they are on the device then.
    used, fresh
        Arrays of kernels that have been started, and those of which the nest reads only what it has
        written before.
    """

    __slots__ = (
        "ahead", "arrays", "device", "fresh", "held", "moved", "places", "ready", "run",
        "scratch", "sized", "steady", "still", "told", "used", "written",
    )  # fmt: skip

    def __init__(
        self,
        ready: Ready,
        values: Values,
        live_out: tuple[str, ...],
        extents: Extents = (),
    ) -> None:
        loaded = ready.loaded
        super().__init__(loaded, with_rooms(values, extents), _CHUNKS, live_out)
        self.reusable = False
        self.ready = ready
        self.device, self.moved, self.scratch = ready.device.label, 0, 0
        self.told: set[int] = set()
        self.ahead: dict[int, Array] = {}
        self.held: dict[str, Array] = {}
        self.used: set[str] = set()
        self.fresh: set[str] = set()
        self.steady = all(about.steady for about in loaded.program.kernels)
        arrays: dict[str, Any] = {}
        touched: set[str] = set()
        stored: set[str] = set()
        for about, head, source in zip(
            loaded.program.kernels, self.heads, self.ready.sources, strict=True
        ):
            arrays.update(zip(about.arrays, head, strict=False))
            touched.update(p for k, p in enumerate(about.arrays) if k in source.touched)
            stored.update(p for k, p in enumerate(about.arrays) if k in source.written)
        self.places = {path: k for k, path in enumerate(arrays)}
        self.arrays = list(arrays.values())
        # Of some arrays kernels only want to know the size; others begin and end with the run.
        self.sized = self.places.keys() - touched
        self.still = self.sized | {path for path, _, _ in extents}
        self.written = frozenset(self.places[p] for p in stored - self.still)

    def there(self, parts: Parts, boxes: Boxes = NO_BOXES) -> Run:
        """A run on the device, with what kernels need of the arrays."""
        moving = {self.places[p]: part for p, part in parts.items() if p in self.places}
        moving |= {self.places[p]: ((), ()) for p in self.still}
        self.fresh = self.still | {
            p for p, (come, _) in parts.items() if come is not None and not come
        }
        check = config.current().check
        around = self.around(parts, boxes)
        return Run(self.ready.device, self.arrays, self.written, moving, around, check, _apart)

    def around(self, parts: Parts, boxes: Boxes) -> dict[int, Box]:
        """The boxes of arrays of which no more moves; there is none for a size."""
        known = {p: box for p, box in boxes.items() if None not in parts.get(p, (None,))}
        known |= {p: ((0, -1),) * self.arrays[self.places[p]].ndim for p in self.sized}
        return {self.places[p]: box for p, box in known.items() if p in self.places}

    def fits(self, parts: Parts, boxes: Boxes = NO_BOXES) -> bool:
        """Whether there is room for that on the device."""
        where = layout(self.arrays, self.written, self.around(parts, boxes))
        return self.ready.device.room(where, config.current().device_memory)

    def bring(self, parts: Parts) -> None:
        """Bring over what all kernels need."""
        self.begun(self.there(parts))

    def drive(self, inputs: Sequence[int]) -> int:
        """Have the driver start all kernels, and what comes of it."""
        drive = functools.partial(self.loaded.drive, self, *inputs)
        if not self.ready.mute:
            return drive()
        heads = zip(self.heads, self.loaded.program.kernels, strict=True)
        numbers = [_bits(n) for head, kernel in heads for n in head[len(kernel.arrays) :]]
        return self.run.repeated(drive, self.ready, (*inputs, *numbers))

    def begun(self, run: Run) -> None:
        """A run on the device, which knows nothing of cells yet."""
        self.run = run
        self.told.clear()
        self.ahead.clear()
        self.used.clear()

    @staticmethod
    def rows_for(threads: int) -> int:
        return 1 + _CHUNKS

    def finish(self) -> int:
        """All kernels have been started: their status, after which what they wrote is the user's.

        No array has changed unless they are done.
        """
        status = self.run.status()
        if not status:
            self.settle()
            self.run.back()
        self.moved, self.scratch = self.run.moved, self.run.scratch
        self.run.release()
        return status

    # ------------------------------------------------------------------ what the driver calls

    def serial(self, kernel: int, outer: Sequence[int]) -> int:
        if self.word.cell[0]:
            return Status.STOPPED
        self.start(kernel, 1, 1, outer)
        return self.looked()

    def ask(self, kernel: int, outer: Sequence[int]) -> tuple[int, int, int, int]:
        if self.word.cell[0]:
            return Status.STOPPED, 0, 0, 0
        answer = self.asked  # one, since it has room on the device until the run is over
        self.start(kernel, 1, 1, outer, (answer,))
        status = self.run.status()
        if not status:
            self.run.hear(answer, slice(0, 3))
        first, second, third = answer.tolist()
        return status, first, second, third

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        trips = len(range(start, stop, step))
        if self.word.cell[0]:
            return Status.STOPPED
        return self.iterations(kernel, 0, trips, outer) if trips else Status.DONE

    def flat(
        self, kernel: int, start: int, stop: int, step: int, inner: int, outer: Sequence[int]
    ) -> int:
        trips = len(range(start, stop, step)) * inner
        if trips >= _LARGEST:
            raise Untaken("its loops have more iterations than can be counted")
        return self.parallel(kernel, 0, trips, 1, outer)

    def iterations(self, kernel: int, first: int, trips: int, outer: Sequence[int]) -> int:
        """Status of some iterations of a parallel loop."""
        about = self.loaded.program.kernels[kernel]
        chunks = self.parted(about, trips)
        if not self.leaves(kernel):
            self.start(kernel, trips, chunks, outer, (), first)
            return self.looked()
        chunks = min(chunks, max(_FEWER, min(_CHUNKS, trips // _LEAST)))
        if about.leaves:
            self.tags[1:] = 0
        joined = [r for r in about.copied if not r.private]
        if joined:
            chunks = self.divided(joined, chunks)
        self.start(kernel, trips, chunks, outer, (), first)
        status = self.run.status()
        if status:
            return status
        copies = {r.name: self.run.collected(self.places[r.name], chunks) for r in joined}
        rows = slice(0, 1 + chunks)
        for one in self.tails[kernel]:
            self.run.hear(one, rows)
            self.ahead.pop(id(one), None)
        status = self._join(kernel, chunks, copies) if about.joins else self._merged(about.leaves)
        for name in copies:
            self.run.replace(self.places[name], self.held[name])
        # What its chunks have come to is in the first row of the host's.
        self.told -= {id(one) for one in self.tails[kernel]}
        return status

    def divided(self, joined: Sequence[Reduction], chunks: int) -> int:
        """In how many chunks a loop is cut that update copies of these arrays, which are made.

        Raises
        ------
        Untaken
            These would be large.
        """
        places = {r.name: self.places[r.name] for r in joined}
        each = sum(self.run.each(self.run.layout.places[k].block) for k in places.values())
        most = min(_JOINED, config.current().device_memory or _JOINED) // max(each, 1)
        if most < min(chunks, _FEW):
            names = " and ".join(places)
            raise Untaken(f"each part of the loop would need a {names} of its own, which is large")
        chunks = min(chunks, most, _PARTS)
        self.run.status()  # all that was started before is done
        for reduction in joined:
            k = places[reduction.name]
            held = self.held[reduction.name] = self.run.now(k)
            self.run.divide(k, chunks, joins.copies(reduction, held, 1)[0])
        return chunks

    def accumulated(self, path: str) -> Array:
        return self.held[path]

    def parted(self, about: Kernel, trips: int) -> int:
        """In how many chunks a loop may be cut whose chunks have arrays of their own.

        Raises
        ------
        Untaken
            Their blocks hold other arrays as well.
        """
        where = self.run.layout
        blocks = [where.places[self.places[r.name]].block for r in about.copied]
        if any(where.blocks[block].raw is not None for block in blocks):
            raise Untaken("each part of the loop would need memory of its own that others share")
        each = sum(map(self.run.each, blocks))
        most = min(_OWN, config.current().device_memory or _OWN)
        return min(trips, 1 + most // each) if each else trips

    def start(
        self,
        kernel: int,
        trips: int,
        chunks: int,
        outer: Sequence[int],
        asked: tuple[Array, ...] = (),
        first: int = 0,
    ) -> None:
        """Have a kernel run behind those before."""
        about = self.loaded.program.kernels[kernel]
        places = [self.places[path] for path in about.arrays]
        numbers = self.heads[kernel][len(places) :]
        tails = self.tails[kernel]
        # Chunks leave something in rows of their own: in which, says the table of types.
        rows = 1 + chunks if about.parallel and self.leaves(kernel) else 1
        for one in tails:
            first_row, end = int(id(one) in self.told), rows if one.ndim == 2 else 1
            if first_row < end:
                self.run.tell(one, slice(first_row, end))
            self.told.add(id(one))
        for reduction in about.copied:
            if reduction.private and self.inherits(reduction.name):
                self.run.begin(self.places[reduction.name], chunks - 1)
        self.used.update(about.arrays)
        self.run.launch(
            self.ready.sources[kernel],
            trips,
            chunks,
            (*places, *numbers, *outer),
            (*asked, *tails),
            first,
        )
        if not about.parallel and self.leaves(kernel):
            self.ahead.update((id(one), one) for one in tails)

    def inherits(self, path: str) -> bool:
        """Whether parts of a loop may read what an array of their own held before the loop.

        Not where the nest reads nothing of it that it has not written before, and this is the first
        loop that does anything to it: iterations hand nothing on to one another in it.
        """
        if path.startswith(HELD):
            return False
        return path in self.used or path not in self.fresh

    def leaves(self, kernel: int) -> bool:
        """Whether a kernel leaves something beside what is in arrays."""
        return _leaves(self.loaded.program.kernels[kernel])

    def looked(self) -> int:
        """The status so far, where it must be known before anything else is started."""
        return Status.DONE if self.steady else self.run.status()

    def assign(self, slot: int, value: int, tag: int) -> None:
        super().assign(slot, value, tag)
        name, _ = self.loaded.program.slots[slot]
        cell, tags = self.cells[name], self.tags
        for one, byte, content in ((cell, 0, cell[:1]), (tags, slot, tags[0, slot : slot + 1])):
            if id(one) in self.told:
                self.run.put(one, byte, content)

    def settle(self) -> None:
        """Have on the host what only the device knows of cells and warnings."""
        for one in self.ahead.values():
            self.run.hear(one, slice(0, 1))
        self.ahead.clear()


class InPieces(OnDevice):
    """A run of one kernel, some iterations of its loop after the other: all has no room at once.

    Each piece finds what those before it have left, as in the loop itself, so arrays change
    before all is done; what they were is put back where a piece fails.
    """

    __slots__ = ("between",)

    def __init__(self, between: Between, *given: Any) -> None:
        super().__init__(*given)
        self.between = between

    def bring(self, parts: Parts) -> None:
        """Nothing goes over before it is known which iterations there are."""

    def drive(self, inputs: Sequence[int]) -> int:
        return self.loaded.drive(self, *inputs)

    def finish(self) -> int:
        """All has come back."""
        return Status.DONE

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        return self.flat(kernel, start, stop, step, 1, outer)

    def flat(
        self, kernel: int, start: int, stop: int, step: int, inner: int, outer: Sequence[int]
    ) -> int:
        pieces = self.pieces(range(start, stop, step)) if inner else []
        undo = Transaction(self.arrays[k] for k in self.written)
        try:
            for first, end, parts, boxes in pieces:
                status = self.piece(kernel, first * inner, end * inner, parts, boxes)
                if status:
                    undo.roll_back()
                    return status
        except BaseException:
            undo.roll_back()
            raise
        finally:
            undo.close()
        return Status.DONE

    def piece(self, kernel: int, first: int, end: int, parts: Parts, boxes: Boxes) -> int:
        """The status of iterations from the `first` on."""
        if self.word.cell[0]:
            return Status.STOPPED
        self.begun(self.there(parts, boxes))
        try:
            status = self.iterations(kernel, first, end - first, ()) or self.run.status()
            if any(noted.any() for noted in self.noted.values()):
                status = Status.ALARMED  # in which order, one piece does not know of another
            if not status:
                self.run.back()
        finally:
            self.run.release()
        self.moved += self.run.moved
        self.scratch += self.run.scratch
        return status

    def pieces(self, steps: range) -> list[tuple[int, int, Parts, Boxes]]:
        """Iterations that there is room for, from one number on and before another.

        Parameters
        ----------
        steps
            Where iterations begin, or as many of them as go on together.

        Raises
        ------
        Untaken
            There is none for any.
        """
        trips, count = len(steps), 1
        while count <= min(trips, _MOST_PIECES):
            ends = [k * trips // count for k in range(count + 1)]
            found = []
            for first, end in pairwise(ends):
                after = steps[end] if end < trips else steps.stop
                parts, boxes = self.between(steps[first], after)
                if not self.fits(parts, boxes):
                    break
                found.append((first, end, parts, boxes))
            else:
                return found
            count *= 2
        if not trips:
            return []
        raise Untaken("not even what one part of its loop needs has room on the device")


def run_on_device(
    ready: Ready,
    values: Values,
    live_out: tuple[str, ...],
    extents: Extents,
    inputs: Sequence[int],
    parts: Parts,
    pieces: Callable[[], Between | None],
) -> tuple[int, OnDevice]:
    """Status and run; no array has changed unless it is done.

    Parameters
    ----------
    parts
        Which cells of arrays the nest needs, and which come back.
    pieces
        Asked where there is no room for that: what its iterations need, some after the others; None
        where they cannot run so.

    Raises
    ------
    Untaken, DeviceFailed
        There was none.
    """
    ready.device.check()
    launch = OnDevice(ready, values, live_out, extents)
    if not launch.fits(parts):
        launch.close()
        between = pieces()
        if between is None:
            raise Untaken(_NO_ROOM)
        launch = InPieces(between, ready, values, live_out, extents)
    launch.bring(parts)
    status = launch.drive(inputs)
    launch.close()
    if not status:
        status = launch.finish()
    return status, launch


def _leaves(kernel: Kernel) -> bool:
    """Whether it leaves something beside what is in arrays."""
    return bool(kernel.leaves or kernel.alarms or kernel.spans or kernel.joins)


def _bits(number: Any) -> tuple[type, Any]:
    """What tells a number from all others, zeros of two signs and kinds of nan among them."""
    kind = type(number)
    if kind is int:
        return kind, number
    return kind, struct.pack("d", number) if kind is float else np.asarray(number).tobytes()


def _apart(work: Callable[[], Any]) -> Any:
    """``work()``, which compiles."""

    def alone() -> Any:
        with unnoticed():
            return work()

    return aside(alone)


def _compiled(sources: Sequence[Source], target: Target) -> Device:
    """The device, with these kernels ready to run on it, but for those whose numbers matter."""
    with unnoticed():
        device = find(*target)
        device.copy = copy
        for source in sources:
            if source.bounds and device.gpu:
                continue  # it may have another text at its launch
            device.kernel(source.entry, source.form(each=source.parallel, apart=True))
    return device


def warn(text: str) -> None:
    """Tell the user that the device does not work, once."""
    if not _warned:
        _warned.append(text)
        journal.write(f"warning: {text}; loops run on the CPU")
