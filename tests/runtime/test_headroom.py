"""Room on the stack, and what is done without any."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from autopar.runtime.aside import _finish, aside
from autopar.runtime.headroom import room

SRC = str(Path(__file__).parents[2] / "src")


def down(depth, function):
    return down(depth - 1, function) if depth else function()


def through_reduce(depth, function):
    """Two levels for each frame, where both count."""
    if not depth:
        return function()
    return functools.reduce(lambda _, left: through_reduce(left, function), (depth - 1,), None)


def least(function):
    """The depth at which `function` is false for the first time."""
    limit = sys.getrecursionlimit()
    return next(depth for depth in range(0, limit, 10) if not function(depth))


def test_room_ends_where_so_many_calls_would():
    def fits(depth):
        try:
            return down(depth, lambda: down(200, lambda: True))
        except RecursionError:
            return False

    asked = least(lambda depth: down(depth, lambda: room(200)))
    assert least(fits) - 50 <= asked <= least(fits) + 10


def test_calls_without_frames_count():
    def fits(depth):
        try:
            return through_reduce(depth, lambda: down(100, lambda: True))
        except RecursionError:
            return False

    limit = sys.getrecursionlimit()
    for depth in range(0, limit // 4, 10):
        assert not through_reduce(depth, lambda: room(150)) or fits(depth)


def test_no_limit_is_too_small_to_ask():
    assert not room(sys.getrecursionlimit() + 1)


def test_work_on_a_thread_whose_stack_is_nearly_full():
    found = []

    def work():
        down(sys.getrecursionlimit() - 100, lambda: found.append(aside(lambda: down(500, id_of))))
        found.append(threading.get_ident())

    def id_of():
        return threading.get_ident()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(set(found)) == 2


WAITS = """
import sys, signal, time
import pytest

from autopar.runtime.aside import _finish, aside
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.1)
def work():
    time.sleep(0.5)
    print("done", flush=True)
try:
    aside(work)
except Late:
    print("late", flush=True)
"""


def test_the_end_of_a_process_waits_for_work(tmp_path):
    if not hasattr(os, "fork"):
        return
    run = subprocess.run(
        [sys.executable, "-c", WAITS], capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, "PYTHONPATH": SRC},
    )  # fmt: skip
    assert run.stdout == "late\ndone\n"


@pytest.mark.parametrize(("begun", "ends", "waits"), [([], 9, 1), ([None], 9, 2), ([None], 1, 1)])
def test_nobody_waits_for_a_thread_that_was_never_started(begun, ends, waits, monkeypatch):
    """An exception of a signal's handler may come just before."""
    limits = []

    class Lock:
        def acquire(self, timeout):
            limits.append(timeout)
            return len(limits) >= ends

        def release(self):
            limits.append(0)

    monkeypatch.setattr("autopar.runtime.aside._working", {Lock(): begun})
    _finish()
    assert [limit for limit in limits if limit] == sorted(limits[:waits])
    assert limits.count(0) == (ends == 1)
