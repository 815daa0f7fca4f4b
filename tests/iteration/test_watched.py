"""Loops of which nobody knows how long they take are taken from any of their iterations on."""

from __future__ import annotations

import ast
import math

import pytest
from outcome import both

from autopar.nest.text.find import find
from autopar.runtime.site import Site
from autopar.runtime.unknown import Unknown
from autopar.runtime.watched import Watched

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(3)
n, m = 25, 6
a, b = rng.random(n) + 0.5, np.zeros(m)
s = k = 0
"""
LOOPS = {
    "parallel": "for t in range(n):\n    a[t] = half(a[t])\n",
    "in order": "for t in range(n):\n    b[t % m] += half(a[t])\n    s += b[0]\n",
    "backwards": "for t in range(n - 1, -1, -2):\n    s = s * 0.5 + half(a[t])\n",
    "in steps": "for t in range(2, n, 3):\n    a[t] = half(a[t]) + a[t - 2]\n",
    "inner loops": """
for t in range(n):
    for j in range(m):
        b[j] += half(a[t]) * j
    for k in range(t):
        s += half(a[k])
""",
    "a break": """
for t in range(n):
    s += half(a[t])
    if s > 9.0:
        break
else:
    k = 1
""",
    "no break": """
for t in range(n):
    s += half(a[t])
    if s > 9000.0:
        break
else:
    k = 1
""",
    "continue": "for t in range(n):\n    if t % 3 == 0:\n        continue\n    a[t] = half(a[t])\n",
    "a function that returns": """
def f(a, limit):
    for t in range(len(a)):
        a[t] = half(a[t])
        if a[t] > limit:
            return t
    return -1
s, k = f(a, 1.4), f(a, 9.0)
""",
    "an exception": """
def f(a, c):
    for t in range(len(a)):
        a[t] = half(a[t])
        c[t] = a[t]
    return t
try:
    s = f(a, np.zeros(9))
except IndexError as error:
    k = str(error)
""",
    "a division by zero": """
c = [1, 2, 3, 4, 5, 6, 7, 0, 9]
try:
    for t in range(len(c)):
        s += half(1 / c[t])
except ZeroDivisionError as error:
    k = str(error), t
""",
    "its last values": "for t in range(n):\n    k = half(a[t])\n    s = k * t\nlast = t, k\n",
    "two times": """
def f(a, n):
    for t in range(n):
        a[t] = half(a[t])
f(a, n)
f(a, 7)
f(a, 0)
""",
    "within itself": """
def f(a, n):
    for t in range(n):
        a[t] = half(a[t])
    return f(a, n - 6) + 1 if n > 6 else 0
s = f(a, n)
""",
    "another range": "for t in range(k + 3, min(n, m * 4)):\n    a[t] = half(a[t])\n",
}
RAISING = {"an exception", "a division by zero"}


def half(v: float) -> float:
    """A function of another module: who reads the loop does not know what it does."""
    return math.sqrt(v) * 0.5 + 1


def waits(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """The first `count` iterations of each loop are left to the interpreter."""

    def later(site: Site, values: tuple[object, ...]) -> bool:
        if site.unknown is None:
            site.unknown = Unknown(site.spec, 0.0)
            site.unknown.may_s = math.inf
        site.unknown.calls += 1
        return site.unknown.calls > count

    monkeypatch.setattr(Site, "is_worth", later)
    monkeypatch.setattr(Unknown, "watches", lambda unknown: True)


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("title", LOOPS)
def test_the_rest_of_a_loop(title: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    waits(monkeypatch, count)
    found = both(HEAD + LOOPS[title], half=half)
    first = min(found.loops)
    assert found.loops[first] == ("failed-inside" if title in RAISING else "compiled")


def test_only_loops_that_stand_in_no_other_are_watched() -> None:
    def watched(text: str) -> list[bool]:
        tree = ast.parse(HEAD + text)
        return [one.stretch is not None and one.stretch.watched for one in find(tree, "f.py", "")]

    assert watched(LOOPS["parallel"]) == [True]
    assert sum(watched(LOOPS["inner loops"])) == 1
    assert not any(watched("for t in range(n):\n    a[t] = a[t] * 2\n"))
    assert not any(watched("for v in a:\n    s += half(v)\n"))
    assert not any(watched("for t in range(n):\n    a[t] = half(a[t])\nprint(locals())\n"))


def test_a_loop_that_may_not_be_taken_is_asked_once_in_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    true = Watched.run

    def run(site: Watched, values: tuple[object, ...] | None) -> object:
        asked.append(1)
        return true(site, values)

    monkeypatch.setattr(Watched, "run", run)
    text = "for t in range(n):\n    a[t] = half(a[t])\n    names.append(str(t))\n"
    found = both(f"{HEAD}names = []\n{text * 2}", half=half)
    assert "compiled" not in found.loops.values()
    assert len(asked) <= 2


@pytest.mark.usefixtures("lenient")
def test_ranges_that_nobody_can_count() -> None:
    both("""
def f(n):
    t = 0
    for i in range(n):
        t += i % 7
        if i % 1000 == 0:
            seen.append(i)
        if i > 5000:
            break
    return t
seen = []
res = [f(n) for n in (10, 10000, 10**12, 2**62, 10**20, -5)]
""")
