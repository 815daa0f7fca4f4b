"""What a driver has had done, so that the next run with the same inputs needs no driver.

A driver computes ranges, cuts loops into chunks and looks for threads, at each launch.  Where none
of that depends on what kernels find, it comes to the same each time.  Many parallel loops one after
the other, as those in a loop over time, are then gone through by machine code: a launch by the
interpreter takes longer than a sweep through a small array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from autopar.cpu import team as layout
from autopar.kernel import Status
from autopar.runtime.run import pool
from autopar.runtime.run.frames import Frames
from autopar.runtime.run.launch import Launch
from autopar.runtime.run.team import WORST, Team

_MOST, _MOST_IN_TABLE = 1 << 10, 1 << 13
"""Steps that are kept, of a few hundred bytes each, and as rows of a table, of 64."""
_PER_KERNEL = 2
"""Steps with a kernel beyond which it pays to note what it is called with."""


class Step(NamedTuple):
    """One call of a kernel.

    Attributes
    ----------
    chunks
        Into how many a team cuts it; 1: it is on this thread alone; 0: it is no loop of chunks.
    """

    call: Callable[..., int]
    kernel: int
    chunks: int
    trips: int
    outer: Sequence[int]


class Recorder:
    """What a driver calls ``run``: `launch`, of which it notes what it has had it do.

    Attributes
    ----------
    steps
        These; None if they may be others the next time, or have to be done by the launch itself.
    """

    __slots__ = ("launch", "steps")

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.steps: list[Step] | None = []

    def note(self, kernel: int, chunks: int, trips: int, outer: Sequence[int]) -> None:
        if self.steps is None:
            return
        try:
            self.steps.append(Step(self.launch.loaded.calls[kernel], kernel, chunks, trips, outer))
        except MemoryError:  # who runs kernels takes it to say that none has run
            self.steps = None
        else:
            if len(self.steps) > _MOST_IN_TABLE:
                self.steps = None

    def kept(self) -> Steps | None:
        """What is to be done again the next time; None if that has to be found out again."""
        try:
            found = None if self.steps is None else Steps(self.steps, self.launch.threads)
        except MemoryError:  # all has run, and stays so
            return None
        return found if found is not None and (found.each or found.table) else None

    def serial(self, kernel: int, outer: Sequence[int]) -> int:
        self.note(kernel, 0, 0, outer)
        return self.launch.serial(kernel, outer)

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        trips = len(range(start, stop, step))
        about = self.launch.loaded.program.kernels[kernel]
        if trips >= pool.LARGEST or about.reductions or about.leaves:
            self.steps = None
        elif trips:
            self.note(kernel, self.launch.chunks(kernel, trips), trips, outer)
        return self.launch.parallel(kernel, start, stop, step, outer)

    def flat(
        self, kernel: int, start: int, stop: int, step: int, inner: int, outer: Sequence[int]
    ) -> int:
        return self.parallel(kernel, 0, len(range(start, stop, step)) * inner, 1, outer)

    def ask(self, kernel: int, outer: Sequence[int]) -> tuple[int, int, int, int]:
        self.steps = None
        return self.launch.ask(kernel, outer)

    def assign(self, slot: int, value: int, tag: int) -> None:
        if not self.launch.simple:  # else it is read by nobody
            self.steps = None
        self.launch.assign(slot, value, tag)


class Table:
    """Steps as a team goes through them; see `cpu.team.STEPS`.

    Attributes
    ----------
    kernels
        Those that it comes to: number, function, and how many loops are around.
    """

    __slots__ = ("address", "kernels", "rows")

    def __init__(self, steps: Sequence[Step]) -> None:
        rows = np.zeros((len(steps), layout.STEP), np.int64)
        for row, step in zip(rows, steps, strict=True):
            around = len(step.outer)
            row[:4] = step.kernel, step.chunks, step.trips, around
            row[4 : 4 + around] = step.outer
        self.rows = np.concatenate(([len(steps)], rows.ravel()))
        self.address: int = self.rows.ctypes.data
        self.kernels = tuple({(s.kernel, s.call, len(s.outer)): None for s in steps})


class Steps:
    """What has been done, in order.

    Attributes
    ----------
    count
        How many steps these are.
    each
        One by one, where there is no `table`, unless they are too many.
    table
        The same for a team; None where these are few, or no chunks.
    """

    __slots__ = ("count", "each", "table")

    def __init__(self, each: Sequence[Step], threads: int) -> None:
        self.count = len(each)
        known = {step.kernel for step in each}
        fit = all(step.chunks and len(step.outer) <= layout.MOST_AROUND for step in each)
        often = threads > 1 and self.count > _PER_KERNEL * len(known)
        self.table = Table(each) if fit and often else None
        self.each = each if self.table is None and self.count <= _MOST else ()


def again(launch: Launch, steps: Steps) -> int | None:
    """The same once more, with what `launch` has; None, with nothing done, if others are busy."""
    if launch.threads == 1:
        return _one_by_one(launch, steps.each, None)
    team = pool.held(launch.threads)
    if team is None:
        return None
    try:
        table = steps.table
        if table is None:
            return _one_by_one(launch, steps.each, team)
        return team.steps(table.address, _note(launch, table), launch.word.address)
    finally:
        team.taken.release()


def _one_by_one(launch: Launch, steps: Sequence[Step], team: Team | None) -> int:
    address, heads, tails = launch.word.address, launch.heads, launch.tails
    status = Status.DONE
    for call, kernel, chunks, trips, outer in steps:
        given = (*heads[kernel], *outer, *tails[kernel])
        if chunks > 1:
            assert team is not None
            status = WORST[call(address, -chunks, team.address, trips, *given)]
        elif chunks:
            status = call(address, 0, 0, trips, *given)
        else:
            status = call(address, *given)
        if status:
            break
    return status


def _note(launch: Launch, table: Table) -> int:
    """Address of a table of where kernels have noted what they are called with in `launch`."""
    frames = launch.frames
    if frames is None:
        frames = launch.frames = Frames(len(launch.heads))
    for kernel, call, around in table.kernels:
        given = (*launch.heads[kernel], *(0,) * around, *launch.tails[kernel])
        call(launch.word.address, -1, frames.place(kernel, given), -1, *given)
    return frames.address
