"""Copies of the process that find loops, while the program imports what it begins with.

The first time, to find the loops of a module takes about as long as to import NumPy, and a script
that begins with that import waits for both.  So a copy finds the script's loops meanwhile, and
another those of each module beside it that it imports next.  What they find is in the cache, as it
is for the next process; where there is nothing when they have ended, it is found here.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial

from autopar import config
from autopar.hook import cache
from autopar.runtime.process import traced

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import TypeVar

    from autopar.runtime.copied import Copy

    T = TypeVar("T")
_LOOK_S = 3e-4  # between two looks whether one has found something
_PATIENCE_S = 1.0  # after which nobody expects anything of one
_LONGEST_S = 5  # that one may be at work, though the program may have ended
_MOST = 4
_sleep, _clock = time.sleep, time.perf_counter  # taken early: the program may replace them
_copies: dict[str, Copy] = {}
"""Those that have been sent, by the file whose loops they find."""


def send(works: Mapping[str, Callable[[], object]]) -> None:
    """Have copies do what is to be done for each file, if there can be any that nobody notices."""
    if not works or sys.platform != "linux" or not config.current().background:
        return
    if len(os.sched_getaffinity(0)) == 1 or not cache.writable() or traced():
        return
    from autopar.runtime.copied import Copy, idle, possible

    if not possible() or not idle():
        return
    for file, work in [*works.items()][:_MOST]:
        copy = Copy(partial(_do, work))
        if copy.made:
            _copies[file] = copy


def _do(work: Callable[[], object]) -> None:
    """What a copy does."""
    from autopar.runtime import copied

    copied.ends_within(_LONGEST_S)
    config.found_only()
    work()


def awaited(file: str, look: Callable[[], T | None]) -> T | None:
    """What `look` finds as soon as the copy for `file` has found it; None if it has not."""
    copy = _copies.pop(file, None)
    if copy is None:
        return None
    end = _clock() + _PATIENCE_S
    while not copy.ended and _clock() < end:
        found = look()
        if found is not None:
            return found
        _sleep(_LOOK_S)
    return look()
