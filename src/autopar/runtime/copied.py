"""A copy of the process that nobody notices.

It lets go of all files before the program goes on, works in memory of its own, and ends without a
word: no buffer is written, no object's end is seen.  It is a child that tells nobody when it ends:
`fork` has no way to make one, so the kernel is asked itself.  The C library's locks are in the copy
as they were here, so there must be nobody who holds one.  Whether it has ended is in a page that
both have: a file would have a number that a program may close, and then have something else by.

A program may have put something else in the place of any function of `os`, `time` or `signal`, or
have files of its own named as Python's modules: what is used here is what those are made of, or has
been imported by then.  No exception is handled here, since it may be one of a signal handler's.

References
----------
clone(2), wait(2), on ``__WALL``, prctl(2), on PR_SET_CHILD_SUBREAPER, and sched(7), on the
autogroup feature, of the Linux manual.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import contextlib
import functools
import gc
import os
import posix
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from typing import Any

LONGEST_S = 20
"""Seconds after which a copy is ended, whatever it does."""
_TURN_US = 5_000  # between two looks whether it is the turn of one that waits
_MOST_BYTES = 1 << 27  # of memory in use: what is written meanwhile has to be copied
_NICE = 10
_OF_SESSION = "/proc/self/autogroup"
"""Where Linux shares processors among sessions first, a copy, which has one of its own, would have
as much of them as the whole of the user's: the nice value of this file is that of its session."""
_APART_US = 120_000  # between two tries to set it
_CLONE = {"x86_64": 56, "aarch64": 220}  # numbers of the system call
_ADOPTS = 37  # PR_GET_CHILD_SUBREAPER
_CORE = 4  # RLIMIT_CORE
_SHARED, _READ_WRITE = 0x21, 3  # MAP_SHARED | MAP_ANONYMOUS; PROT_READ | PROT_WRITE
_PAGE = 4096
_MOST_PLACES, _FROM_START = (1 << 48) - 1, 0  # bytes of a file that locks are about; SEEK_SET
_BY_NUMBER, _ENDED, _NOT_NOW, _KEPT, _ANY = 1, 4, 1, 0x01000000, 0x40000000
"""P_PID; WEXITED, WNOHANG, WNOWAIT, __WALL."""
_ALONE, _DONE = 0, 1  # places in the page: it has let go of everything; it has ended
_FIXED = {_signal.SIGKILL, _signal.SIGSTOP}
_SAID = _signal.SIGPIPE, _signal.SIGXFSZ
"""Signals of what a write that fails says itself: Python ignores them from the start."""
_held: list[Any] = []  # what the copy is not to see the end of


def possible() -> bool:
    """Whether copies can be made of this process that belong to nobody, without too much to copy.

    An orphan goes to the first process, which is not to be a program that waits for its own.
    """
    if _c() is None or posix.uname().machine not in _CLONE or sys.maxsize < 1 << 32:
        return False
    if posix.getpid() == 1 or _text("/proc/1/comm").startswith("python"):
        return False
    adopts = _c().c_int(1)
    done = _library().prctl(_ADOPTS, _c().byref(adopts), 0, 0, 0)
    pages = _text("/proc/self/statm").split()
    used = int(pages[1]) * posix.sysconf("SC_PAGE_SIZE") if pages else _MOST_BYTES
    return done == 0 and not adopts.value and used < _MOST_BYTES


def idle() -> bool:
    """Whether no other thread runs, of whoever's making: such might hold a lock of the C library.

    Those that wait for work hold none.
    """
    own = str(posix.getpid())
    tasks = "/proc/self/task"
    names = [name for name in posix.listdir(tasks) if name != own]
    told = [_text(f"{tasks}/{name}/stat") for name in names]
    return all(line.rpartition(")")[2][1:2] == "S" for line in told)


def _text(file: str) -> str:
    """The beginning of a file; empty where it cannot be read."""
    if not posix.access(file, posix.R_OK):
        return ""
    handle = posix.open(file, posix.O_RDONLY | posix.O_CLOEXEC)
    found = posix.read(handle, 4096)
    posix.close(handle)
    return found.decode("ascii", "replace")


@functools.cache
def _c() -> Any:
    """Python's `ctypes`; None where there is none, or a file of the user's of that name."""
    known = sys.modules.get("ctypes")
    if known is None:
        found = PathFinder.find_spec("ctypes")
        if found is None or found.origin is None:
            return None
        if os.path.dirname(os.path.dirname(found.origin)) != os.path.dirname(os.__file__):
            return None
        import ctypes as known
    return known if hasattr(known, "PyDLL") else None


@functools.cache
def _library() -> Any:
    """The C library; no other thread of Python's runs while one of its functions does."""
    found = _c().PyDLL(None)
    found.mmap.restype = _c().c_void_p
    return found


