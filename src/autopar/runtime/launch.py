"""Runs one program: driver, kernels, chunks, and the cells that scalars travel in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autopar.kernel import Alarm, Kernel, Loaded, Program, Status
from autopar.nest import kinds
from autopar.runtime import pool
from autopar.runtime.facts import Values
from autopar.runtime.site import UNSET
from autopar.sched.machine import MACHINE

_words: list[pool.Word] = []  # not in use


def _word() -> pool.Word:
    try:
        return _words.pop()
    except IndexError:
        return pool.Word()


class Launch:
    """One run of a loaded program; what the driver calls ``run``."""

    def __init__(
        self, loaded: Loaded, values: Values, threads: int, live_out: tuple[str, ...]
    ) -> None:
        self.loaded, self.values, self.threads = loaded, values, threads
        self.live_out = live_out
        program = loaded.program
        self.word = _word()
        self.rows = 2 if threads == 1 else 1 + threads * MACHINE.chunks_per_thread
        self.cells: dict[str, np.ndarray[Any, Any]] = {}
        self.index = loaded.index
        if program.slots:
            self.tags = np.zeros((self.rows, len(program.slots)), np.int8)
        arrays, numbers = values.arrays, values.numbers
        for name, dtype in program.slots:
            self.cells[name] = cell = np.zeros(self.rows, dtype)
            if name in numbers:
                cell[0] = numbers[name]
                atom = kinds.atom_of(numbers[name])
                assert atom is not None, name
                self.tags[0, self.index[name]] = kinds.tag(atom)
        self.noted: dict[int, np.ndarray[Any, Any]] = {}
        self.heads: list[list[Any]] = []
        self.tails: list[tuple[Any, ...]] = []
        for number, kernel in enumerate(program.kernels):
            head = [arrays[p] for p in kernel.arrays]
            head += [numbers[p] for p in kernel.numbers]
            self.heads.append(head)
            self.tails.append(self._tail(number, kernel))

    def _tail(self, number: int, kernel: Kernel) -> tuple[Any, ...]:
        tail: tuple[Any, ...] = ()
        if kernel.cells:
            tail = (self.tags, *[self.cells[c] for c in kernel.cells])
        if kernel.alarms:
            noted = np.zeros((self.rows, len(kernel.alarms)), np.int8)
            self.noted[number] = noted
            tail = (*tail, noted)
        return tail

    def close(self) -> None:
        """The run is over; its word may serve another."""
        self.word.cell[0] = 0
        _words.append(self.word)

    # ------------------------------------------------------------------ what the driver calls

    def serial(self, kernel: int, outer: Sequence[int]) -> int:
        if self.word.cell[0]:  # a kernel without loops does not look
            return Status.STOPPED
        return self.loaded.calls[kernel](
            self.word.address, *self.heads[kernel], *outer, *self.tails[kernel]
        )

    def ask(self, kernel: int, outer: Sequence[int]) -> tuple[int, int, int, int]:
        """Status, and the three integers that the kernel answers."""
        if self.word.cell[0]:
            return Status.STOPPED, 0, 0, 0
        answer = np.zeros(3, np.int64)
        status = self.loaded.calls[kernel](
            self.word.address, *self.heads[kernel], *outer, answer, *self.tails[kernel]
        )
        first, second, third = answer.tolist()
        return status, first, second, third

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        trips = len(range(start, stop, step))
        if trips == 0:
            return Status.STOPPED if self.word.cell[0] else Status.DONE
        call, address = self.loaded.calls[kernel], self.word.address
        args = (*self.heads[kernel], *outer, *self.tails[kernel])
        cells = self.loaded.program.kernels[kernel].cells
        if cells:
            self.tags[1:] = 0
        chunks = 1
        if self.threads == 1:
            status = call(address, 0, 0, trips, *args)
        else:
            chunks = min(trips, self.rows - 1)

            def task(chunk: int) -> int:
                low, high = chunk * trips // chunks, (chunk + 1) * trips // chunks
                return call(address, chunk, low, high, *args)

            status = pool.run(task, chunks, self.threads, self.word)
        if not status:
            for name in cells:
                self._merge(name, chunks)
        return status

    def _merge(self, name: str, chunks: int) -> None:
        """Row 0 takes the value of the last chunk that assigned the scalar."""
        slot = self.index[name]
        tags, cell = self.tags, self.cells[name]
        for row in range(chunks, 0, -1):
            if tags[row, slot]:
                tags[0, slot] = tags[row, slot]
                cell[0] = cell[row]
                return

    def assign(self, slot: int, value: int, tag: int) -> None:
        name = self.loaded.program.slots[slot][0]
        self.cells[name][0] = value
        self.tags[0, slot] = tag

    # ------------------------------------------------------------------ results

    def results(self) -> tuple[Any, ...]:
        """Final values of the live-out names, with the types that CPython would have left."""
        return tuple([self._result(name) for name in self.live_out])

    def _result(self, name: str) -> Any:
        tag = int(self.tags[0, self.index[name]])
        if tag == 0:
            return UNSET
        atom = kinds.ATOMS[tag - 1]
        value = self.cells[name][0]
        if kinds.is_python(atom):
            return kinds.PYTHON[atom](value)
        return np.dtype(kinds.dtype(atom)).type(value)

    def alarms(self) -> list[Alarm]:
        """The warnings that the kernels have named, by chunk and line."""
        rang: dict[Alarm, tuple[int, int, Alarm]] = {}
        for number, noted in self.noted.items():
            alarms = self.loaded.program.kernels[number].alarms
            for row, column in np.argwhere(noted).tolist() if noted.any() else ():
                when = (number, row, alarms[column])
                rang[alarms[column]] = min(rang.get(alarms[column], when), when)
        return sorted(rang, key=lambda alarm: rang[alarm])


def exact(program: Program, values: Values) -> str | None:
    """The first live-in scalar whose value its cell would change, or None."""
    for name, dtype in program.slots:
        if name in values.numbers:
            number = values.numbers[name]
            held = np.zeros(1, dtype)
            try:
                with np.errstate(all="ignore"):
                    held[0] = number
            except (OverflowError, TypeError):
                return name
            # In the number's own type: comparing an int with a float would round it first.
            if type(number)(held.item()) != number and number == number:
                return name
    return None
