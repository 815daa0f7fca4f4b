"""What a driver has had done, so that the next run with the same inputs needs no driver.

A driver computes ranges, cuts loops into chunks and looks for threads, at each launch.  Where none
of that depends on what kernels find, it comes to the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from autopar.kernel import Status
from autopar.runtime.run import pool
from autopar.runtime.run.launch import Launch
from autopar.runtime.run.team import WORST

_MOST = 1024
"""Steps that are kept, of a few hundred bytes each."""


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
        if self.steps is not None:
            self.steps.append(Step(self.launch.loaded.calls[kernel], kernel, chunks, trips, outer))
            if len(self.steps) > _MOST:
                self.steps = None

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


def again(launch: Launch, steps: Sequence[Step]) -> int | None:
    """The same once more, with what `launch` has; None, with nothing done, if others are busy."""
    address, heads, tails = launch.word.address, launch.heads, launch.tails
    team = None
    if launch.threads > 1:
        team = pool.held(launch.threads)
        if team is None:
            return None
    status = Status.DONE
    try:
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
    finally:
        if team is not None:
            team.taken.release()
    return status
