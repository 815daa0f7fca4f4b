"""Rows of a list of lists for which new lists are put."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import random
random.seed(5)
n = 7
a = [[random.uniform(-1.0, 1.0) for _ in range(n)] for _ in range(n)]
old = list(a)
items = [row + [] for row in a]
whole = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] * 2 + [[0, 0, 1]]
whole = [row + [] for row in whole]
p = [3, 0, 6, 2, 2, 5, 1]
b = [0.0] * n
count = 0
def program(a, b):
    global count
    k = s = 0
"""
TAIL = """
try:
    program(a, b)
except Exception as error:
    count = repr(error)
places = [[row is other for other in old] for row in a]
kept = [[x is y for x, y in zip(row, before)] for row, before in zip(old, items)]
twice = [[j for j in range(i) if a[i] is a[j]] for i in range(len(a))]
kinds = [[type(v) for v in row] for row in whole]
"""

TAKEN = {
    "scaled": "a[i] = [v / 3.0 for v in a[i]]",
    "less another": "a[i] = [x - 2.0 * y for x, y in zip(a[i], a[p[i]])]",
    "under a condition": "if a[i][0] > 0.0:\n    a[i] = [-v for v in a[i]]",
    "by a name": "row = [v + i for v in a[i]]\na[i] = row",
    "a part of another, as long": "a[i] = a[p[i]][:]",
    "twice": "a[i] = [v + 1.0 for v in a[i]]\na[i] = [v * 2.0 for v in a[i]]",
    "the old one, with a name": "r = a[i]\na[i] = [v * 2.0 for v in r]\nb[i] = r[1] - a[i][1]",
    "named, and handed on": "r = a[0]\na[0] = [v + 1.0 for v in r]\nb[i] = r[2] + sum(r)",
    "and swapped": "q = p[i]\na[i], a[q] = a[q], a[i]\na[q] = [v * 2.0 for v in a[i]]",
    "summed up": "s = sum(a[i])\na[i] = [v / s for v in a[i]]",
    "floats for ints": "whole[i] = [v / 2 for v in whole[i]]",
    "ints": "whole[i] = [v * 2 + i for v in whole[i]]",
    "out of bounds": "a[i + 3] = [v * 2.0 for v in a[i]]",
}

LEFT = {
    "from the end": "a[-1 - i] = [v + a[0][1] for v in a[i]]",
    "stored into as well": "a[i][0] = 1.0\na[i] = [v * 2.0 for v in a[i]]",
    "stored into by a name": "r = a[i]\nr[0] = 1.0\na[i] = [v * 2.0 for v in a[0]]",
    "the new one has a name": "r = [v * 2.0 for v in a[i]]\na[i] = r\nr[0] = 5.0",
    "the new one had a name": "r = [v * 2.0 for v in a[i]]\ns = r\na[i] = r\ns[0] = 7.0",
    "in two places": "r = [v * 2.0 for v in a[i]]\na[i] = r\na[p[i]] = r",
    "a row of another": "a[i] = old[p[i]]",
    "one of its own": "a[i] = a[p[i]]",
    "shorter": "a[i] = a[i][1:]",
    "of another length": "a[i] = [v * 2.0 for v in a[i] if v > 0.0]",
    "while it is gone through": "for v in a[i]:\n    a[i] = [w + v for w in a[i]]",
    "a number": "a[i] = b[i]",
    "an array": "a[i] = np.array(a[i]) * 2.0",
    "kept in a list": "kept.append(a[i])\na[i] = [v * 2.0 for v in a[i]]",
}


def program(statement: str, before: str = "") -> str:
    body = statement.replace("\n", "\n        ")
    return (
        f"import numpy as np\nkept = []{HEAD}    for i in range(n):\n        {body}\n{before}{TAIL}"
    )


def status(title: str, statement: str) -> object:
    """How the loop has fared, where it leaves the same as in plain Python."""
    found = same(program(statement))
    line = program(statement).split("\n").index("    for i in range(n):") + 1
    return found[line]


@pytest.mark.parametrize("title", TAKEN)
def test_replaced(title: str) -> None:
    fared = status(title, TAKEN[title])
    assert (fared == "compiled") == (title != "out of bounds")


@pytest.mark.parametrize("title", LEFT)
def test_left_to_python(title: str) -> None:
    assert status(title, LEFT[title]) != "compiled"


def test_a_list_in_two_places_is_left() -> None:
    text = program("a[i] = [v * 2.0 for v in a[i]]", "a[3] = a[2]\n")
    assert same(text)[text.split("\n").index("    for i in range(n):") + 1] != "compiled"


ELIMINATION = """
def solve(m):
    n = len(m)
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(m[r][c]) > abs(m[best][c]):
                best = r
        m[c], m[best] = m[best], m[c]
        pivot = m[c]
        for r in range(n):
            if r != c:
                f = m[r][c] / pivot[c]
                m[r] = [x - f * y for x, y in zip(m[r], pivot)]

import random
random.seed(3)
m = [[random.uniform(-1.0, 1.0) for _ in range(9)] for _ in range(8)]
before = list(m)
solve(m)
places = [[row is other for other in before] for row in m]
"""


def test_elimination() -> None:
    assert same(ELIMINATION)[4] == "compiled"
