"""Threads that run the chunks of parallel loops.

Kernels release the interpreter lock, so plain threads give real parallelism.  Against Numba's
threading layers this costs some microseconds per launch, and in return: any number of user threads
may launch at once (the ``workqueue`` layer aborts), a forked child simply starts its own threads
(the ``omp`` layer aborts), and Ctrl-C reaches the main thread between two chunks.
"""

from __future__ import annotations

import _thread
import itertools
import os
from collections.abc import Callable
from queue import SimpleQueue

Task = Callable[[int], int]
_PATIENCE_S = 10.0


class _Job:
    """Chunks ``0 .. count-1`` of one parallel loop; whoever is free takes the next one."""

    __slots__ = ("count", "done", "error", "finished", "next", "status", "task")

    def __init__(self, task: Task, count: int) -> None:
        self.task, self.count = task, count
        self.next = itertools.count()  # its next() is atomic under the interpreter lock
        self.finished = itertools.count(1)
        self.status = 0
        self.error: BaseException | None = None
        self.done = _thread.allocate_lock()
        self.done.acquire()

    def work(self) -> None:
        """Take chunks until none is left."""
        while (chunk := next(self.next)) < self.count:
            try:
                if not self.status and self.error is None:
                    status = self.task(chunk)
                    if status:  # never write back a 0: another thread may have failed meanwhile
                        self.status = status
            except BaseException as error:
                self.error = error
            finally:
                if next(self.finished) == self.count:
                    self.done.release()

    def cancel(self) -> None:
        """Skip the chunks that nobody has taken; those under way finish."""
        while next(self.next) < self.count:
            if next(self.finished) == self.count:
                self.done.release()


class _Pool:
    def __init__(self) -> None:
        self.queue: SimpleQueue[_Job] = SimpleQueue()
        self.workers = 0

    def grow(self, workers: int) -> None:
        while self.workers < workers:
            self.workers += 1
            # Not threading.Thread: the user's threading.enumerate() must not change.
            _thread.start_new_thread(self.serve, ())

    def serve(self) -> None:
        while True:
            job = self.queue.get()
            job.work()
            del job  # or the arrays of the last job would live until the next one


_pool = _Pool()


def run(task: Task, count: int, threads: int) -> int:
    """Run ``task(0) … task(count-1)`` on up to `threads` threads, this one included.

    Returns
    -------
    int
        0, or a non-zero value that a task returned; after a non-zero value no further chunk
        is started.
    """
    helpers = min(threads, count) - 1
    if helpers <= 0:
        status = 0
        for chunk in range(count):
            status = task(chunk)
            if status:
                break
        return status
    job = _Job(task, count)
    _pool.grow(helpers)
    for _ in range(helpers):
        _pool.queue.put(job)
    try:
        job.work()
        job.done.acquire()
    except BaseException:
        job.cancel()
        # Ctrl-C may have struck between taking a chunk and starting it: do not wait forever.
        job.done.acquire(timeout=_PATIENCE_S)
        raise
    if job.error is not None:
        raise job.error
    return job.status


def _restart() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart)
