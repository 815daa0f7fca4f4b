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

from autopar.hook.harmless import harmless

_resting = _alone = False
_apart = 0


def rest() -> None:
    """Have it do nothing until the program starts; nothing is there but Python yet."""
    global _resting, _alone
    if gc.isenabled():
        # What calls itself at the end of the process may do anything, and sees what is there.
        _alone = atexit._ncallbacks() == 0 and harmless(gc.get_objects())
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
    global _resting, _apart
    if _resting:
        _resting = False
        if apart and _alone:
            gc.freeze()
            _apart = gc.get_freeze_count()
        gc.enable()


def _end() -> None:
    """Let everything end as ever, where that may be seen."""
    if not 0 < gc.get_freeze_count() <= _apart:
        return  # or the program has set something apart, which is to stay there
    own = gc.get_objects()
    # Where there is more than what was set apart, to look at it takes as long as to let it end.
    if len(sys._current_frames()) > 1 or len(own) > _apart or not harmless(own):
        gc.unfreeze()
