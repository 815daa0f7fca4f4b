"""Texts whose characters are compared."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
a = "ACGTACGTTAGGC\\u00c4\\U0001f600\\ud800" * 4
b = "TTACGGACTA\\u00c4\\U0001f600C" * 3
n, m = len(a), len(b)
u = np.zeros(200)
"""

TAKEN = {
    "the longest common part": """
d = np.zeros((n + 1, m + 1), dtype=int)
for i in range(1, n + 1):
    for j in range(1, m + 1):
        if a[i - 1] == b[j - 1]:
            d[i, j] = d[i - 1, j - 1] + 1
        else:
            d[i, j] = max(d[i - 1, j], d[i, j - 1])
""",
    "edits": """
def edits(a, b):
    d = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        d[i][0] = i
    for j in range(len(b) + 1):
        d[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)
    return d[-1][-1]
k = edits(a, b), edits(b, a), edits(a, "A"), edits("", b), edits(a, a)
""",
    "counted": """
def score(x, y):
    return 2 if x == y else -1
c = g = 0
for i in range(n):
    if a[i] == "A":
        c += 1
    elif a[i] in ("G", "C", "\\u00c4"):
        g += 1
    x, y, z = a[i] != "T", a[i] == "", "GC" == a[i]
    w = a[i] == a[-1 - i]
for i in range(m):
    same = a[i] == b[i]
    u[i] = 1.0 if a[i] != b[m - 1 - i] else 0.5
""",
    "left early": """
def turned(a):
    for i in range(len(a) // 2):
        if a[i] != a[len(a) - 1 - i]:
            return False
    return True
k = turned(a), turned("abccba" * 9), turned("abcba")
""",
}

INTERPRETED = {
    "kept": """
for i in range(n):
    c = a[i]
""",
    "in order": """
c = 0
for i in range(n):
    c += a[i] < "C"
""",
    "parts": """
c = 0
for i in range(n - 2):
    c += a[i:i + 2] == "AC"
""",
    "beyond the end": """
try:
    c = 0
    for i in range(n + 1):
        c += a[i] == "A"
except IndexError:
    i = -1
""",
    "numbers beside words": """
c = 0
for i in range(5):
    c += u[i] == "A"
""",
    "assigned": """
try:
    for i in range(5):
        a[i] = 3
except TypeError:
    i = -1
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, same):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) <= {"compiled", "not asked"}, loops
    assert "compiled" in loops.values()


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title, same):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
