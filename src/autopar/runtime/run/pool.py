"""Threads that run kernels.

Kernels release the interpreter lock, so plain threads give real parallelism.  Against Numba's
threading layers this costs some microseconds per launch, and in return: any number of user threads
may launch at once (the ``workqueue`` layer aborts), a forked child simply starts its own threads
(the ``omp`` layer aborts), and Ctrl-C reaches the main thread while others work.  A team (see
`team`) spares all but the first launch of these microseconds; one launch at a time has it.
"""

from __future__ import annotations

import _thread
import atexit
import itertools
import math
import os
import threading
from _queue import SimpleQueue  # `queue` imports what nobody needs here
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np

from autopar.cpu import team as layout
from autopar.kernel import Status, border
from autopar.runtime.aside import starts
from autopar.runtime.process import clock
from autopar.runtime.run.team import Array, Team, worst

Task = Callable[[int], int]
LARGEST = 1 << 40
"""Iterations from which on machine code does not compute the borders of chunks."""
_PATIENCE_S = 2.0
_SOON_S, _SURELY_S = 5e-5, 1e-3  # until threads that have nothing to do sleep
_GLANCE_S = 0.05  # between two looks at whether a job is over


class Word:
    """A word of memory that running kernels look at: not zero means stop."""

    __slots__ = ("address", "cell")

    def __init__(self) -> None:
        self.cell: np.ndarray[Any, Any] = np.zeros(1, np.int64)
        self.address: int = self.cell.__array_interface__["data"][0]

    def stop(self) -> None:
        self.cell[0] = 1

    @property
    def stopped(self) -> bool:
        return bool(self.cell[0])


class _Job:
    """Chunks ``0 .. count-1`` of one parallel loop; whoever is free takes the next one."""

    __slots__ = ("count", "done", "error", "finished", "next", "over", "statuses", "task", "word")

    def __init__(self, task: Task, count: int, word: Word) -> None:
        self.task, self.count, self.word = task, count, word
        self.next = itertools.count()  # its next() is atomic under the interpreter lock
        self.finished = itertools.count(1)
        self.statuses: list[int] = []
        self.error: BaseException | None = None
        self.over = False
        self.done = _thread.allocate_lock()
        self.done.acquire()

    def work(self) -> None:
        """Take chunks until none is left."""
        while (chunk := next(self.next)) < self.count:
            try:
                if not self.statuses and self.error is None:
                    status = self.task(chunk)
                    if status:
                        self.statuses.append(status)
                        self.word.stop()
            except BaseException as error:
                self.error = error
                self.word.stop()
            finally:
                self.finish()

    def finish(self) -> None:
        """One more chunk is done with."""
        if next(self.finished) == self.count:
            self.over = True
            self.done.release()

    def wait(self) -> None:
        """Until all chunks are done with.

        A signal handler may raise after the lock was taken and before anyone knows of it, so the
        lock alone does not say whether there is still something to wait for.
        """
        while not self.over:
            self.done.acquire(timeout=_GLANCE_S)

    def cancel(self) -> None:
        """Skip the chunks that nobody has taken, and stop those under way."""
        self.word.stop()
        while next(self.next) < self.count:
            self.finish()

    def result(self) -> int:
        if self.error is not None:
            raise self.error
        return worst(self.statuses)


class _Pool:
    def __init__(self) -> None:
        self.queue: SimpleQueue[_Job] = SimpleQueue()
        self.workers = 0

    def grow(self, workers: int) -> None:
        """Have so many threads wait for jobs, or as many as there can be."""
        while self.workers < workers and starts(self.serve, ()):
            self.workers += 1

    def serve(self) -> None:
        while True:
            job = self.queue.get()
            job.work()
            del job  # or the arrays of the last job would live until the next one


_pool = _Pool()
_teams: dict[int, Team] = {}  # by how many threads they are of


def ready(threads: int, function: Callable[..., int]) -> Team:
    """The team of so many threads; `function` is that of `pipeline.teams`."""
    if threads not in _teams:
        _teams[threads] = Team(threads, function)
    return _teams[threads]


def chunks(
    call: Callable[..., int],
    word: Word,
    args: Sequence[Any],
    count: int,
    trips: int,
    threads: int,
    grain: int = 1,
) -> int:
    """Run the iterations ``0 … trips-1`` of a kernel in `count` chunks on up to `threads` threads.

    Parameters
    ----------
    grain
        That of the kernel.

    Returns
    -------
    int
        As `run`.
    """
    if count == 1:
        return call(word.address, 0, 0, trips, *args)
    status = together(call, word, args, count, trips, threads)
    if status is not None:
        return status
    return run(each(call, word, args, count, trips, grain), count, threads, word)


@contextmanager
def resting(threads: int, soon_s: float = _SOON_S) -> Iterator[None]:
    """While another library has threads of its own work: ours sleep as soon as they have nothing.

    A thread of that library that is woken while one of ours looks for work on the idle processor
    is put on that of who woke it, which waits for it there: 10 ms in place of 2.
    """
    team = _teams.get(threads) if layout.SLEEPS else None
    if team is None:
        yield
        return
    team.memory[layout.PATIENCE] = 0
    try:
        end = clock() + soon_s
        while not team.asleep() and clock() < end:
            pass
        yield
    finally:
        team.memory[layout.PATIENCE] = layout.SPINS


