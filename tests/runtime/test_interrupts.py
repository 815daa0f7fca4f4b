"""Ctrl-C reaches the user's program within a second, whatever kernel is running."""

from __future__ import annotations

import signal
import time

import harness
import numpy as np
import pytest

from autopar.runtime import pool

FOREVER = 10**11

SEQUENTIAL = """
for i in range(n):
    x = x * 0.999 + a[i % m]
"""
PARALLEL = """
for i in range(n):
    for j in range(m):
        for k in range(10**9):
            b[i, j] = b[i, j] * 0.5 + a[j]
"""
LONG_INSIDE = """
for i in range(m):
    for j in range(n):
        a[i] = a[i] * 0.5 + 1.0
"""
ENDLESS = """
for i in range(m):
    k = 1
    while k > 0:
        k = k % 7 + 1
    a[i] = k
"""
MANY_LAUNCHES = """
for t in range(n):
    for i in range(1, m):
        a[i] = b[i, 0] + a[0]
    a[0] = a[0] * 0.5 + a[m - 1]
"""
BACKWARDS = """
for i in range(n, 0, -1):
    x = x * 0.999 + a[i % m]
"""


class Alarm(Exception):
    """What the handler raises, as Ctrl-C raises KeyboardInterrupt."""


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(
    ("source", "sizes"),
    [
        (SEQUENTIAL, {"n": FOREVER, "m": 1000}),
        (PARALLEL, {"n": 1000, "m": 1000}),
        (LONG_INSIDE, {"n": FOREVER, "m": 10}),
        (ENDLESS, {"n": 0, "m": 100}),
        (MANY_LAUNCHES, {"n": FOREVER, "m": 1000}),
        (BACKWARDS, {"n": FOREVER, "m": 1000}),
    ],
)
def test_a_signal_is_answered_at_once(source, sizes, monkeypatch):
    # Verification would run the nest in the interpreter first.
    monkeypatch.setattr("autopar.runtime.engine.verified", lambda *args: args[-1]())
    started: list[float] = []

    def handler(number: int, frame: object) -> None:
        started.append(time.monotonic())
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    arrays = {"a": np.ones(1000), "b": np.ones((1000, 1000))}
    try:
        signal.setitimer(signal.ITIMER_REAL, 3.0)
        with pytest.raises(Alarm):
            harness.run(source, x=1.0, **arrays, **sizes)
        assert time.monotonic() - started[0] < 1.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_second_signal_does_not_leave_a_kernel_behind():
    word = pool.Word()
    left: list[bool] = []

    def work() -> int:
        while not word.stopped:
            time.sleep(0.01)
        time.sleep(0.3)
        left.append(True)
        return 2

    def handler(number: int, frame: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        with pytest.raises(Alarm):
            pool.interruptible(work, 1, word)
        assert left == [True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