class Copy:
    """A copy of this process, made to do `work`; `made` is False where there is none."""

    __slots__ = ("made", "number", "page")

    def __init__(self, work: Callable[[], object]) -> None:
        self.made, self.number = False, -1
        place = _library().mmap(None, _PAGE, _READ_WRITE, _SHARED, -1, 0)
        if place == _c().c_void_p(-1).value:
            return
        self.page = (_c().c_ubyte * _PAGE).from_address(place)
        before = _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
        try:
            self.number = _clone()
            if self.number == 0:
                self.work(work)
            while self.number > 0 and not self.page[_ALONE] and not self.ended:
                posix.sched_yield()
            self.made = bool(self.page[_ALONE])
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)

    @property
    def ended(self) -> bool:
        """Whether its work is done, or will not be; it remains to be forgotten with the program."""
        return self.done or _is_over(self.number)

    @property
    def done(self) -> bool:
        """Whether its work is done, as any other copy can tell."""
        return bool(self.page[_DONE])

    def work(self, work: Callable[[], object]) -> None:
        """Be the copy."""
        try:
            _let_go()
            self.page[_ALONE] = 1
            posix.nice(_NICE)
            give_way()
            work()
        finally:
            self.page[_DONE] = 1
            posix._exit(0)  # whatever was raised, nobody is there to be told


def _clone() -> int:
    """A child of this process that tells nobody when it ends: its number, and in it 0."""
    number: int = _library().syscall(_CLONE[posix.uname().machine], 0, 0, 0, 0, 0)
    return number


def _is_over(number: int) -> bool:
    """Whether a child has ended; it is not waited for, which would show in what children took."""
    room = (_c().c_byte * 128)()
    how = _ENDED | _NOT_NOW | _KEPT | _ANY
    failed: int = _library().waitid(_BY_NUMBER, number, room, how)
    return failed != 0 or any(room)


def in_a_child(work: Callable[[], bool]) -> bool:
    """What `work` says, done in a child of this process, which is a copy; False where it dies."""
    child = _clone()
    if child == 0:
        done = False
        try:
            ends_within(LONGEST_S)
            done = work()
        finally:
            posix._exit(0 if done else 1)
    status = _c().c_int(1)
    found = _library().waitpid(child, _c().byref(status), _ANY) if child > 0 else 0
    return found == child and status.value == 0


def first_of(ahead: Sequence[Copy], count: int) -> bool:
    """Wait in a copy until fewer than `count` of those `ahead` are at work; whether that comes.

    It does not where one has been killed.
    """
    tries = most = LONGEST_S * 1_000_000 // _TURN_US
    while tries and sum(not one.done for one in ahead) >= count:
        _library().usleep(_TURN_US)
        tries -= 1
    if tries < most:
        ends_within(LONGEST_S)  # from here on
    return tries > 0


def by_itself(mark: str) -> bool:
    """Wait in a copy until no copy of another process is at work for `mark`; whether that is known.

    The file is one for all in that folder, of which each has a byte.  The lock ends with the copy,
    whatever it dies of.
    """
    folder, name = os.path.split(mark)
    how = posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC
    try:
        handle = posix.open(os.path.join(folder, "at_work"), how, 0o600)
        posix.lseek(handle, int(name, 16) & _MOST_PLACES, _FROM_START)
        posix.lockf(handle, posix.F_LOCK, 1)
    except OSError:  # there are no locks where the cache is
        return False
    return True


def ends_within(seconds: int) -> None:
    """Have this process, which is a copy, end after so many seconds whatever it does."""
    _signal.alarm(seconds)


def _let_go() -> None:
    """Have nothing any more of what the program has."""
    gc.disable()  # what the user has written for the end of an object is not to run here
    posix.setsid()
    for number in _signal.valid_signals() - _FIXED:
        if _signal.getsignal(number) is not None:  # else somebody's who is not to be disturbed
            _signal.signal(number, _signal.SIG_IGN if number in _SAID else _signal.SIG_DFL)
    _signal.set_wakeup_fd(-1)
    ends_within(LONGEST_S)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    _library().setrlimit(_CORE, (_c().c_ulong * 2)())
    null = posix.open("/dev/null", posix.O_RDWR)
    for stream in range(3):
        posix.dup2(null, stream)
    for name in posix.listdir("/proc/self/fd"):
        if int(name) > 2:
            with contextlib.suppress(OSError):  # it was there to list the others
                posix.close(int(name))
    _held.extend((sys.stdout, sys.stderr))
    sys.stdout = sys.stderr = open(1, "w", closefd=False)  # noqa: SIM115


def give_way(tries: int = 1) -> None:
    """Have this process, which is a copy, take what others leave of the processors.

    Linux lets one such file be written in a tenth of a second, by whomever.  That of a session
    which others are in as well is none of ours.
    """
    if posix.getsid(0) != posix.getpid():
        return
    for left in reversed(range(tries)):
        told = _text(_OF_SESSION).split()  # nothing where processors are shared among processes
        if not told or told[-1] == str(_NICE) or not posix.access(_OF_SESSION, posix.W_OK):
            return
        with contextlib.suppress(OSError):  # somebody else has just written
            handle = posix.open(_OF_SESSION, posix.O_WRONLY | posix.O_CLOEXEC)
            try:
                posix.write(handle, str(_NICE).encode())
                return
            finally:
                posix.close(handle)
        if left:
            _library().usleep(_APART_US)
