"""Imports, analysis and compilation without a trace in the user's program.

Python runs signal handlers on the main thread, between any two steps of whatever it is doing.  An
exception that a handler raises must reach the user's program, and must not tear an import of
llvmlite or islpy in two; so the work is done on a thread of its own while the main thread waits.

Compilers use `warnings.catch_warnings`, which makes Python forget which warnings it has shown; the
user would see each of them again.
"""

from __future__ import annotations

import _thread
import atexit
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autopar import config
from autopar.runtime.headroom import room

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

_LEVELS = 600  # calls in one another, of imports and of an analysis
_BEGINS_S, _LONGEST_S = 1.0, 30.0  # until a thread that was started is at work; and is done
_PACKAGES = ("site-packages", "dist-packages")
_working: dict[_thread.LockType, list[None]] = {}
"""A lock for each thread at work, open once it is done; with something in it once it has begun."""


def aside(function: Callable[[], T]) -> T:
    """``function()``, with its exceptions; a signal handler's exception ends only the waiting."""
    if threading.current_thread() is not threading.main_thread() and room(_LEVELS):
        return function()
    found: list[T] = []
    errors: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()
    begun = _working[done] = list[None]()

    def work() -> None:
        begun.append(None)
        try:
            found.append(function())
        except BaseException as error:
            errors.append(error)
        finally:
            _working.pop(done, None)
            done.release()

    if not starts(work, ()):
        work()
    done.acquire()
    if errors:
        raise errors[0]
    return found[0]


def starts(function: Callable[..., object], args: tuple[object, ...]) -> bool:
    """Have a thread run ``function(*args)``; False where the system gives this process no more.

    Not threading.Thread: the user's threading.enumerate() must not change.
    """
    try:
        _thread.start_new_thread(function, args)
    except RuntimeError as error:
        trace = error.__traceback__
        if trace is not None and trace.tb_next is not None:
            raise  # of a signal handler, which has been called from here
        return False
    return True


def _finish() -> None:
    """Wait for what is still at work when the program ends: LLVM dies of a process that ends."""
    for done, begun in tuple(_working.items()):
        for limit_s in (_BEGINS_S, _LONGEST_S):
            if done.acquire(timeout=limit_s):
                done.release()
                break
            if not begun:  # a handler has raised just before the thread was started
                break


atexit.register(_finish)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_working.clear)  # their threads are not there


@contextmanager
def unnoticed() -> Iterator[None]:
    """Changes that this thread makes to the warning filters, and takes back, count as none."""
    original = getattr(warnings, "_filters_mutated", None)
    if original is None:  # from Python 3.14 on, changes are local to a context
        yield
        return
    mine = _thread.get_ident()

    def mutated() -> None:
        if _thread.get_ident() != mine:
            original()

    warnings._filters_mutated = mutated  # type: ignore[attr-defined]
    try:
        yield
    finally:
        warnings._filters_mutated = original  # type: ignore[attr-defined]


def ours(error: Exception) -> bool:
    """Whether `error` is one of ours that must not become the user's; in our own tests it must."""
    settings = config.current()
    return not (foreign(error) or settings.check or settings.fail_on_fallback)


def foreign(error: Exception) -> bool:
    """Whether `error` comes from a signal handler of the user's rather than from our own work.

    It may have been raised anywhere that the handler has called.
    """
    # Where an error of ours can come from: this package, the standard library, other packages.
    # Nothing is imported to find them, since the error may be that no file can be opened.
    paths = [path.rstrip(os.sep) for path in sys.path if type(path) is str]
    packages = [path for path in paths if os.path.basename(path) in _PACKAGES]
    own = "<", os.path.dirname(os.path.dirname(__file__)), os.path.dirname(os.__file__), *packages
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(own):
            return True
        trace = trace.tb_next
    return False
