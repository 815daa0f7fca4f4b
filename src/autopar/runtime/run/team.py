"""Teams of threads that stay awake between the parallel regions of a run; see `cpu.team`."""

from __future__ import annotations

import _thread
import os
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

import numpy as np

from autopar.cpu import team as layout
from autopar.kernel import Status
from autopar.runtime.aside import starts
from autopar.runtime.process import clock

Array: TypeAlias = np.ndarray[Any, Any]

_PATIENCE_S = 1.0  # with threads that are to leave, when the process ends


class Team:
    """Memory that threads look for chunks in, and who is to look.

    Attributes
    ----------
    words
        Its memory, to read a word of.
    taken
        Held by whoever has a launch run; others go without a team.
    started
        How many threads have been since the team was made.
    """

    def __init__(self, threads: int, function: Callable[..., int]) -> None:
        self.threads, self.function = threads, function
        self.taken = _thread.allocate_lock()
        self.started = 0
        room = np.zeros(layout.words(threads) + layout.LINE, np.int64)
        skipped = -(room.ctypes.data // 8) % layout.LINE
        self.memory: Array = room[skipped : skipped + layout.words(threads)]
        self.address: int = self.memory.ctypes.data
        self.words = self.memory.data
        self.memory[layout.THREADS] = threads
        self.memory[layout.PATIENCE] = layout.SPINS
        self.memory[layout.AVOIDED] = -1
        for processor in _processors(threads):
            self.memory[layout.PROCESSORS + processor // 64] |= _BITS[processor % 64]
        function(self.address, layout.BEGIN)

    def gather(self) -> bool:
        """Have all threads there, if there can be as many; by whoever holds `taken`."""
        for _ in range(self.missing()):
            if not starts(self.function, (self.address, layout.SERVE)):
                return False
            self.started += 1
        return True

    def missing(self) -> int:
        """How many threads have to be started for all to take part."""
        return self.threads - 1 - self.started + self.words[layout.LEFT]

    def asleep(self) -> bool:
        """Whether all of its threads sleep."""
        return self.words[layout.ASLEEP] >= self.threads - 1 - self.missing()

    def run(self, call: Callable[..., int], word: int, chunks: int, trips: int, args: Any) -> int:
        """The worst `Status` of all chunks of a kernel.

        By whoever holds `taken`, when all are there.
        """
        return WORST[call(word, -chunks, self.address, trips, *args)]

    def nothing(self) -> None:
        """A launch without work."""
        with self.taken:
            if self.gather():
                self.function(self.address, layout.NOTHING)

    def stir(self) -> None:
        """Wake those that sleep: a launch is about to come."""
        if self.words[layout.ASLEEP]:
            self.function(self.address, layout.STIR)

    def copy(self, table: int, room: Array, arrays: Sequence[Array]) -> bool:
        """Copy `arrays` into `room` by a table; whether all lie in one piece, for else nothing is.

        See `cpu.team.COPY`.

        In more than one part, by whoever holds `taken`, when all threads are there.
        """
        return self.function(self.address, layout.COPY, table, room, *arrays) != layout.GAPS

    def steps(self, rows: int, noted: int, word: int) -> int:
        """The worst `Status` of one parallel loop after the other; addresses as for `STEPS`.

        By whoever holds `taken`, when all are there.
        """
        return WORST[self.function(self.address, layout.STEPS, rows, noted, word)]

    def dismiss(self) -> None:
        """The process ends, and the memory is about to go: wait for all to leave."""
        self.function(self.address, layout.END)
        end = clock() + _PATIENCE_S
        while self.missing() < self.threads - 1 and clock() < end:
            pass


def _processors(threads: int) -> Collection[int]:
    """Numbers of those that a team may be on; none where there are too few for each to have one.

    Nor where nobody can know.
    """
    if not hasattr(os, "sched_getaffinity"):
        return ()
    found = os.sched_getaffinity(0)
    return found if threads <= len(found) and max(found) < layout.MOST_PROCESSORS else ()


_BITS = np.left_shift(1, np.arange(64, dtype=np.uint64)).view(np.int64)


def worst(statuses: Sequence[int]) -> int:
    """What a set of chunks comes to: a failure, then a doubt, then an alarm, then a stop."""
    for status in (Status.FAILED, Status.UNSURE, Status.ALARMED, Status.STOPPED):
        if status in statuses:
            return status
    return Status.DONE


WORST = [worst([status for status in range(5) if bits >> status & 1]) for bits in range(1 << 5)]
"""By the bits that are set for each status that there was."""
