"""A copy of the process that nobody notices.

It lets go of all files before the program goes on, works in memory of its own, and ends without a
word: no buffer is written, no object's end is seen.  A parent is told when its child ends, by a
signal and by what waits for any child; so the copy is the child of one that ends at once, and what
that tells is taken back.  Whether the copy has ended is in a page that both have; a file would have
a number that a program may close, and then have something else by.

References
----------
fork(2), wait(2), sigtimedwait(2) and prctl(2), on PR_SET_CHILD_SUBREAPER, of the Linux manual.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import mmap
import os
import signal
import time
from collections.abc import Callable

LONGEST_S = 30
"""Seconds after which a copy is ended, whatever it does."""
_MOST_BYTES = 1 << 29  # of memory in use: what is written meanwhile has to be copied
_MOST_FILES = 1 << 16
_NICE = 5
_ADOPTS = 37  # PR_GET_CHILD_SUBREAPER
_ALONE, _DONE = 0, 1  # places in the page: it has let go of everything; it has ended
_NUMBER = slice(8, 16)  # of the copy among processes
_SPIN_S = 1e-4


def possible() -> bool:
    """Whether a copy can be made of this process that is nobody's child, and not too much."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            used = int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return False
    return used < _MOST_BYTES and os.getpid() != 1 and not _adopts()


def _adopts() -> bool:
    """Whether processes that are nobody's children become this one's."""
    found = ctypes.c_int(1)
    done = _system().prctl(_ADOPTS, ctypes.byref(found), 0, 0, 0)
    return done != 0 or found.value != 0


@functools.cache
def _system() -> ctypes.PyDLL:
    """The C library; no other thread of Python's runs while one of its functions does."""
    return ctypes.PyDLL(None)


class Copy:
    """A copy of this process that does `work`.

    `os.fork` would run handlers of the user's, and warn of threads: in the copy nothing goes on
    that would wait for one.

    Raises
    ------
    OSError
        There can be none.
    """

    __slots__ = ("page",)

    def __init__(self, work: Callable[[], object]) -> None:
        self.page = mmap.mmap(-1, mmap.PAGESIZE)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            child = _system().fork()
            if child == 0:
                self._first(work)
            if child > 0:
                _forget(child)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if not self.page[_ALONE]:
            raise OSError("no copy could be made of this process")

    @property
    def ended(self) -> bool:
        """Whether its work is done, or will not be."""
        if self.page[_DONE]:
            return True
        try:
            os.kill(int.from_bytes(self.page[_NUMBER], "little"), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass  # somebody else has the number by now: it will take its time
        return False

    def _first(self, work: Callable[[], object]) -> None:
        """Be the child, and have another process, which is none of the program's, do `work`."""
        try:
            number = _system().fork()
            if number == 0:
                self._second(work)
            # The program goes on when this one ends.
            while number > 0 and not self.page[_ALONE] and not os.waitpid(number, os.WNOHANG)[0]:
                time.sleep(_SPIN_S)
        finally:
            os._exit(0)

    def _second(self, work: Callable[[], object]) -> None:
        try:
            self.page[_NUMBER] = os.getpid().to_bytes(8, "little")
            _let_go()
            self.page[_ALONE] = 1
            work()
        finally:
            self.page[_DONE] = 1
            os._exit(0)  # whatever was raised, nobody is there to be told


def in_a_child(work: Callable[[], bool]) -> bool:
    """What `work` says, done in a child of this process, which is a copy; False where it dies."""
    child = _system().fork()
    if child == 0:
        done = False
        try:
            signal.alarm(LONGEST_S)
            done = work()
        finally:
            os._exit(0 if done else 1)
    return child > 0 and os.waitpid(child, 0)[1] == 0


def _forget(child: int) -> None:
    """Wait for `child`, and take back what its end tells."""
    with contextlib.suppress(ChildProcessError):  # where the user ignores them
        os.waitpid(child, 0)
    if signal.sigtimedwait([signal.SIGCHLD], 0) is None:
        return
    with contextlib.suppress(ChildProcessError):
        if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            signal.raise_signal(signal.SIGCHLD)  # one of the user's own has ended meanwhile


def _let_go() -> None:
    """Have nothing any more of what the program has."""
    import resource

    gc.disable()  # what the user has written for the end of an object is not to run here
    os.setsid()
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.alarm(LONGEST_S)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.closerange(3, _MOST_FILES)
    os.nice(_NICE)
