"""Python's collector of cycles: it has nothing to do with modules, which live as long as a process.

It looks at objects some tens of times while NumPy is imported, and several times when the process
ends, at all that modules consist of.  In a script that does little else this is a fifth of its
time, and more than autopar adds to it.  So the collector rests until the program starts; and what
there is by then is set apart (`gc.freeze`), where it looks no more.

What the program hangs there, such as a file in a handler of `logging`, is reached from what has
been set apart, and Python would not come to its end.  So at the end of the program all is as if
nothing had been set apart, unless it has made nothing at whose end anything happens.  The namespace
of ``__main__`` is made afterwards, for all of the program's is reached from there.
"""

from __future__ import annotations

import atexit
import gc
import sys

from autopar.hook.harmless import Destructor, destructor, harmless, harmless_but
from autopar.records import BUILTINS

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_resting = _alone = _apart = False
_destructor: Destructor | None = None
_DEAR = 4
"""Times as long as to let an object end, what it takes to look at one and at what it holds.  Where
that is many others, it takes as long as that for each of these."""
_HOLD = frozenset(map(id, (list, tuple, dict, set, frozenset)))
_later: list[object] = [[]]
"""Where it is set apart as well, the program has set apart what there was."""


def rest() -> None:
    """Have it do nothing until the program starts; nothing is there but Python yet."""
    global _resting, _alone
    if gc.isenabled():
        # What calls itself at the end of the process may do anything, and sees what is there.
        # Somebody who wants to hear of files that are not closed hears of those of C's, too.
        told = sys.flags.dev_mode or sys.warnoptions or atexit._ncallbacks()
        streams = sys.stdin, sys.stdout, sys.stderr
        _alone = not told and harmless_but(gc.get_objects(), streams)
        _resting = True
        gc.disable()
        atexit.register(_end)  # the last to be called of all that will be registered


def resting() -> bool:
    """Whether the program has not started."""
    return _resting


def start(*, apart: bool) -> None:
    """Have it work again, for the program starts; and look no more at what there is, if `apart`.

    Only what comes first counts: later there may be objects of the program's.
    """
    global _resting, _apart, _destructor
    if _resting:
        _resting = False
        if apart and _alone:
            _apart = True
            _destructor = destructor()
            gc.freeze()
            _later[0] = []
        gc.enable()


def _end() -> None:
    """Let everything end as ever, where that may be seen."""
    own: list[Any] = gc.get_objects()
    if not _apart or all(one is not _later[0] for one in own):
        return  # or the program has set something apart, which is to stay there
    before = sys._getframe().f_back is not None  # the program calls, and goes on
    rest = False
    try:
        alone = not before and len(sys._current_frames()) == 1
        rest = alone and _is_little(own, gc.get_freeze_count()) and harmless(own, _destructor)
    finally:
        if not rest:
            gc.unfreeze()


def _is_little(own: list[Any], apart: int) -> bool:
    """Whether to look at `own` takes less time than to let what is `apart` end.

    Not where a few lists hold millions of numbers.
    """
    held = sum(len(one) for one in own if id(type(one)) in _HOLD)
    return _DEAR * len(own) + held < apart
