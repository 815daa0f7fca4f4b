"""``above = row`` at the end of an iteration that has made a row of its own."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 9
a = np.arange(float(n * n)).reshape(n, n) % 7
x = [float(k % 4) for k in range(n)]
"""

TAKEN = {
    "lists": """
    above = [0.0] * n
    best = 0.0
    for i in range(1, n):
        row = [0.0] * n
        for j in range(1, n):
            row[j] = max(row[j - 1], above[j - 1] + x[j]) + above[j]
            best = max(best, row[j])
        above = row
    return best, x
""",
    "arrays": """
    above = a[0].copy()
    total = 0.0
    for i in range(1, n):
        row = np.zeros(n)
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        total += row[i]
        above = row
    return total
""",
    "that is needed afterwards": """
    above = np.ones(n)
    for i in range(1, n):
        row = above * 0.5
        for j in range(1, n):
            row[j] = row[j - 1] + above[j] * a[i, j]
        above = row
    return above
""",
    "of a list that is known elsewhere": """
    above = x
    total = 0.0
    for i in range(n):
        row = [1.0] * n
        for j in range(n):
            row[j] = above[n - 1 - j] + i
        total += row[0]
        above = row
    return total, x
""",
}

LEFT = {
    "in a loop within": """
    total = 0.0
    for k in range(3):
        above = [1.0] * n
        for i in range(n):
            row = [0.0] * n
            for j in range(1, n):
                row[j] = above[j - 1] * 0.5 + a[i, j] + k
            above = row
        total += above[n - 1]
    return total
""",
    "both are needed": """
    above = np.ones(n)
    row = above
    for i in range(1, n):
        row = np.zeros(n)
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        above = row
    row[0] = 99.0
    return above, row
""",
    "the row goes on": """
    above = np.ones(n)
    for i in range(1, n):
        row = np.zeros(n)
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        above = row
        row[0] = 5.0
        row[1] = above[0] + 1.0
    return above
""",
    "not in each iteration": """
    above = np.ones(n)
    row = np.zeros(n)
    for i in range(1, n):
        if i % 2 == 0:
            row = np.zeros(n)
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        above = row
    return above
""",
    "it has another name": """
    above = np.ones(n)
    total = 0.0
    for i in range(1, n):
        row = np.zeros(n)
        other = row
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        above = row
        other[0] = 7.0
        total += above[0]
    return above, total
""",
    "under a condition": """
    above = np.ones(n)
    for i in range(1, n):
        row = np.zeros(n)
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        if i % 3:
            above = row
    return above
""",
    "the old row is changed": """
    old = above = np.ones(n)
    for i in range(1, n):
        row = np.zeros(n)
        for j in range(1, n):
            row[j] = above[j - 1] + a[i, j]
        above = row
        old[0] = 3.0
    return above, old
""",
    "rows of several lengths": """
    above = [1.0] * n
    for i in range(1, n):
        row = [0.5] * (n + i)
        for j in range(1, n):
            row[j] = above[j - 1] + x[j]
        above = row
    return above
""",
    "ints and floats": """
    above = [1] * n
    for i in range(1, n):
        row = [0.5] * n
        for j in range(1, n):
            row[j] = above[j - 1] + x[j]
        above = row
    return above
""",
}


def code_of(body: str) -> str:
    return f"{HEAD}def f():{body}r = f()\ns = f()\n"


def lines(body: str) -> list[int]:
    return [k for k, line in enumerate(code_of(body).splitlines(), 1) if "    for " in line]


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(code_of(TAKEN[name]))
    assert loops[lines(TAKEN[name])[0]] == "compiled", loops


@pytest.mark.parametrize("name", LEFT)
def test_as_python_does(name: str) -> None:
    same(code_of(LEFT[name]))
