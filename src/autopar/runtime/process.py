"""What a process has once: the lock of those who decide, the clock, the code with sites in it.

Imported with every rewritten module, so nothing heavy is imported here.  But `threading` is: who
imports it first is the main thread to it, for ever.
"""

from __future__ import annotations

import builtins
import os
import sys
import threading
import time
from types import CodeType, FrameType

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any


class _Unset:
    def __repr__(self) -> str:
        return "<unset>"


# One thread at a time imports, analyses and compiles (LLVM's loader is not reentrant); a fork
# waits for it, so that no child inherits a lock whose owner does not exist there.
# Handlers run before a fork in reverse order, so that of `logging` may have taken its lock by then.
# Nothing that is imported there waits for that lock, or the fork would wait for ever.
deciding = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=deciding.acquire, after_in_parent=deciding.release, after_in_child=deciding.release
    )

UNSET = _Unset()
"""In a result: this name was not assigned, leave it as it is."""

rewritten: dict[int, tuple[CodeType, str | bytes]] = {}
"""Code with sites in it, by its `id`, and the text of its module."""

texts: list[tuple[str, int]] = []
"""Files of the user's that are loaded, with a sum of their text."""

failed = False
"""Whether the program has ended with an exit status other than 0."""

clock = time.perf_counter  # taken early: users' tests replace it
used = time.thread_time


_SYS = vars(sys)
_trace, _profile = sys.gettrace, sys.getprofile


def traced() -> bool:
    """Whether a debugger, profiler or coverage tool watches the lines that run."""
    if _trace() is not None or _profile() is not None:
        return True
    monitoring = _SYS.get("monitoring")  # `getattr` takes ten times as long where there is none
    if monitoring is None:
        return False
    tool = monitoring.get_tool  # asked at every call: written out, for it takes a third of the time
    return not (tool(0) is tool(1) is tool(2) is tool(3) is tool(4) is tool(5) is None)


_BUILTINS = {name: value for name, value in vars(builtins).items() if callable(value)}


def replaced() -> str | None:
    """The name of a builtin that the program has replaced for all modules, those of Python's too.

    Nothing can be imported meanwhile: `len` is everybody's.
    """
    here = vars(builtins)
    for name, value in _BUILTINS.items():
        if here.get(name) is not value and name not in _OFTEN:
            return name
    return None


def users_frame(file: str) -> FrameType | None:
    """The innermost frame that runs code of `file`."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return frame


def user_globals(file: str) -> dict[str, Any]:
    """Names of the module whose code of `file` runs, in the innermost frame that does."""
    frame = users_frame(file)
    return frame.f_globals if frame is not None else {}


_OFTEN = frozenset(("print", "input", "open", "__import__", "__build_class__", "exit", "quit"))
"""What tools put in the place of builtins, without another meaning; `breakpoint` and its like are
called by nobody."""
