"""Time steps with arrays made anew, edges that wrap around, and functions with arrays of theirs."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
"""
TAIL = """
res = []
for k in (0, 1, 2, 3, 7):
    u = np.arange(24.0).reshape(4, 6) * 0.5
    v = u[::-1].copy()
    res.append((run(u, v, k), u, v))
"""

TAKEN = {
    "edges that wrap around": """
def run(u, v, k):
    n, m = u.shape
    for t in range(k):
        new = np.empty_like(u)
        for i in range(n):
            for j in range(m):
                near = u[(i + 1) % n, j] + u[i, (j + 1) % m]
                new[i, j] = 0.25 * (u[i - 1, j] + u[i, j - 1] + near)
        u = new
    return u
""",
    "two of before": """
def run(u, v, k):
    n, m = u.shape
    for t in range(k):
        new = np.zeros((n, m))
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                new[i, j] = 2 * u[i, j] - v[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j])
        v, u = u, new
    return u
""",
    "two of before, one by one": """
def run(u, v, k):
    n, m = u.shape
    for t in range(k):
        new = u * 2 - v
        new[0, 0] = t
        v = u
        u = new
    return u
""",
    "an array for a method": """
def top(row):
    m = row.max()
    return m + np.log(np.exp(row - m).sum())
def run(u, v, k):
    s = 0.0
    for t in range(k):
        for i in range(u.shape[0]):
            s += top(u[i]) * t
    return s
""",
    "arrays of a function": """
def solve(a, d):
    n = len(d)
    c = np.zeros(n)
    x = np.zeros(n)
    c[0] = a[0] / 4.0
    x[0] = d[0] / 4.0
    for i in range(1, n):
        c[i] = a[i] / (4.0 + c[i - 1])
        x[i] = (d[i] - x[i - 1]) / (4.0 + c[i - 1])
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x
def run(u, v, k):
    a, w = v[0], u[1].copy()
    for t in range(k):
        d = w[1:-1] * 0.5 + 1.0
        w[1:-1] = solve(a, d)
    return w
""",
    "tuples that are compared": """
def run(u, v, k):
    s = 0.0
    for i in range(k):
        for j in range(k):
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if (di, dj) != (0, 0) and (i, j) not in ((1, 2), (2, 1)):
                        s += u[(i + di) % 4, (j + dj) % 6]
            if (i, 0) == (k - 1, j):
                s *= 0.5
    return s
""",
}

LEFT = {
    "changed after it": """
def run(u, v, k):
    for t in range(k):
        new = u + 1.0
        v = u
        u = new
        v[0, 0] = 5.0
    return u
""",
    "a view of before": """
def run(u, v, k):
    for t in range(k):
        new = u + v
        w = u[1:]
        v, u = u, new
        v[1] += w[0]
    return u, v
""",
    "the very array of before": """
def run(u, v, k):
    first = u
    for t in range(min(k, 2)):
        new = u * 2
        new[1:] += v[1:]
        u, v = v, new
    first[0] += 7
    return u, v, u is first, v is first
""",
    "the very array of before, one by one": """
def run(u, v, k):
    first = u
    for t in range(min(k, 2)):
        new = u + v
        v = u
        u = new
    first[0] += 7
    return u, v, v is first
""",
    "left in between": """
def run(u, v, k):
    for t in range(k):
        new = u + v
        v = u
        if t == 3:
            break
        u = new
    return u, v, v is u
""",
    "changed by the other name": """
def run(u, v, k):
    for t in range(k):
        new = u * 2
        v, u = u, new
        new[1] = t
    return u, v
""",
    "nothing to compare": """
def run(u, v, k):
    nan = float("nan")
    s = 0
    for i in range(k):
        x = nan if i % 2 else 1.0
        if (x, i) == (nan, i):
            s += 1
        if (i, i) == (i, i, i):
            s += 10
    return s
""",
    "a slice that is empty": """
def run(u, v, k):
    s = 0
    for t in range(k):
        d = u[0, 3:-t] * 2
        s += len(d) * 10 + d.shape[0]
    return s
""",
    "lists that are empty": """
def count(n, k):
    a = [0] * (n - k)
    b = [x * 2 for x in range(k - n)]
    return len(a) * 100 + len(b)
def run(u, v, k):
    s = 0
    for t in range(2 * k):
        s += count(k, t) * (t + 1)
    return s
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken(body: str) -> None:
    found = both(HEAD + body + TAIL)
    fared = found.loops_after(HEAD + body.partition("def run")[0])
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_as_in_python(body: str) -> None:
    both(HEAD + body + TAIL)
