"""Ctrl-C reaches the user's program within a second, whatever kernel is running."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import config
from autopar.runtime.run import pool

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
COUNTED = """
for i in range(m):
    for j in range(cnt[i]):
        x = x * 0.999 + a[i]
"""
NEVER_TAKEN = """
for t in range(n):
    if flag[t % m] > 0:
        for i in range(m):
            a[i] = b[i, 0] + t
"""
MAY_BREAK = """
for i in range(n):
    x = x * 0.5 + 1.0
    if x < 0.0:
        break
"""
IN_STEPS = """
for i in range(0, n, 3):
    x = x * 0.999 + a[i % m]
"""
BREAKS_INSIDE = """
for i in range(m):
    for j in range(n):
        x = x * 0.5 + 1.0
        if x < 0.0:
            break
    a[i] = x
"""
STEEP = """
for i in range(50):
    for j in range(1 << i):
        x = x * 0.999 + a[i]
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
        (COUNTED, {"m": 1000}),
        (NEVER_TAKEN, {"n": FOREVER, "m": 1000}),
        (STEEP, {}),
        (MAY_BREAK, {"n": FOREVER}),
        (IN_STEPS, {"n": FOREVER, "m": 1000}),
        (BREAKS_INSIDE, {"n": FOREVER, "m": 10}),
    ],
)
def test_a_signal_is_answered_at_once(source, sizes, monkeypatch):
    # Verification would run the nest in the interpreter first.
    monkeypatch.setattr("autopar.runtime.verify.verified", lambda *args: args[-1]())
    started: list[float] = []

    def handler(number: int, frame: object) -> None:
        started.append(time.monotonic())
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    arrays = {"a": np.ones(1000), "b": np.ones((1000, 1000)), "flag": np.zeros(1000)}
    arrays["cnt"] = np.full(1000, 10**10)
    try:
        signal.setitimer(signal.ITIMER_REAL, 3.0)
        with pytest.raises(Alarm):
            harness.run(source, x=1.0, **arrays, **sizes)
        assert time.monotonic() - started[0] < 5.0
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
            pool.interruptible(work, word)
        assert left == [True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_nest_that_was_short_before_is_interruptible(monkeypatch):
    """Nobody knows how long a `while` runs, whatever it did the last time."""
    monkeypatch.setattr("autopar.runtime.verify.verified", lambda *args: args[-1]())
    source = "for i in range(n):\n    x = v[i]\n    while x > 0.5:\n        x = x * k\n"
    here = harness.site(source)

    def call(n: int, k: float) -> None:
        space = {"v": np.full(1000, 2.0), "n": n, "k": k, "x": 0.0, "range": range}
        assert here.run(tuple(space[root] for root in here.spec.roots)) is not None

    def handler(number: int, frame: object) -> None:
        raise Alarm

    config.use(replace(config.current(), verify=True))
    call(5, 0.0)
    call(5, 0.0)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        began = time.monotonic()
        with pytest.raises(Alarm):
            call(1000, 1.0)
        assert time.monotonic() - began < 10.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        config.use(replace(config.current(), verify=False))


def test_a_signal_between_the_end_of_a_job_and_the_end_of_the_waiting(monkeypatch):
    """The lock is taken, but the handler raises before anyone knows of it."""

    class Lock:
        def __init__(self, inner):
            self.inner, self.raised = inner, False

        def acquire(self, *args, **more):
            got = self.inner.acquire(*args, **more)
            if got and not self.raised:
                self.raised = True
                raise Alarm
            return got

        def release(self):
            self.inner.release()

    made = pool._Job.__init__

    def init(job, *args):
        made(job, *args)
        job.done = Lock(job.done)

    monkeypatch.setattr(pool._Job, "__init__", init)
    monkeypatch.setattr(pool, "_GLANCE_S", 20.0)  # no look at the end by chance
    began = time.monotonic()
    with pytest.raises(Alarm):
        pool.interruptible(lambda: time.sleep(0.1) or 0, pool.Word())
    taken = threading.Event()

    def task(chunk: int) -> int:
        """The chunk of the other thread ends last, so that this one has something to wait for."""
        if threading.current_thread() is threading.main_thread():
            taken.wait(1.0)
        else:
            taken.set()
            time.sleep(0.1)
        return 0

    with pytest.raises(Alarm):
        pool.run(task, 2, 2, pool.Word())
    assert time.monotonic() - began < 10.0


def test_a_signal_while_a_job_is_handed_out_takes_it_back(monkeypatch):
    ran: list[int] = []

    class Queue:
        def put(self, job):
            raise Alarm

    monkeypatch.setattr(pool._pool, "queue", Queue())
    with pytest.raises(Alarm):
        pool.run(lambda chunk: ran.append(chunk) or 0, 8, 2, pool.Word())
    assert ran == []


def test_nests_of_other_threads_do_not_keep_one_from_being_interrupted():
    words = [pool.Word() for _ in range(4)]

    def busy(word: pool.Word) -> int:
        while not word.stopped:
            time.sleep(0.001)
        return 2

    others = [
        threading.Thread(target=pool.run, args=(lambda chunk, w=w: busy(w), 3, 3, w)) for w in words
    ]
    for thread in others:
        thread.start()

    def handler(number: int, frame: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    mine = pool.Word()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        began = time.monotonic()
        with pytest.raises(Alarm):
            pool.interruptible(lambda: busy(mine), mine)
        assert time.monotonic() - began < 10.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        for word in words:
            word.stop()
        for thread in others:
            thread.join(10)