@contextmanager
def all_resting() -> Iterator[None]:
    """While threads of ours that have nothing to do sleep, for who needs a process of one."""
    with ExitStack() as stack:
        for threads in list(_teams):
            stack.enter_context(resting(threads, _SURELY_S))
        yield


def held(threads: int) -> Team | None:
    """The team of so many threads, all there, until its `taken` is released; None if it is not."""
    team = _teams.get(threads)
    if team is None or not team.taken.acquire(blocking=False):
        return None
    try:
        complete = team.gather()
    except BaseException:
        team.taken.release()
        raise
    if not complete:
        team.taken.release()
        return None
    return team


def any_team() -> Team | None:
    """One for what threads have nothing to do with, which may be at work; None if there is none."""
    return next(iter(_teams.values()), None)


def known(threads: int) -> Team | None:
    """The team of so many threads, whoever has it; None if there is none."""
    return _teams.get(threads)


def function() -> Callable[..., int] | None:
    """What does in machine code what `cpu.team` lists, if there is a team."""
    team = any_team()
    return None if team is None else team.function


def likeness() -> Callable[[int, tuple[object, ...]], int] | None:
    """What tells whether values are as in a table of `cpu.likeness`, if there is a team."""
    found = function()
    return None if found is None else partial(found, 0, layout.LIKE)


def stir(threads: int) -> None:
    """Have threads that sleep wake up, which takes as long as it does to get a launch ready."""
    team = _teams.get(threads)
    if team is None or team.taken.locked():
        return
    if not team.missing():
        team.stir()
    elif (team := held(threads)) is not None:  # all have been started
        team.taken.release()


def copied(threads: int, table: int, room: Array, arrays: Sequence[Array], divided: bool) -> bool:
    """Have so many threads copy by a table, or only this one where it is not `divided`.

    Whether they have: see `Team.copy`, and there may be no team, or none that is free.
    """
    team = held(threads) if divided else any_team()
    if team is None:
        return False
    try:
        return team.copy(table, room, arrays)
    finally:
        if divided:
            team.taken.release()


def together(
    call: Callable[..., int], word: Word, args: Sequence[Any], count: int, trips: int, threads: int
) -> int | None:
    """`chunks` by the team of so many threads; None where there is none, or none that is free."""
    team = held(threads) if trips < LARGEST else None
    if team is None:
        return None
    try:
        return team.run(call, word.address, count, trips, args)
    finally:
        team.taken.release()


def each(
    call: Callable[..., int], word: Word, args: Sequence[Any], count: int, trips: int, grain: int
) -> Task:
    """What runs each of the chunks by itself."""
    address = word.address

    def task(chunk: int) -> int:
        low, high = (border(k, count, trips, grain) for k in (chunk, chunk + 1))
        return call(address, chunk, low, high, *args)

    return task


def run(task: Task, count: int, threads: int, word: Word) -> int:
    """Run ``task(0) … task(count-1)`` on up to `threads` threads, this one included.

    Returns
    -------
    int
        A `Status`; after one that is not ``DONE`` no further chunk is started, and `word` stops
        those that run.
    """
    helpers = min(threads, count) - 1
    if helpers <= 0:
        for chunk in range(count):
            status = task(chunk)
            if status:
                return status
        return Status.DONE
    job = _Job(task, count, word)
    try:
        _pool.grow(helpers)
        for _ in range(min(helpers, _pool.workers)):
            _pool.queue.put(job)
        job.work()
        job.wait()
    except BaseException:
        job.cancel()
        _leave(job, _PATIENCE_S)
        raise
    return job.result()


def interruptible(function: Callable[[], int], word: Word) -> int:
    """``function()`` on another thread while the main thread waits for it, or for Ctrl-C.

    Python runs signal handlers on the main thread only, which a kernel would keep busy.  Whatever
    a handler raises stops the kernels through `word` and goes on to the caller.
    """
    if threading.current_thread() is not threading.main_thread():
        return function()
    job = _Job(lambda _: function(), 1, word)
    try:
        # A thread of its own: those of the pool may all be busy with other nests.
        if not starts(job.work, ()):
            job.work()
        job.wait()
    except BaseException:
        job.cancel()
        _leave(job, math.inf)
        raise
    return job.result()


def _leave(job: _Job, patience_s: float) -> None:
    """Wait until no kernel of `job` writes any more; further signals must not end the waiting.

    A chunk that was taken on this thread and never started counts as unfinished for ever, hence
    `patience_s`: kernels that have been stopped need a small part of it.
    """
    end = clock() + patience_s
    while True:
        try:
            while not job.over and clock() < end:
                job.done.acquire(timeout=_GLANCE_S)
            return
        except BaseException:
            continue


def _restart() -> None:
    global _pool
    _pool = _Pool()
    for threads, team in _teams.items():
        _teams[threads] = Team(threads, team.function)


@atexit.register
def _dismiss() -> None:
    for team in _teams.values():
        team.dismiss()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart)
