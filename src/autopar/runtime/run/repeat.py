"""Runs of a program at calls that differ in nothing but what is in their arrays, and in floats."""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from autopar.kernel import Loaded, Status
from autopar.runtime.process import clock
from autopar.runtime.run import pool, spare
from autopar.runtime.run.launch import BRIEF_S, Array, Extents, Launch
from autopar.runtime.run.steps import Recorder, Steps, again
from autopar.runtime.run.transaction import Transaction, Undo


class Repeat:
    """What is to be done again.

    Attributes
    ----------
    heads
        For each kernel, places of what it is handed: among the arrays and numbers of a call, then
        the numbers that are the same each time, then temporaries.
    times
        How often it has been.
    undone_places
        Places there of arrays that must be as before where kernels give up.
    whole
        Whether these are all that kernels write.

    Parameters
    ----------
    names
        Of the arrays and numbers that a call has, in order.
    given
        What numbers are called that are the same each time, and these.
    inputs
        Of the driver; the same each time.
    undone
        Paths of arrays that must be as before where kernels give up.
    extents
        Of the temporaries of the plan.
    brief
        Whether its launches are likely to be over soon, as `Launch.brief`.

    Raises
    ------
    KeyError
        Where kernels are handed something else.
    """

    __slots__ = (
        "brief", "entering", "given", "heads", "inputs", "loaded", "picks", "size", "steps",
        "temporaries", "times", "undone", "undone_places", "undos", "whole",
    )  # fmt: skip

    def __init__(
        self,
        loaded: Loaded,
        names: Sequence[str],
        given: Sequence[tuple[str, int]],
        inputs: Sequence[int],
        undone: Sequence[str],
        extents: Extents = (),
        brief: bool = False,
    ) -> None:
        self.times = 0
        self.steps: dict[int, Steps | None] = {}  # by threads
        self.brief = brief
        self.given = tuple(number for _, number in given)
        kinds = [np.dtype(dtype) for _, dtype, _ in extents]
        shapes = [shape for _, _, shape in extents]
        sizes = [
            kind.itemsize * math.prod(shape) for kind, shape in zip(kinds, shapes, strict=True)
        ]
        starts, self.size = spare.beside(sizes)
        ends = map(operator.add, starts, sizes)
        self.temporaries = list(zip(starts, ends, kinds, shapes, strict=True))
        self.undos: dict[int, list[Undo]] = defaultdict(list)  # of earlier runs, by threads
        places = {name: k for k, name in enumerate(names)}
        places |= {name: len(names) + k for k, (name, _) in enumerate(given)}
        before = len(names) + len(given)
        places |= {path: before + k for k, (path, _, _) in enumerate(extents)}
        self.loaded, self.inputs = loaded, inputs
        self.heads = [
            [places[path] for path in (*kernel.arrays, *kernel.numbers)]
            for kernel in loaded.program.kernels
        ]
        self.picks = list(map(picker, self.heads))
        self.undone_places = [places[path] for path in undone]
        self.whole = not set(loaded.program.written).difference(undone)
        self.undone = picker(self.undone_places) if undone else None
        slots = loaded.program.slots
        self.entering = [(name, places[name]) for name, _ in slots if name in places]

    def run(self, live: Sequence[Any], threads: int) -> Launch | None:
        """A run with these that is done; None, with all as before, where it takes another.

        No earlier run may serve it, or kernels have met what they leave to other kernels.

        Raises
        ------
        MemoryError
            When there is no room for temporaries, or for the copies that undo it; nothing has run
            then.
        """
        loaded = self.loaded
        try:
            launch: Launch = loaded.spare.pop()
        except IndexError:
            return None
        if not launch.serves(threads):
            return None
        room = None
        if self.given:
            live = (*live, *self.given)
        if self.temporaries:
            room = spare.take(self.size)
            live = (*live, *self.beside(room))
        launch.timed = False
        launch.heads = [pick(live) for pick in self.picks]
        if not launch.simple:
            launch.reset({name: live[place] for name, place in self.entering})
        if self.undone is None:
            status = self.drive(launch)
            launch.close()
        else:
            undo = self.begun(self.undone(live), threads)
            try:
                status = self.drive(launch)
            except BaseException:
                if self.whole:
                    undo.roll_back()
                raise
            launch.close()
            if status:
                undo.roll_back()
            undo.close()
            if isinstance(undo, Undo):
                with suppress(MemoryError):  # it has run, and must not a second time
                    self.undos[threads].append(undo)
        if room is not None:
            spare.give(room)
        if status == Status.DONE:
            return launch
        launch.release()
        return None

    def beside(self, room: Array) -> list[Array]:
        """The temporaries of the plan, in `room`."""
        return [
            room[start:end].view(kind).reshape(shape)
            for start, end, kind, shape in self.temporaries
        ]

    def begun(self, arrays: Sequence[Array], threads: int) -> Undo | Transaction:
        """Copies of these as they are."""
        if pool.any_team() is None:
            return Transaction(arrays)
        try:
            undo = self.undos[threads].pop()
        except LookupError:
            undo = Undo([array.nbytes for array in arrays], self.loaded.sharing(threads))
        if undo.begin(arrays):
            return undo
        self.undos[threads].append(undo)
        return Transaction(arrays, undo.threads)

    def drive(self, launch: Launch) -> int:
        """Run the program, step by step as the last time if that is known."""
        launch.brief = self.brief
        try:
            steps = self.steps[launch.threads]
        except KeyError:
            recorder = Recorder(launch)
            status = self.loaded.drive(recorder, *self.inputs)
            self.steps[launch.threads] = recorder.kept() if status == Status.DONE else None
            return status
        before = clock()
        done = None if steps is None else again(launch, steps)
        if steps is None or done is None:
            return self.loaded.drive(launch, *self.inputs)
        if not self.brief and clock() - before < BRIEF_S * steps.count:
            self.brief = True
            self.steps.clear()  # in other chunks from now on
        return done


def picker(places: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What takes those at `places`."""
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda live: [live[k] for k in places]
