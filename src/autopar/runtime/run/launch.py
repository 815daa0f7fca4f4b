"""Runs one program: driver, kernels, chunks, and the cells that scalars travel in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from autopar.kernel import Alarm, Kernel, Loaded, Program, Status
from autopar.nest import kinds
from autopar.records import replace
from autopar.runtime.process import UNSET, clock
from autopar.runtime.run import joins, pool
from autopar.runtime.run.frames import Frames
from autopar.runtime.run.own import Copies, Own, table
from autopar.runtime.values.facts import Values
from autopar.sched.machine import MACHINE

Array: TypeAlias = np.ndarray[Any, Any]
Extents: TypeAlias = Sequence[tuple[str, str, tuple[int, ...]]]
"""Path, dtype and shape of each temporary of a plan."""

_words: list[pool.Word] = []  # not in use
NOTHING = Values({}, {}, {})
"""What a run works on that is over."""

# Python's numbers that a cell of that dtype holds whatever they are.
_HOLDS: dict[type, str] = {float: "float64", bool: "bool", complex: "complex128"}


def _word() -> pool.Word:
    try:
        return _words.pop()
    except IndexError:
        return pool.Word()


def launched(
    loaded: Loaded,
    values: Values,
    threads: int,
    live_out: tuple[str, ...],
    timed: bool = False,
) -> Launch:
    """A run that is about to begin; `Launch.release` gives it back."""
    if loaded.spare:
        try:
            found: Launch = loaded.spare.pop()
        except IndexError:  # another thread was faster
            return Launch(loaded, values, threads, live_out, timed)
        if found.serves(threads):
            found.begin(values, timed)
            return found
    return Launch(loaded, values, threads, live_out, timed)


def with_rooms(values: Values, extents: Extents) -> Values:
    """`values` with memory for the temporaries of a plan.

    Raises
    ------
    MemoryError
        When there is none.
    """
    if not extents:
        return values
    rooms = {path: np.empty(shape, dtype) for path, dtype, shape in extents}
    return replace(values, arrays=values.arrays | rooms)


def simple(program: Program, live_out: Sequence[str]) -> bool:
    """Whether kernels are handed nothing but what a call has, and leave arrays and warnings."""
    more = (k.cells or k.spans or k.joins for k in program.kernels)
    return not any(more) and not any(name in live_out for name, _ in program.slots)


def reusable(program: Program) -> bool:
    """Whether what a run takes can serve another: no copies of arrays that chunks add to."""
    copied = (reduction for kernel in program.kernels for reduction in kernel.copied)
    return all(reduction.private for reduction in copied)


def _rows(threads: int) -> int:
    """One for what was before the run, and one for each chunk."""
    return 2 if threads == 1 else 1 + threads * MACHINE.chunks_per_thread


BRIEF_S = 1e-4
"""Launches that take longer are better cut into more parts than there are threads: a part that
another thread takes over costs less than waiting for it."""


class Launch:
    """One run of a loaded program; what the driver calls ``run``.

    Attributes
    ----------
    simple
        Whether there is nothing in it but the arguments of kernels and what they warn of.
    reusable
        Whether it can serve another run.
    brief
        Whether its parallel loops are over so soon that what a thread has in its cache must stay
        there: each has one part, the same each time, if all parts take as long.
    asked
        Room for the three integers that a kernel answers.
    frames
        Memory in which kernels note what they are called with, if some have.
    bells
        Memory in which kernels note what they warn of, and the same where they warn of nothing.
    """

    __slots__ = (
        "asked", "bells", "brief", "cells", "frames", "heads", "index", "live_out", "loaded",
        "noted", "own", "reusable", "rows", "seconds", "simple", "spans", "tags", "tails",
        "threads", "timed", "unset", "values", "word",
    )  # fmt: skip

    def __init__(
        self,
        loaded: Loaded,
        values: Values,
        threads: int,
        live_out: tuple[str, ...],
        timed: bool = False,
    ) -> None:
        self.loaded, self.values, self.threads = loaded, values, threads
        self.live_out, self.unset = live_out, (UNSET,) * len(live_out)
        self.timed, self.seconds = timed, 0.0  # in kernels that run in order
        self.brief = False
        self.frames: Frames | None = None
        self.asked = np.zeros(3, np.int64)
        program = loaded.program
        self.word = _word()
        self.rows = self.rows_for(threads)
        self.index = loaded.index
        self.simple = simple(program, live_out)
        self.reusable = reusable(program)
        self.bells: list[tuple[bytearray, bytes]] = []
        if program.slots:
            self.tags = np.zeros((self.rows, len(program.slots)), np.int8)
        arrays, numbers = values.arrays, values.numbers
        self.cells = {name: np.zeros(self.rows, dtype) for name, dtype in program.slots}
        self.enter(numbers)
        self.own: dict[tuple[int, int], Own] = {}  # by kernel and chunks, from before
        self.noted: dict[int, Array] = {}
        self.spans: dict[int, Array] = {}
        self.heads: list[Sequence[Any]] = []
        self.tails: list[tuple[Any, ...]] = []
        for number, kernel in enumerate(program.kernels):
            head = [arrays[p] for p in kernel.arrays]
            head += [numbers[p] for p in kernel.numbers]
            self.heads.append(head)
            self.tails.append(self._tail(number, kernel))

    @staticmethod
    def rows_for(threads: int) -> int:
        """Of the cells of scalars, and of what else each chunk leaves."""
        return _rows(threads)

    @property
    def rang(self) -> bool:
        """Whether kernels have warned of anything."""
        return any(memory != silent for memory, silent in self.bells)

    def serves(self, threads: int) -> bool:
        """Make it one on so many threads; whether it has the rooms for that."""
        if self.threads != threads:
            rows = _rows(threads)
            if rows != self.rows and (self.bells or self.cells):
                return False
            self.threads, self.rows = threads, rows
        return True

    def begin(self, values: Values, timed: bool) -> None:
        """Serve another run."""
        self.values, self.timed, self.seconds = values, timed, 0.0
        self.brief = False
        arrays, numbers = values.arrays, values.numbers
        for kernel in self.loaded.program.kernels:
            head = [arrays[p] for p in kernel.arrays]
            if kernel.numbers:
                head += [numbers[p] for p in kernel.numbers]
            self.heads.append(head)
        if not self.simple:
            self.reset(numbers)

    def reset(self, numbers: Mapping[str, Any]) -> None:
        """All scalars are as they are before a nest that is handed these."""
        for room in (*self.cells.values(), *self.spans.values()):
            room[:] = 0
        if self.cells:
            self.tags[:] = 0
            self.enter(numbers)

    def enter(self, numbers: Mapping[str, Any]) -> None:
        """Scalars that the nest is handed have the values of these."""
        for name, cell in self.cells.items():
            if name in numbers:
                cell[0] = numbers[name]
                atom = kinds.atom_of(numbers[name])
                assert atom is not None, name
                self.tags[0, self.index[name]] = kinds.tag(atom)

    def release(self) -> None:
        """The run is over, and so is the use of what it worked on."""
        self.heads = []
        self.values = NOTHING
        self.silence()
        self.loaded.spare.append(self)

    def silence(self) -> None:
        """Kernels have warned of nothing."""
        for memory, silent in self.bells:
            memory[:] = silent

    def _tail(self, number: int, kernel: Kernel) -> tuple[Any, ...]:
        tail: tuple[Any, ...] = ()
        if kernel.cells:
            tail = (self.tags, *[self.cells[c] for c in kernel.cells])
        if kernel.alarms:
            silent = bytes(self.rows * len(kernel.alarms))
            self.bells.append((memory := bytearray(silent), silent))
            noted = np.frombuffer(memory, np.int8).reshape(self.rows, len(kernel.alarms))
            self.noted[number] = noted
            tail = (*tail, noted)
        if kernel.spans:
            self.spans[number] = np.zeros((self.rows, 2 * len(kernel.spans)), np.int64)
            tail = (*tail, self.spans[number])
        return tail

    def close(self) -> None:
        """The run is over; its word may serve another."""
        self.word.cell[0] = 0
        if not self.reusable:
            _words.append(self.word)

    # ------------------------------------------------------------------ what the driver calls

    def serial(self, kernel: int, outer: Sequence[int]) -> int:
        if self.word.cell[0]:  # a kernel without loops does not look
            return Status.STOPPED
        if kernel in self.loaded.multiplying:
            with pool.resting(self.threads):
                return self._in_order(kernel, outer)
        return self._in_order(kernel, outer)

    def _in_order(self, kernel: int, outer: Sequence[int]) -> int:
        if not self.timed:
            return self.loaded.calls[kernel](
                self.word.address, *self.heads[kernel], *outer, *self.tails[kernel]
            )
        args = (*self.heads[kernel], *outer, *self.tails[kernel])
        before = clock()
        status = self.loaded.calls[kernel](self.word.address, *args)
        self.seconds += clock() - before
        return status

    def ask(self, kernel: int, outer: Sequence[int]) -> tuple[int, int, int, int]:
        """Status, and the three integers that the kernel answers."""
        if self.word.cell[0]:
            return Status.STOPPED, 0, 0, 0
        before = clock() if self.timed else 0.0
        status = self.loaded.calls[kernel](
            self.word.address, *self.heads[kernel], *outer, self.asked, *self.tails[kernel]
        )
        if self.timed:
            self.seconds += clock() - before
        first, second, third = self.asked.tolist()
        return status, first, second, third

    def parallel(self, kernel: int, start: int, stop: int, step: int, outer: Sequence[int]) -> int:
        trips = len(range(start, stop, step))
        if trips == 0:
            return Status.STOPPED if self.word.cell[0] else Status.DONE
        call, address = self.loaded.calls[kernel], self.word.address
        if self.simple and self.threads == 1:
            return call(address, 0, 0, trips, *self.heads[kernel], *outer, *self.tails[kernel])
        args = (*self.heads[kernel], *outer, *self.tails[kernel])
        about = self.loaded.program.kernels[kernel]
        if about.leaves:
            self.tags[1:] = 0
        if not about.reductions:
            return self._apart(kernel, args, trips) or self._merged(about.leaves)
        if not about.joins:
            return self._privately(kernel, args, trips) or self._merged(about.leaves)
        chunks = min(trips, self.threads if about.copied else self.most(about))
        copies = self._copies(about, chunks, args)
        if not copies:
            status = pool.chunks(call, self.word, args, chunks, trips, self.threads)
        else:
            rows = table(about, copies, args)
            address = 0 if rows is None else rows.ctypes.data
            status = self._with(kernel, args, trips, chunks, address, lambda: copies)
        return status or self._join(kernel, chunks, copies)

    def flat(
        self, kernel: int, start: int, stop: int, step: int, inner: int, outer: Sequence[int]
    ) -> int:
        """Iterations of loops that are one range: `inner` in each one of the outermost loop."""
        return self.parallel(kernel, 0, len(range(start, stop, step)) * inner, 1, outer)

    def _apart(self, kernel: int, args: tuple[Any, ...], trips: int) -> int:
        """Run chunks that have nothing to do with each other."""
        call, grain = self.loaded.calls[kernel], self.loaded.program.kernels[kernel].grain
        chunks = self.chunks(kernel, trips)
        return pool.chunks(call, self.word, args, chunks, trips, self.threads, grain)

    def chunks(self, kernel: int, trips: int) -> int:
        """Into how many parts a loop is cut whose iterations have nothing to do with each other."""
        about, threads = self.loaded.program.kernels[kernel], self.threads
        chunks, least = min(trips, self.most(about)), about.least
        if trips < chunks * least:
            chunks = min(trips, threads * max(1, trips // (threads * least)))
        return chunks

    def most(self, about: Kernel) -> int:
        """The most parts that a loop is cut into."""
        if self.threads == 1:
            return 1
        return self.threads if self.brief and about.even else self.rows - 1

    def _privately(self, kernel: int, args: tuple[Any, ...], trips: int) -> int:
        """Run chunks with arrays of their own, of which the last one has those of the call."""
        about, chunks = self.loaded.program.kernels[kernel], min(trips, self.threads)
        if chunks > 1:
            try:
                own = self.own.pop((kernel, chunks), None)
                if own is None or not own.serves(args):
                    own = Own(about, chunks, args)
                own.begin(args)
            except MemoryError:
                chunks = 1  # there is nothing to join, and no need of copies without other chunks
        if chunks == 1:
            return self.loaded.calls[kernel](self.word.address, 0, 0, trips, *args)
        assert own is not None
        copies = functools.partial(own.copies, args)
        status = self._with(kernel, args, trips, chunks, own.address, copies)
        if own.small:
            with suppress(MemoryError):  # it has run, and must not a second time
                self.own[kernel, chunks] = own
        return status

    def _with(
        self,
        kernel: int,
        args: tuple[Any, ...],
        trips: int,
        chunks: int,
        table: int,
        found: Callable[[], Copies],
    ) -> int:
        """Run chunks each of which has arrays of its own.

        Parameters
        ----------
        table
            Address of a table of these; 0: there is none.
        found
            What finds them, where they cannot be had from a table.
        """
        call, address = self.loaded.calls[kernel], self.word.address
        if table and chunks > 1:
            more = *args, table
            status = pool.together(call, self.word, more, chunks, trips, self.threads)
            if status is not None:
                return status
        arrays, copies = self.loaded.program.kernels[kernel].arrays, found()

        def task(chunk: int) -> int:
            low, high = chunk * trips // chunks, (chunk + 1) * trips // chunks
            private = {path: parts[chunk] for path, parts in copies.items()}
            own = [private.get(p, a) for p, a in zip(arrays, args, strict=False)]
            return call(address, chunk, low, high, *own, *args[len(own) :])

        return pool.run(task, chunks, self.threads, self.word)

    # ------------------------------------------------------------------ joining chunks

    def _merged(self, leaves: Sequence[str]) -> int:
        """Scalars have their final values; rows of chunks that were not run are empty."""
        for name in leaves:
            self._merge(name, self.rows - 1)
        return Status.DONE

    def _copies(self, about: Kernel, chunks: int, args: Sequence[Any]) -> Copies:
        """For each chunk the arrays that it updates in place of the user's."""
        found = {}
        for reduction in about.copied:
            array = args[about.arrays.index(reduction.name)]
            found[reduction.name] = joins.copies(reduction, array, chunks)
        return found

    def _join(self, kernel: int, chunks: int, copies: Copies) -> int:
        """What the chunks come to together; nothing is changed unless all of it is sure."""
        about = self.loaded.program.kernels[kernel]
        rows, held = range(1, chunks + 1), self.tags.tolist() if about.cells else []
        spans = self.spans.get(kernel)
        known: dict[str, tuple[int, Any]] = {}
        own: set[str] = set()
        for reduction in about.reductions:
            name, span = reduction.name, None
            if reduction.private:
                continue  # nothing to join
            if name in about.spans and spans is not None:
                k = 2 * about.spans.index(name)
                span = spans[:, k : k + 2]
            if reduction.array:
                array = self.accumulated(name)
                parts = copies[name]
                if span is not None and not joins.fits(reduction.op, array, parts, span):
                    return Status.UNSURE
                if joins.tied(reduction, array, parts):
                    return Status.UNSURE
                continue
            tags = [row[self.index[name]] for row in held]
            own |= {name, *reduction.taken}
            if reduction.chooses:
                row = joins.chosen(reduction, tags, self.cells[name], rows)
                if row is None:
                    return Status.UNSURE
                for taken in (name, *reduction.taken) if row else ():
                    if taken in self.cells:
                        known[taken] = held[row][self.index[taken]], self.cells[taken][row]
                continue
            found = joins.total(reduction, tags, self.cells[name], rows, span)
            if found is None:
                return Status.UNSURE
            known[name] = found
        for name, (tag, value) in known.items():
            self.cells[name][0] = value
            self.tags[0, self.index[name]] = tag
        for name in about.leaves:
            if name not in own:
                self._merge(name, chunks)
        for reduction in about.copied:
            if reduction.private:
                continue
            array = self.accumulated(reduction.name)
            joins.gather(reduction, array, copies[reduction.name])
        return Status.DONE

    def accumulated(self, path: str) -> Array:
        """The array that its copies are put together in."""
        return self.values.arrays[path]

    def _merge(self, name: str, chunks: int) -> None:
        """Row 0 takes the value of the last chunk that assigned the scalar."""
        slot, tags, cell = self.index[name], self.tags, self.cells[name]
        (left,) = tags[1 : 1 + chunks, slot].nonzero()
        if left.size:
            row = 1 + left[-1]
            tags[0, slot] = tags[row, slot]
            cell[0] = cell[row]

    def assign(self, slot: int, value: int, tag: int) -> None:
        name = self.loaded.program.slots[slot][0]
        self.cells[name][0] = value
        self.tags[0, slot] = tag

    # ------------------------------------------------------------------ results

    def results(self) -> tuple[Any, ...]:
        """Final values of the live-out names, with the types that CPython would have left."""
        if self.simple:
            return self.unset
        return tuple([self._result(name) for name in self.live_out])

    def _result(self, name: str) -> Any:
        slot = self.index.get(name)
        tag = 0 if slot is None else int(self.tags[0, slot])
        if tag == 0:
            return UNSET
        return joins.value(tag, self.cells[name][0])

    def alarms(self) -> list[Alarm]:
        """The warnings that the kernels have named, in the order of the statements."""
        rang: dict[Alarm, tuple[int, ...]] = {}
        program = self.loaded.program
        order = {line: place for place, line in enumerate(program.lines)}
        for number, noted in self.noted.items():
            kernel = program.kernels[number]
            alarms = kernel.alarms
            places = [order.get(alarm.line, -1) for alarm in alarms]
            for row, column in np.argwhere(noted).tolist() if noted.any() else ():
                # A statement on a whole array is over in all chunks before the next one begins, and
                # of what sweeps, each chunk begins as early as any other.
                when: tuple[int, ...] = (places[column], number, column, row)
                if kernel.sweeps:
                    when = (min(places), number, 0, places[column], column)
                elif not kernel.whole:
                    first = min(places) if kernel.parallel else places[column]
                    when = (first, number, row, places[column], column)
                rang[alarms[column]] = min(rang.get(alarms[column], when), when)
        return sorted(rang, key=lambda alarm: rang[alarm])


def exact(program: Program, values: Values) -> str | None:
    """The first live-in scalar whose value its cell would change, or None."""
    for name, dtype in program.slots:
        if name in values.numbers:
            number = values.numbers[name]
            if _HOLDS.get(type(number)) == dtype:
                continue
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
