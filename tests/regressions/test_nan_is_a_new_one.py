"""Lists take the very same nan to be equal, so one that is assigned is another one."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
nan = float("nan")
def all_of_them(x):
    for i in range(len(x)):
        x[i] = x[i] * 1.0
def some(x):
    for i in range(len(x)):
        if i % 3:
            x[i] = x[i] * 1.0
def rows(m):
    for i in range(len(m)):
        m[i] = [v * 1.0 for v in m[i]]
def other(m):
    for i in range(len(m)):
        m[i] = m[0][:]
def new(x):
    for i in range(len(x)):
        x[i] = x[i] - x[i]
res = []
for f in (all_of_them, some, new):
    for x in ([nan, 1.0, 2.0] * 4, [nan] * 9, [1.0, 2.0, 3.0], [float("inf"), 1.0]):
        before = list(x)
        f(x)
        res.append((x == before, [v is w for v, w in zip(x, before) if w != w], x.count(nan)))
for f in (rows, other):
    for m in ([[nan, 1.0], [2.0, nan], [3.0, 4.0]], [[1.0, 2.0], [3.0, nan]], [[1.0], [2.0]]):
        before = [list(row) for row in m]
        f(m)
        res.append((m == before, [row.count(nan) for row in m]))
del nan, x, m, before
"""


def test_as_in_python() -> None:
    both(PROGRAM)
