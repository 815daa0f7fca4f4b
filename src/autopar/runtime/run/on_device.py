"""Runs one program on a device: the same driver, with kernels that a device runs."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from autopar import config, journal
from autopar.deps.cells import Descriptor
from autopar.device.lower import Source
from autopar.device.opencl import Device, DeviceFailed, Run, find, kernel
from autopar.device.values import Untaken
from autopar.kernel import Loaded, Status
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.run.launch import Launch
from autopar.runtime.values.facts import Values

Part = tuple[Descriptor, ...] | None
"""Cells of an array; None: all of them."""
NO_PARTS: Mapping[str, tuple[Part, Part]] = MappingProxyType({})
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

    __slots__ = ("device", "moved", "places", "run", "scratch", "sources")

    def __init__(
        self,
        device: Device,
        loaded: Loaded,
        sources: Sequence[Source],
        values: Values,
        live_out: tuple[str, ...],
        extents: Sequence[tuple[str, str, int]] = (),
        parts: Mapping[str, tuple[Part, Part]] = NO_PARTS,
    ) -> None:
        super().__init__(loaded, values, _CHUNKS, live_out, extents)
        self.sources = sources
        self.device, self.moved, self.scratch = f"opencl:{device.number}", 0, 0
        arrays: dict[str, Any] = {}
        touched: set[str] = set()
        stored: set[str] = set()
        for about, head, source in zip(loaded.program.kernels, self.heads, sources, strict=True):
            arrays.update(zip(about.arrays, head, strict=False))
            touched.update(p for k, p in enumerate(about.arrays) if k in source.touched)
            stored.update(p for k, p in enumerate(about.arrays) if k in source.written)
        self.places = {path: k for k, path in enumerate(arrays)}
        # Of some arrays kernels only want to know the size; others begin and end with the run.
        made = {path for path, _, _ in extents}
        still = self.places.keys() - touched | made
        written = frozenset(self.places[p] for p in stored - still)
        moving = {self.places[p]: part for p, part in parts.items() if p in self.places}
        moving |= {self.places[p]: ((), ()) for p in still}
        check = config.current().check
        self.run = Run(device, list(arrays.values()), written, moving, check)

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
        if trips == 0:
            return Status.DONE
        about = self.loaded.program.kernels[kernel]
        left = about.cells or about.alarms or about.spans or about.reductions
        chunks = min(trips, _CHUNKS) if left else trips
        if about.cells:
            self.tags[1:] = 0
        status = self.start(kernel, trips, chunks, outer, ())
        if status:
            return status
        if not about.reductions:
            return self._merged(about.cells)
        return self._join(kernel, chunks, {})

    def start(
        self, kernel: int, trips: int, chunks: int, outer: Sequence[int], asked: tuple[Any, ...]
    ) -> int:
        about = self.loaded.program.kernels[kernel]
        places = [self.places[path] for path in about.arrays]
        numbers = self.heads[kernel][len(places) :]
        # Of what chunks leave, a row for what was before and one for each of them.
        small = (*asked, *(rows[: 1 + chunks] for rows in self.tails[kernel]))
        given = (*places, *numbers, *outer)
        return self.run.launch(self.sources[kernel], trips, chunks, given, small)


def run_on_device(
    loaded: Loaded,
    sources: Sequence[Source],
    values: Values,
    live_out: tuple[str, ...],
    extents: Sequence[tuple[str, str, int]],
    inputs: Sequence[int],
    parts: Mapping[str, tuple[Part, Part]] = NO_PARTS,
) -> tuple[int, OnDevice] | str:
    """Status and run, or why there was none; no array has changed unless it is done."""
    try:
        device = aside(functools.partial(_ready, sources))
        launch = OnDevice(device, loaded, sources, values, live_out, extents, parts)
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
