"""Copies of the process that find loops, while the program imports what it begins with.

The first time, to find the loops of a module takes about as long as to import NumPy, and a script
that begins with that import waits for both.  So copies find the script's loops meanwhile, and
those of modules beside it that it imports next: as many as there are processors to spare, since
two that share one are both late with what the program waits for first.  What they find is in the
cache, as it is for the next process; where there is nothing when they have ended, it is found here.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
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
    spare = len(os.sched_getaffinity(0)) - 1
    if not spare or not cache.writable() or traced():
        return
    from autopar.runtime.copied import Copy, idle, possible

    if not possible() or not idle():
        return
    files = list(works)
    spare = min(spare, _MOST)
    for first in range(min(spare, len(files))):
        own = files[first::spare]
        copy = Copy(partial(_do, [works[file] for file in own]))
        if copy.made:
            _copies.update(dict.fromkeys(own, copy))


def _do(works: Iterable[Callable[[], object]]) -> None:
    """What a copy does, one after the other; what fails says so where the program comes to it."""
    from autopar.runtime import copied

    copied.ends_within(_LONGEST_S)
    config.found_only()
    for work in works:
        with contextlib.suppress(Exception):
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
    if not copy.ended:  # nor is anybody to wait for the others that it has
        for other in [name for name, one in _copies.items() if one is copy]:
            del _copies[other]
    return look()
