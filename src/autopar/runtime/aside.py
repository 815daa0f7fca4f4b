"""Imports, analysis and compilation away from the user's signal handlers.

Python runs signal handlers on the main thread, between any two steps of whatever it is doing.  An
exception that a handler raises must reach the user's program, and must not tear an import of Numba
or islpy in two; so the work is done on a thread of its own while the main thread waits.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
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
