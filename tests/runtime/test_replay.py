"""Calls that are whole in machine code: what is said of them, and what is as before where they end.

What has changed between calls is in `test_again`, loops one after the other are in `test_steps`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from outcome import both

from autopar import config
from autopar.cpu import build
from autopar.cpu import team as layout
from autopar.cpu.likeness import table
from autopar.cpu.replay import OTHER, RANG, Call, Item, Replayed
from autopar.runtime import steady
from autopar.runtime.run import pool
from autopar.runtime.run.replay import Replay

KNOWN = np.ones(3), 5


def said(calls: list[Call], values: tuple[Any, ...], bell: int = 0) -> int:
    """What machine code answers to `values`, where such are known."""
    like = table(KNOWN, [0], [(1, False)], [], [])
    memory = bytearray([0, 0, bell, 0])
    made = Replayed(like, None, (), calls, 0, 0, 0, [bytearray(5), memory])
    return partial(build.teams(None), 0, layout.AGAIN)(made.address, values, None)


def status(number: int, bits: bool = False) -> Call:
    """A kernel that comes to this."""
    return Call(math.gcd, (number, 0), bits)


def test_what_kernels_come_to() -> None:
    assert said([], KNOWN) == 0
    assert said([status(0), status(0)], KNOWN) == 0
    assert said([status(0), status(3), status(1)], KNOWN) == 1 << 3
    assert said([status(6, bits=True), status(1)], KNOWN) == 6


def test_items_are_handed_over() -> None:
    one = [Call(math.gcd, (0, Item(1)), bits=False)]
    for number in (0, 1, 2, 4):
        assert said(one, (np.zeros(3), number)) == (1 << number if number else 0)


def test_others_are_not_run() -> None:
    fails = [Call(math.gcd, ("no number",), bits=False)]
    for other in ((np.ones(4), 5), (np.ones(3), 5.0), (None, 5), (np.ones(3, np.float32), 5)):
        assert said(fails, other) == OTHER
    with pytest.raises(TypeError):
        said(fails, KNOWN)


def test_bells_are_heard() -> None:
    assert said([status(0)], KNOWN, bell=1) == RANG
    assert said([status(2)], KNOWN, bell=-1 & 255) == RANG | 1 << 2


# ---------------------------------------------------------------------------- in programs

HEAD = """
import numpy as np
def stepped(a, b, steps):
    n, m = a.shape
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(m):
                b[i, j] = a[i - 1, j] + a[i + 1, j] * 0.25
        for i in range(1, n - 1):
            for j in range(m):
                a[i, j] += b[i, j] * 0.5
def places(a, b, at):
    for i in range(a.shape[0]):
        a[i, 0] = a[i, 0] + b[i, 1]
        b[i, int(a[at, 1])] = 2.0
def data(n=40, m=30):
    return np.arange(1.0, n * m + 1).reshape(n, m) % 7.0, np.zeros((n, m))
def tell(f, a, b, third):
    print(end="")  # or the loop around is one nest
    try:
        f(a, b, third)
    except IndexError as error:
        print(error)
"""


@pytest.fixture(params=[1, 2])
def replays(request: Any, soon: None, replays: list[bool], monkeypatch: Any) -> list[bool]:
    """The same, on so many threads, from the third call on."""
    monkeypatch.setattr(steady, "_FIRST", 1)
    monkeypatch.setattr(steady, "_PAYS", 0)
    config.use(replace(config.current(), threads=request.param))
    return replays


def test_several_threads_at_once(replays: list[bool]) -> None:
    both(
        HEAD
        + """
import sys, threading
sys.setswitchinterval(1e-5)
found = [None] * 4
def work(k):
    a, b = data()
    a += k
    for _ in range(40):
        tell(stepped, a, b, 3)
    found[k] = a.tobytes(), b.tobytes()
for _ in range(6):
    tell(stepped, *data(), 3)
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found)
"""
    )
    assert sum(replays) > 20


def test_whoever_has_no_team_any_more_goes_on_without(
    replays: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a child that has been forked: the threads of its parent are not there."""
    made: list[int] = []
    usual = Replay.__init__

    def noted(self: Replay, *args: Any) -> None:
        usual(self, *args)
        made.append(id(self))

    monkeypatch.setattr(Replay, "__init__", noted)
    monkeypatch.setattr(np, "restart_", pool._restart, raising=False)
    both(
        HEAD
        + """
a, b = data()
for k in range(30):
    if k == 15 and hasattr(np, "restart_"):
        np.restart_()
    tell(stepped, a, b, 3)
    print(a.tobytes(), b.tobytes())
"""
    )
    assert sum(replays) > 5


