"""A live-in list that the nest changes by another name, and then replaces: it is changed itself."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
def step(a):
    return [x + 1 for x in a]
def whole(base, k):
    for i in range(k):
        c = base
        c[1] = i
        base = step(base)
    return base[0] + base[1]
def row(base, k):
    for i in range(k):
        c = base[0]
        c[1] = i
        base = [[x + 1 for x in row] for row in base]
    return base[0][0] + base[0][1]
def each(base, k):
    for i in range(k):
        for c in base:
            c[1] = i
        base = [[x + 1 for x in row] for row in base]
    return base[0][0] + base[1][1]
def array(base, k):
    for i in range(k):
        c = base[1:]
        c[0] = i
        base = base + 1
    return base[0] + base[1]
def copy(base, k):
    for i in range(k):
        c = base[:]
        c[1] = i
        base = c
    return base[0] + base[1]
res = []
for k in range(4):
    for f in (whole, copy):
        g = [1, 2, 3]
        res.append((f(g, k), g))
    for f in (row, each):
        g = [[1, 2, 3], [4, 5, 6]]
        res.append((f(g, k), g))
    g = np.arange(4.0)
    res.append((array(g, k), g))
"""


def test_as_in_python() -> None:
    import numpy as np

    both(PROGRAM, np=np)
