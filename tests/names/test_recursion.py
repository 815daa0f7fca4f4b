"""Functions that call themselves, as deep as a number says."""

from __future__ import annotations

import linecache

import pytest
from outcome import FILE, plain, same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
n = 60
a = np.linspace(-1.0, 2.0, n)
c = np.zeros(n)
depth = 3
"""

TAKEN = {
    "to a depth": """
def f(x, depth):
    if depth > 0 and x < 1.5:
        return f(x * 1.25 + 0.1, depth - 1) * 0.5
    return x
for i in range(n):
    c[i] = f(a[i], depth)
""",
    "up to a level": """
def f(x, level):
    if level >= depth:
        return x
    return f(x + 1.0, level + 1) + f(x - 0.5, level + 1)
for i in range(n):
    c[i] = f(a[i], 0)
""",
    "a method": """
class Scene:
    def __init__(self):
        self.s = (0.5, 0.25)
        self.limit = 2
    def trace(self, p, depth):
        r = (p[0] * self.s[0], p[1] + self.s[1])
        if p[0] < 0.1:
            return r
        if depth > 0:
            q = self.trace(r, depth - 1)
            r = (r[0] + q[1], r[1] * q[0])
        return r
scene = Scene()
for i in range(n):
    p = scene.trace((a[i], 1.0), scene.limit)
    c[i] = p[0] - p[1]
""",
    "two that call each other": """
def even(x, k):
    return x if k == 0 else odd(x + 1.0, k - 1)
def odd(x, k):
    if k == 0:
        return -x
    return even(x * 2.0, k - 1)
for i in range(n):
    c[i] = even(a[i], depth)
""",
    "with None": """
def find(x, depth):
    if x > 1.0:
        return x
    if depth > 0:
        return find(x + 0.7, depth - 1)
    return None
for i in range(n):
    t = find(a[i], depth)
    c[i] = -1.0 if t is None else t
""",
    "a depth that is no more needed": """
def f(x, depth):
    if depth > 0:
        return f(x * 1.25, depth - 1)
    return x
def run(depth):
    for i in range(n):
        c[i] += f(a[i], depth)
for depth in (2, 1, 0, 2):
    run(depth)
""",
}

LEFT = {
    "deeper the next time": """
def f(x, depth):
    if depth > 0:
        return f(x * 1.25, depth - 1)
    return x
def run(depth):
    for i in range(n):
        c[i] += f(a[i], depth)
for depth in (1, 4, 2, 9, 1):
    run(depth)
""",
    "as deep as the numbers of an array say": """
def f(x):
    return f(x - 0.5) + 1.0 if x > 0.0 else x
for i in range(n):
    c[i] = f(a[i])
""",
    "without end": """
def f(x, depth):
    return f(x, depth + 1) if depth >= 0 else x
try:
    for i in range(n):
        c[i] = f(a[i], 0)
except RecursionError:
    c[1] = 1.0
""",
    "a number that is written out": """
def f(x, k):
    return x if k < 1 else f(x + 1.0, k - 1)
for i in range(n):
    c[i] = f(a[i], 2)
""",
    "a number that is made of itself": """
def f(x, k):
    return x if k > 3.0 else f(x + 1.0, k + 1.0)
s = 0.0
for i in range(n):
    s += f(a[i], s)
    c[i] = f(s, s - 1.0)
""",
    "a depth that changes": """
def f(x, k):
    if k > 0:
        k = k - 1
        return f(x + 1.0, k)
    return x
for i in range(n):
    c[i] = f(a[i], i % 3)
""",
    "an exception in the depth": """
def f(x, depth):
    if depth > 0:
        return f(x - 1.0, depth - 1)
    return math.sqrt(x + 3.0)
for i in range(n):
    c[i] = f(1.0 - 0.1 * i, depth)
""",
}


@pytest.fixture(autouse=True)
def texts(monkeypatch):
    """Programs have no file; where a console keeps their lines, helpers are found there."""

    def keep(source):
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, FILE, (len(source), None, lines, FILE))
        return same(source)

    return keep


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, texts):
    loops = texts(HEAD + TAKEN[title])
    assert "compiled" in loops.values(), loops


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title, texts):
    texts(HEAD + LEFT[title])


def test_an_exception_is_raised_where_python_raises_it(texts):
    source = HEAD + LEFT["an exception in the depth"]
    texts(source)
    found = plain(source).error
    assert found is not None
    assert found[0] is ValueError