def test_what_raises_in_between_is_undone(
    replays: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As what a signal's handler raises when machine code has come to its end."""
    before: list[Any] = []
    usual = Replay.run

    def interrupted(self: Replay, roots: tuple[Any, ...]) -> Any:
        ran = self.ran
        arrays = [one for one in roots if isinstance(one, np.ndarray)]
        contents = [array.tobytes() for array in arrays]

        def raises(*args: Any) -> int:
            ran(*args)
            assert [array.tobytes() for array in arrays] != contents
            raise KeyboardInterrupt

        monkeypatch.setattr(self, "ran", raises)
        with pytest.raises(KeyboardInterrupt):
            usual(self, roots)
        monkeypatch.setattr(self, "ran", ran)
        places = [k for k, one in enumerate(roots) if isinstance(one, np.ndarray)]
        then = dict(zip(places, contents, strict=True))
        before.extend(roots[place].tobytes() == then[place] for place in self.undone)
        return usual(self, roots)

    monkeypatch.setattr(Replay, "run", interrupted)
    both(
        HEAD
        + """
a, b = data()
for k in range(12):
    tell(places, a, b, 3)
    print(a.tobytes(), b.tobytes())
"""
    )
    assert before
    assert all(before)


def test_what_was_interrupted_warns_of_nothing_later(
    replays: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted: list[bool] = []
    usual = Replay.run

    def run(self: Replay, roots: tuple[Any, ...]) -> Any:
        ran, arrays = self.ran, [one for one in roots if isinstance(one, np.ndarray)]

        def raises(*args: Any) -> int:
            said = ran(*args)
            if said and any(array[5, 0] == 0.0 for array in arrays):
                interrupted.append(True)
                raise KeyboardInterrupt
            return said

        monkeypatch.setattr(self, "ran", raises)
        try:
            return usual(self, roots)
        finally:
            monkeypatch.setattr(self, "ran", ran)

    monkeypatch.setattr(Replay, "run", run)
    both(
        HEAD
        + """
import warnings
def shared(a, b, third):
    for i in range(a.shape[0]):
        a[i, 0] = a[i, 0] * 0.5 + third / b[i, 0]
for k in range(30):
    a, b = data()
    b += 1.0
    b[5, 0] = k % 3 != 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            tell(shared, a, b, 3.0)
        except KeyboardInterrupt:
            pass
    if k % 3 != 1:
        print(k, [(str(w.message), w.lineno) for w in caught])
del a, b, caught
"""
    )
    assert interrupted


def test_kernels_that_give_up_are_undone(replays: list[bool]) -> None:
    both(
        HEAD
        + """
for k in range(24):
    a, b = data()
    a[3, 1] = 77.0 if k in (13, 17) else -1.0 if k == 15 else 4.0
    tell(places, a, b, 3)
    print(a.tobytes(), b.tobytes())
"""
    )
    assert True in replays
    assert False in replays


def test_near_the_end_of_the_stack(replays: list[bool]) -> None:
    both(
        HEAD
        + """
a, b = data()
for _ in range(9):
    tell(stepped, a, b, 3)
def deepest(depth):
    try:
        return deepest(depth + 1)
    except RecursionError:
        return depth
def down(depth, a, b):
    if depth < 20:
        stepped(a, b, 3)
    if depth:
        down(depth - 1, a, b)
most = deepest(0)
for left in (*range(4, 30), 100, 200):  # to ask takes two levels
    a, b = data()
    try:
        down(most - left, a, b)
    except RecursionError:
        print("too deep")
    print(left, a.tobytes(), b.tobytes())
del most  # another one where there are other callers
"""
    )
    assert sum(replays) > 10


def test_nobody_is_kept_alive(replays: list[bool]) -> None:
    both(
        HEAD
        + """
import sys
a, b = data()
for k in range(40):
    tell(stepped, a, b, 3)
    if k > 30:
        print(sys.getrefcount(a), sys.getrefcount(b), sys.getrefcount(data))
"""
    )
    assert sum(replays) > 20
