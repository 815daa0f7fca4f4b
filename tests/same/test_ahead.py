"""Subscripts that are checked before a loop mean what they mean in each of its iterations."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from outcome import both

from autopar import config
from autopar.cpu.ahead import AheadWriter

PROGRAM = """
def f(x, y, place, row, col, n, m):
    s = 0.0
    i = j = k = None
{loops}
    return s, i, j, k, row
x, y = given.copy(), other.copy()
try:
    r = f(x, y, place, row, col, n, m)
except Exception as error:
    r = repr(error)
"""
ROW = """\
for k in range(m):
    y[k] = x[row, k] * 2.0
"""
PAIR = """\
for i in range(n):
    s = 0.0
    for k in range(m):
        s += (x[row, k] - x[i, k]) * x[col, k]
    y[i] = s
"""
EACH = """\
for i in range(n):
    row = place[i]
    s = 0.0
    for k in range(m):
        s += x[row, k]
    y[i] = s
"""
MOVED = """\
for i in range(n):
    for k in range(m):
        y[k] += x[row + 1, k] - x[row - col, k]
    row = row + col
"""
SOMETIMES = """\
for i in range(n):
    for k in range(m):
        if y[k] > 0.5:
            y[k] = x[row, k]
"""
LEFT = """\
for k in range(m):
    if y[k] > 0.9:
        break
    y[k] = x[row, k]
"""
TRIANGLE = """\
for i in range(n):
    for k in range(i, m):
        y[k] += x[row, k] * x[i, row]
"""
WRITTEN = """\
for i in range(n):
    for k in range(m):
        x[row, k] = x[row, k] * 0.5 + y[k]
    y[row] = 1.0
"""
FROM_THE_END = """\
for k in range(-2, m):
    s += x[row, k]
"""
COUNTED_ANEW = """\
for i in range(n):
    row = place[i]
    for k in range(m):
        k = k - 3
        s += x[row, k]
"""
TWO_OF_A_NAME = """\
for i in range(n):
    row = place[i]
    for k in range(m):
        for k in range(4):
            s += 0.5
        s += x[row, k]
"""
FROM_A_MOVED_ONE = """\
for i in range(n):
    row = place[i]
    i = i - 5
    for k in range(i, m):
        s += x[row, k]
"""
PROGRAMS = {
    "counted anew": COUNTED_ANEW, "two of a name": TWO_OF_A_NAME, "from": FROM_A_MOVED_ONE,
    "a row": ROW, "two rows": PAIR, "each its own": EACH, "a row that moves": MOVED,
    "sometimes": SOMETIMES, "until": LEFT, "triangle": TRIANGLE, "written": WRITTEN,
    "from the end": FROM_THE_END,
}  # fmt: skip


def program(loops):
    return PROGRAM.format(loops="".join(f"    {line}\n" for line in loops.splitlines()))


@pytest.fixture
def checks(monkeypatch):
    """Arrays and axes that were looked at before a loop."""
    found = []
    plain = AheadWriter.check

    def noted(self, array, axis, *more):
        found.append((array, axis))
        return plain(self, array, axis, *more)

    monkeypatch.setattr(AheadWriter, "check", noted)
    return found


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_same_numbers_and_errors(name, threads):
    config.use(replace(config.current(), threads=threads))
    rng = np.random.default_rng(3)
    rows = [(2, 1), (-1, 3), (-7, 0), (6, 2), (7, -8), (-8, 1), (np.int64(4), np.int32(-3))]
    rows += [(2**63, 1), (True, 0), (1.0, 2), (np.uint64(3), 2)]
    sizes = [(7, 9), (5, 10), (6, 0), (0, 9), (1, 1), (8, 9)]
    for k, ((row, col), (n, m)) in enumerate(itertools.product(rows, sizes)):
        if (k + k // len(sizes) + threads // 3) % 2:  # the other half with other threads
            continue
        names = {"row": row, "col": col, "n": n, "m": m}
        x, y, place = rng.random((7, 9)), rng.random(9), rng.integers(-9, 9, 7) % 8
        both(program(PROGRAMS[name]), given=x, other=y, place=place, **names)


@pytest.mark.parametrize(
    ("name", "looked_at"),
    [
        ("a row", {("x", 0)}),
        ("two rows", {("x", 0), ("x", 1)}),
        ("each its own", {("x", 0), ("x", 1)}),
        ("sometimes", set()),
        ("until", set()),
    ],
)
def test_what_is_looked_at_before(name, looked_at, apart, checks):
    apart()
    config.use(replace(config.current(), threads=1))
    x, y, place = np.ones((7, 9)), np.zeros(9), np.array([3, -1, 2, 0, 6, 5, 1])
    both(program(PROGRAMS[name]), given=x, other=y, place=place, row=-2, col=1, n=7, m=9)
    assert set(checks) == looked_at
