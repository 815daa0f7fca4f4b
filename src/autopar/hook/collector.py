"""Python's collector of cycles: it has nothing to do with modules, which live as long as a process.

It looks at objects some tens of times while NumPy is imported, and several times when the process
ends, at all that modules consist of.  In a script that does little else this is a fifth of its
time, and more than autopar adds to it.  So the collector rests until the program starts; and what
there is by then is set apart (`gc.freeze`), where it looks no more.

Nothing of that is the program's: the namespace of ``__main__`` is made afterwards.  What would be
reached from one that is set apart would never end.
"""

from __future__ import annotations

import gc

_resting = False


def rest() -> None:
    """Have it do nothing until the program starts."""
    global _resting
    if gc.isenabled():
        _resting = True
        gc.disable()


def resting() -> bool:
    """Whether the program has not started."""
    return _resting


def start(*, apart: bool) -> None:
    """Have it work again, for the program starts; and `apart` never look at what there is so far.

    Only what comes first counts: later there may be objects of the program's.
    """
    global _resting
    if _resting:
        _resting = False
        if apart:
            gc.freeze()
        gc.enable()
