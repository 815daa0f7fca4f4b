"""Runs one program on a device: the same driver, with kernels that a device runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from autopar import config, journal
from autopar.deps.cells import Descriptor
from autopar.device.lower import Source
from autopar.device.memory import Box, layout
from autopar.device.opencl import Device, DeviceFailed, Run, find, kernel
from autopar.device.values import Untaken
from autopar.kernel import Loaded, Status
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.run.launch import Launch
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
_CHUNKS = 4096  # of a loop whose chunks leave something for the host to look at

_warned: list[str] = []


class OnDevice(Launch):
    """One run on a device.  No array of the user's is changed before all of it is done.

    Attributes
    ----------
    device
        As the report names it.
    moved, scratch
        Bytes of arrays that went over and came back, and bytes of what else kernels need.
    """

    __slots__ = (
        "about", "arrays", "device", "moved", "places", "run", "scratch", "sized", "sources",
        "still", "written",
    )  # fmt: skip

    def __init__(
        self,
        device: Device,
        loaded: Loaded,
        sources: Sequence[Source],
        values: Values,
        live_out: tuple[str, ...],
        extents: Sequence[tuple[str, str, int]] = (),
    ) -> None:
        super().__init__(loaded, values, _CHUNKS, live_out, extents)
        self.sources, self.about = sources, device
        self.device, self.moved, self.scratch = f"opencl:{device.number}", 0, 0
        arrays: dict[str, Any] = {}
        touched: set[str] = set()
        stored: set[str] = set()
        for about, head, source in zip(loaded.program.kernels, self.heads, sources, strict=True):
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
        check = config.current().check
        around = self.around(parts, boxes)
        return Run(self.about, self.arrays, self.written, moving, around, check, _apart)

    def around(self, parts: Parts, boxes: Boxes) -> dict[int, Box]:
        """The boxes of arrays of which no more moves; there is none for a size."""
        known = {p: box for p, box in boxes.items() if None not in parts.get(p, (None,))}
        known |= {p: ((0, -1),) * self.arrays[self.places[p]].ndim for p in self.sized}
        return {self.places[p]: box for p, box in known.items() if p in self.places}

    def fits(self, parts: Parts, boxes: Boxes = NO_BOXES) -> bool:
        """Whether there is room for that on the device."""
        where = layout(self.arrays, self.written, self.around(parts, boxes))
        return self.about.room(where, config.current().device_memory)

    def bring(self, parts: Parts) -> None:
        """Bring over what all kernels need."""
        self.run = self.there(parts)

    @staticmethod
    def rows_for(threads: int) -> int:
        return 1 + _CHUNKS

    def release(self) -> None:
        """Nothing of it can serve another run."""

    def finish(self) -> None:
        """All kernels are done: what they have written is the user's from here on."""
        self.run.back()
        self.moved, self.scratch = self.run.moved, self.run.scratch

    # ------------------------------------------------------------------ what the driver calls

    def serial(self, kernel: int, outer: Sequence[int]) -> int:
        if self.word.cell[0]:
            return Status.STOPPED
        return self.start(kernel, 1, 1, outer, ())

    def ask(self, kernel: int, outer: Sequence[int]) -> tuple[int, int, int, int]:
        if self.word.cell[0]:
            return Status.STOPPED, 0, 0, 0
        answer = self.answer()
        status = self.start(kernel, 1, 1, outer, (answer,))
        first, second, third = answer.tolist()
        return status, first, second, third

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        trips = len(range(start, stop, step))
        if self.word.cell[0]:
            return Status.STOPPED
        return self.iterations(kernel, 0, trips, outer) if trips else Status.DONE

    def iterations(self, kernel: int, first: int, trips: int, outer: Sequence[int]) -> int:
        """Status of some iterations of a parallel loop."""
        about = self.loaded.program.kernels[kernel]
        left = about.leaves or about.alarms or about.spans or about.reductions
        chunks = min(trips, _CHUNKS) if left else trips
        if about.leaves:
            self.tags[1:] = 0
        status = self.start(kernel, trips, chunks, outer, (), first)
        if status:
            return status
        if not about.reductions:
            return self._merged(about.leaves)
        return self._join(kernel, chunks, {})

    def start(
        self,
        kernel: int,
        trips: int,
        chunks: int,
        outer: Sequence[int],
        asked: tuple[Any, ...],
        first: int = 0,
    ) -> int:
        about = self.loaded.program.kernels[kernel]
        places = [self.places[path] for path in about.arrays]
        numbers = self.heads[kernel][len(places) :]
        # Of what chunks leave, a row for what was before and one for each of them.
        small = (*asked, *(rows[: 1 + chunks] for rows in self.tails[kernel]))
        given = (*places, *numbers, *outer)
        return self.run.launch(self.sources[kernel], trips, chunks, given, small, first)


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

    def finish(self) -> None:
        """All has come back."""

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        trips = len(range(start, stop, step))
        pieces = self.pieces(trips, start, step)
        undo = Transaction(self.arrays[k] for k in self.written)
        try:
            for first, end, parts, boxes in pieces:
                status = self.piece(kernel, first, end, parts, boxes)
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
        self.run = self.there(parts, boxes)
        try:
            status = self.iterations(kernel, first, end - first, ())
            if any(noted.any() for noted in self.noted.values()):
                status = Status.ALARMED  # in which order, one piece does not know of another
            if not status:
                self.run.back()
        finally:
            self.run.release()
        self.moved += self.run.moved
        self.scratch += self.run.scratch
        return status

    def pieces(self, trips: int, start: int, step: int) -> list[tuple[int, int, Parts, Boxes]]:
        """Iterations that there is room for, from one number on and before another.

        Raises
        ------
        Untaken
            There is none for any.
        """
        count = 1
        while count <= min(trips, _MOST_PIECES):
            ends = [k * trips // count for k in range(count + 1)]
            found = []
            for first, end in pairwise(ends):
                parts, boxes = self.between(start + first * step, start + end * step)
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
    loaded: Loaded,
    sources: Sequence[Source],
    values: Values,
    live_out: tuple[str, ...],
    extents: Sequence[tuple[str, str, int]],
    inputs: Sequence[int],
    parts: Parts = NO_PARTS,
    pieces: Callable[[], Between | None] = lambda: None,
) -> tuple[int, OnDevice] | str:
    """Status and run, or why there was none; no array has changed unless it is done.

    Parameters
    ----------
    parts
        Which cells of arrays the nest needs, and which come back.
    pieces
        Asked where there is no room for that: what its iterations need, some after the others; None
        where they cannot run so.
    """
    try:
        device = aside(functools.partial(_ready, sources))
        given = device, loaded, sources, values, live_out, extents
        launch = OnDevice(*given)
        if not launch.fits(parts):
            launch.close()
            between = pieces()
            if between is None:
                raise Untaken(_NO_ROOM)
            launch = InPieces(between, *given)
        launch.bring(parts)
        status = loaded.drive(launch, *inputs)
        launch.close()
        if not status:
            launch.finish()
    except Untaken as untaken:
        return str(untaken)
    except DeviceFailed as failed:
        warn(str(failed))
        return str(failed)
    return status, launch


def _apart(work: Callable[[], Any]) -> Any:
    """``work()``, which compiles."""

    def alone() -> Any:
        with unnoticed():
            return work()

    return aside(alone)


def _ready(sources: Sequence[Source]) -> Device:
    """The device, with these kernels ready to run on it."""
    with unnoticed():
        device = find(config.current().device_number)
        for source in sources:
            kernel(device, source)
    return device


def warn(text: str) -> None:
    """Tell the user that the device does not work, once."""
    if not _warned:
        _warned.append(text)
        journal.write(f"warning: {text}; loops run on the CPU")
