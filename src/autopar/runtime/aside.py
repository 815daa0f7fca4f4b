"""Imports, analysis and compilation without a trace in the user's program.

Python runs signal handlers on the main thread, between any two steps of whatever it is doing.  An
exception that a handler raises must reach the user's program, and must not tear an import of
llvmlite or islpy in two; so the work is done on a thread of its own while the main thread waits.

Compilers use `warnings.catch_warnings`, which makes Python forget which warnings it has shown; the
user would see each of them again.
"""

from __future__ import annotations

import _thread
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def aside(function: Callable[[], T]) -> T:
    """``function()``, with its exceptions; a signal handler's exception ends only the waiting."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    found: list[T] = []
    errors: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def work() -> None:
        try:
            found.append(function())
        except BaseException as error:
            errors.append(error)
        finally:
            done.release()

    _thread.start_new_thread(work, ())
    done.acquire()
    if errors:
        raise errors[0]
    return found[0]


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
