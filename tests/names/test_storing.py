"""Functions that store into arrays and return something, called in expressions."""

from __future__ import annotations

import linecache

import pytest
from outcome import FILE, same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
n = 40
a = np.linspace(-1.0, 2.0, n)
b = np.arange(n) * 0.5
c = np.zeros(n)
x = [0.5 * i for i in range(n)]
def g(a, i):
    a[0] += 1.0
    a[i] = a[i - 1] * 0.5 + i
    return a[0]
def f(a, i):
    return g(a, i) + 1.0
def h(a, i):
    if a[i] > 3.0:
        a[i] = 0.0
        return 1
    return 0
def s(a, i):
    a[i] = i
"""

TAKEN = {
    "added up": "k = 0\nfor i in range(1, n):\n    k += h(a, i)\n",
    "in the test of an if": "for i in range(1, n):\n    if g(a, i) > 20.0:\n        c[i] = a[0]\n",
    "in the test of a while": """
for i in range(1, n):
    while g(a, i) < 30.0:
        c[i] += 1
""",
    "what stands behind it": "for i in range(1, n):\n    c[i] = g(a, i) + a[0] * 2\n",
    "two of them": "for i in range(1, n):\n    c[i] = g(a, i) + g(a, 2) * g(b, i)\n",
    "one in another": "for i in range(1, n):\n    c[i] = f(a, i)\n    b[i] += 1.0\n",
    "an argument of another": "for i in range(2, n):\n    c[i] = g(a, 1 + int(h(a, i)))\n",
    "where it is stored": "for i in range(1, n):\n    a[i] = g(a, i)\n",
    "one that returns nothing": """
def run():
    for i in range(1, n):
        t = s(a, i)
        c[i] = 1.0 if t is None else 2.0
run()
""",
    "lists": "k = 0\nfor i in range(1, n):\n    k = k + h(x, i)\n    x[i] += 4.0\n",
}

LEFT = {
    "a part is handed on": """
def top(u, v):
    u[:] = v * 2
    return u.sum()
A = np.ones((n, 3))
for i in range(1, n):
    c[i] = top(A[i], A[i - 1])
""",
    "one of two": "for i in range(1, n):\n    c[i] = g(a, i) if i % 3 else h(a, i) * 1.0\n",
    "an element before it": "for i in range(1, n):\n    c[i] = a[0] * 2 + g(a, i)\n",
    "an element before one that calls it": "for i in range(1, n):\n    c[i] = a[0] * 2 + f(a, i)\n",
    "in place": "for i in range(1, n):\n    a[0] += g(a, i)\n",
    "in place, through another": "for i in range(1, n):\n    a[i] += f(a, i)\n",
    "an element as an argument before it": "for i in range(1, n):\n    c[i] = max(a[0], g(a, i))\n",
    "an element for a function before it": """
def p(u, v): return u - v
for i in range(1, n):
    c[i] = p(a[0], f(a, i))
""",
    "a subscript": "for i in range(1, n):\n    c[int(abs(f(a, i))) % n] = a[0]\n",
    "a value before a subscript": "for i in range(1, n):\n    c[h(a, i)] = a[i]\n",
    "between comparisons": """
for i in range(1, n):
    if a[0] < g(a, i) < 30.0:
        c[i] = 1.0
""",
    "after and": "for i in range(1, n):\n    if a[i] > 0 and f(a, i) > 7:\n        c[i] = a[0]\n",
    "an array before it": """
for i in range(1, n):
    d = a + g(a, i)
    c[i] = d[0] + d[i]
""",
    "a result of an array before it": """
for i in range(1, n):
    d = a * 2 + f(a, i)
    c[i] = d[0] + d[i]
""",
    "an exception behind it": """
try:
    for i in range(1, n):
        c[i] = math.sqrt(g(a, i) - 2.0 * i + 20.0)
except ValueError:
    pass
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
