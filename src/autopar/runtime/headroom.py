"""Whether there is room on the stack, and in memory, for what autopar does in front of a loop.

A program may come within a few calls of Python's recursion limit and still be fine.  What runs in
its place must not raise RecursionError then, least of all when kernels have already written; so it
looks first.  Up to Python 3.11 calls within the interpreter, as of ``repr`` for the items of a
list, count as Python's own calls do, but have no frame.

Nor must it take the last memory of a process that may have only so much (``ulimit -v``): LLVM ends
a process that has none left.
"""

from __future__ import annotations

import functools
import os
import sys

_FEW = 4  # times more levels than frames there are: nobody has been seen with twice as many
LEVELS = 150
"""Calls in one another that a question may need, where it starts nothing."""
_BRIEF = 12  # which one needs that is like the last ones in all respects
_KERNELS_BYTES = 256 << 20
"""Of addresses, at the most: libraries that make kernels, what they work with, threads' stacks."""
_BOTH_COUNT = sys.version_info < (3, 12)


@functools.cache
def _nested(levels: int) -> tuple[object, object]:
    """Two tuples in tuples, so deep, that are equal but nowhere the same."""
    one: tuple[object, ...] = ()
    two: tuple[object, ...] = ()
    for _ in range(levels):
        one, two = (one,), (two,)
    return one, two


_ONE, _TWO = _nested(_BRIEF)


def room(levels: int) -> bool:
    """Whether so many calls may go on in one another from here on."""
    limit = sys.getrecursionlimit()
    depth = limit - levels
    if depth < 0:
        return False
    if not _BOTH_COUNT:
        return not _deeper(depth)
    if not _deeper(depth // _FEW):
        return True
    try:
        one, two = _nested(levels)
        return one == two  # each level compares those within
    except RecursionError:
        return False


def brief_room() -> bool:
    """Whether as many may as a question needs that is like the last ones in all respects.

    No exception is made to find out, which takes long where nothing is in a cache.
    """
    try:
        return _ONE == _TWO if _BOTH_COUNT else _down(_BRIEF)
    except RecursionError:
        return False


def _down(levels: int) -> bool:
    return not levels or _down(levels - 1)


def memory() -> bool:
    """Whether the system lets this process have as much memory as making kernels may take."""
    try:
        # Not by `resource`: that may be a file of the user's.
        _, _, after = _text("/proc/self/limits").partition(b"Max address space")
        most = after.split()[0]
        if most == b"unlimited":
            return True
        used = int(_text("/proc/self/statm").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return int(most) - used >= _KERNELS_BYTES
    except (OSError, ValueError, IndexError):
        return True  # of a system that has no such limits, or does not tell


def _text(file: str) -> bytes:
    """The beginning of a file."""
    handle = os.open(file, os.O_RDONLY)
    try:
        return os.read(handle, 4096)
    finally:
        os.close(handle)


def _deeper(depth: int) -> bool:
    """Whether there are more frames than that."""
    try:
        sys._getframe(depth)
    except ValueError:
        return False
    return True
