"""Copies of lists of lists, row by row: each row is a list of its own."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 12
u = [[float((i * 7 + j * 3) % 11) for j in range(n)] for i in range(n)]
k = [[i * j for j in range(5)] for i in range(n)]
shared = [u[3]] * n
uneven = [[1.0] * (i % 3) for i in range(n)]
a = np.arange(24.0).reshape(4, 6)
arrays = [np.arange(3.0) + i for i in range(4)]
deep = [[[1.0, 2.0], [3.0, 4.0]] for i in range(n)]
def changed(new):
    new[1][2] = -1.0
    return [x is y for x, y in zip(u, new)]
"""

TAKEN = {
    "slices": "def f(u, n):\n    for t in range(3):\n        new = [row[:] for row in u]\n"
    "        for i in range(1, n - 1):\n            for j in range(1, n - 1):\n"
    "                new[i][j] = u[i - 1][j] + 0.5 * u[i][j + 1]\n        u = new\n    return u\n"
    "v = f(u, n)\nw = changed(v)",
    "copies": "def f(u, n):\n    for t in range(3):\n        old = [row.copy() for row in u]\n"
    "        for i in range(1, n - 1):\n            for j in range(1, n - 1):\n"
    "                u[i][j] = old[i - 1][j] + 0.5 * old[i][j + 1]\nf(u, n)",
    "lists": "def f(u, n):\n    for t in range(3):\n        old = [list(row) for row in u]\n"
    "        for i in range(1, n):\n            for j in range(n):\n"
    "                u[i][j] += old[i - 1][j]\nf(u, n)",
    "parts": "def f(u, n):\n    for t in range(3):\n        old = [row[1:4] for row in u]\n"
    "        for i in range(1, n):\n            u[i][t] += old[i - 1][2]\nf(u, n)",
    "appended": "def f(u, n):\n    out = []\n    for t in range(n):\n        out.append(u[t][:])\n"
    "        u[t][3] = -1.0\n    return out\nv = f(u, n)\nw = changed(v)",
    "ints": "def f(u, n):\n    for t in range(3):\n        new = [row[:] for row in u]\n"
    "        for i in range(1, n):\n            new[i][t] += u[i - 1][t + 1]\n"
    "        u = new\n    return u\nv = f(k, n)",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(HEAD + TAKEN[name] + "\n")
    line = next(k for k, text in enumerate(TAKEN[name].split("\n")) if "for" in text)
    assert loops[HEAD.count("\n") + 1 + line] == "compiled", loops


OTHERS = {
    "a row by several names": "new = [row[:] for row in shared]\nnew[0][1] = 5.0",
    "several lengths": "new = [row[:] for row in uneven]\nnew[1].append(3.0)",
    "rows of an array, which are views": "new = [row[:] for row in a]\nnew[0][1] = 5.0",
    "arrays, which are views": "new = [row[:] for row in arrays]\nnew[0][1] = 5.0",
    "arrays, copied": "new = [row.copy() for row in arrays]\nnew[0][1] = 5.0",
    "lists in lists in lists": "new = [row[:] for row in deep]\nnew[0][1][0] = 5.0",
    "the rows themselves": "new = [row for row in u]\nnew[0][1] = 5.0",
    "the list itself": "new = u[:]\nnew[0][1] = 5.0",
    "backwards": "new = [row[::-1] for row in u]\nnew[0][1] = 5.0",
    "appended in a loop": "new = []\nfor row in u:\n    new.append(row[:])\nnew[0][1] = 5.0",
    "the same copy twice": "new = []\nfor row in u:\n    b = row[:]\n    new.append(b)\n"
    "    new.append(b)\nnew[0][1] = 5.0",
    "a copy that is changed": "new = []\nfor row in u:\n    b = row.copy()\n    b[1] = -2.0\n"
    "    new.append(b)\n    row[2] = 7.0",
    "a copy that grows": "new = []\nfor row in u:\n    b = row.copy()\n    b.append(-2.0)\n"
    "    new.append(b)",
}


@pytest.mark.parametrize("name", OTHERS)
def test_whoever_copies_them(name: str) -> None:
    """What is one list in the end, and what are several, is as ever."""
    check = "ids = [[x is y for x in new] for y in [*u, *new]]\nlengths = [len(x) for x in new]"
    same(f"{HEAD}{OTHERS[name]}\n{check}\n")
    body = "\n".join(f"    {line}" for line in OTHERS[name].split("\n"))
    text = f"def f(u, shared, uneven, a, arrays, deep):\n{body}\n    return new\n"
    same(f"{HEAD}{text}new = f(u, shared, uneven, a, arrays, deep)\n{check}\n")


@pytest.mark.parametrize("name", TAKEN)
def test_a_nan_is_the_very_same(name: str) -> None:
    """Lists take it to be equal to itself then."""
    head = HEAD + "nan = float('nan')\nu[2][3] = nan\nbefore = [*u]\nfirst = [*u[2]]\n"
    check = "same = u[2] == first, u == before, [row == first for row in u]\n"
    ends = "" if "v = " not in TAKEN[name] else "more = [row == first for row in v], v == u\n"
    same(head + TAKEN[name] + "\n" + check + ends)
