"""Runs of a program at calls like earlier ones, each whole in machine code; see `cpu.replay`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from autopar.cpu import team as layout
from autopar.cpu.replay import OTHER, RANG, Call, Item, Replayed
from autopar.kernel import Alarm
from autopar.runtime.run import pool, spare
from autopar.runtime.run.frames import Frames
from autopar.runtime.run.launch import Launch
from autopar.runtime.run.repeat import Repeat
from autopar.runtime.run.steps import Steps
from autopar.runtime.run.transaction import Undo

Array = np.ndarray[Any, Any]

_LARGEST = 1 << 18  # bytes of temporaries, which stay from one call to the next


class NotReplayed(Exception):
    """There is something about the runs that is not done so."""


class Replay:
    """What is to be done again, on as many threads.

    Attributes
    ----------
    clean
        Whether nothing is left of a run that a handler's exception has ended.
    free
        Empty while a thread is at it.
    launch
        Whose memory kernels work with.
    threads
        On how many it is done.

    Parameters
    ----------
    repeat, launch
        What has been done, and a launch of its program that nobody else has.
    places
        Where the tuple of a call has the arrays and numbers that `repeat` is handed.
    like
        What machine code compares a tuple with.
    sample
        The tuple of such a call.

    Raises
    ------
    NotReplayed
        Where that cannot be.
    MemoryError
        Where there is no room.
    """

    __slots__ = (
        "clean", "free", "kept", "launch", "like", "ran", "team", "threads",
        "undo", "undone", "whole",
    )  # fmt: skip

    def __init__(
        self,
        repeat: Repeat,
        launch: Launch,
        places: Sequence[int],
        like: Array,
        sample: tuple[Any, ...],
    ) -> None:
        self.launch, self.threads = launch, launch.threads
        steps, function = repeat.steps.get(self.threads), pool.function()
        if steps is None or function is None or not launch.simple or repeat.size > _LARGEST:
            raise NotReplayed
        self.undone = [places[k] for k in repeat.undone_places]
        self.whole = repeat.whole
        arrays = [sample[place] for place in self.undone]
        if not all(array.flags.forc for array in arrays):
            raise NotReplayed
        self.undo: Undo | None = None
        if arrays:
            sizes = [array.nbytes for array in arrays]
            self.undo = Undo(sizes, repeat.loaded.sharing(self.threads))
        shared = steps.table is not None or any(step.chunks > 1 for step in steps.each)
        shared |= self.undo is not None and self.undo.divided
        self.team = pool.known(self.threads) if shared else None
        if shared and self.team is None:
            raise NotReplayed
        address = 0 if self.team is None else self.team.address
        items = [Item(place) for place in places]
        given = [*items, *repeat.given, *repeat.beside(np.empty(repeat.size, np.uint8))]
        heads = [[given[k] for k in kernel] for kernel in repeat.heads]
        frames = Frames(len(heads))
        replayed = Replayed(
            like,
            None if self.undo is None else self.undo.table,
            self.undone,
            list(_calls(launch, steps, heads, address, frames, sample)),
            0 if steps.table is None else steps.table.address,
            frames.address,
            launch.word.address,
            [memory for memory, _ in launch.bells],
        )
        self.ran = partial(function, address, layout.AGAIN, replayed.address)
        self.like = partial(function, 0, layout.LIKE, like.ctypes.data)
        self.kept = replayed, steps, frames
        self.free = [self]
        self.clean = True

    def run(self, roots: tuple[Any, ...]) -> Sequence[Alarm] | None:
        """What kernels warn of that have run on these; None, with all as before, if they have not.

        Raises
        ------
        MemoryError
            When there is no room for copies; nothing has run then.
        """
        try:
            self.free.pop()
        except IndexError:
            return None
        team = room = None
        try:
            if self.team is not None:
                team = pool.held(self.threads)
                if team is not self.team:  # it is busy, or has been left behind by a fork
                    return None
            if self.undo is not None:
                room = spare.take(self.undo.size)
            self.clean = False
            try:
                said = self.ran(roots, room)
            except BaseException:
                if self.whole and self.like(roots):
                    self.roll_back(roots, room)
                self.silence()
                raise
            if said and said != OTHER:
                return self.heard(said, roots, room)
            self.clean = True
            return () if not said else None
        finally:
            if team is not None:
                team.taken.release()
            if room is not None:
                spare.give(room)
            if self.clean:  # else a handler has raised where nobody was ready for it
                self.free.append(self)

    def heard(self, said: int, roots: tuple[Any, ...], room: Array | None) -> list[Alarm] | None:
        """The same, of kernels that did not come to their end, or have something to warn of."""
        alarms = self.launch.alarms() if said == RANG else None
        if alarms is None:
            self.roll_back(roots, room)
        self.silence()
        return alarms

    def silence(self) -> None:
        """The next run finds all as the first one did."""
        self.launch.silence()
        self.launch.word.cell[0] = 0
        self.clean = True

    def roll_back(self, roots: tuple[Any, ...], room: Array | None) -> None:
        """All arrays are as they were."""
        if self.undo is not None:
            self.undo.arrays, self.undo.room = [roots[place] for place in self.undone], room
            self.undo.roll_back()
            self.undo.arrays, self.undo.room = (), None


def _calls(
    launch: Launch,
    steps: Steps,
    heads: Sequence[Sequence[object]],
    team: int,
    frames: Frames,
    sample: tuple[Any, ...],
) -> Iterator[Call]:
    """The calls of kernels that do `steps`, or note what a table of them runs."""
    word, tails = launch.word.address, launch.tails
    for call, kernel, chunks, trips, outer in steps.each:
        given = (*heads[kernel], *outer, *tails[kernel])
        if chunks > 1:
            yield Call(call, (word, -chunks, team, trips, *given), True)
        elif chunks:
            yield Call(call, (word, 0, 0, trips, *given), False)
        else:
            yield Call(call, (word, *given), False)
    if steps.table is not None:
        for kernel, call, around in steps.table.kernels:
            given = (*heads[kernel], *(0,) * around, *tails[kernel])
            like = [sample[one.place] if isinstance(one, Item) else one for one in given]
            yield Call(call, (word, -1, frames.place(kernel, like), -1, *given), True)
