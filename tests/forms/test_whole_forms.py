"""Statements on whole arrays as scientists write them: taken, or left with the same answer."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(7)
n, m, k = 24, 18, 5
A, B, C = rng.random((n, m)), rng.random((n, m)) - 0.5, rng.random((n, m))
S = rng.random((m, m))
u, v, w = rng.random(n), rng.random(n) - 0.5, rng.random(m)
I = rng.integers(0, 50, n)
J = rng.integers(0, 9, (n, m))
f = rng.random(n).astype(np.float32)
g = rng.random((n, m)).astype(np.float32)
Z = rng.random((n, m)) + 1j * rng.random((n, m))
"""

TAKEN = {
    "sums of no elements": """
def run(u, v, I, M, r):
    L = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1):
            s = np.sum(L[i, :j] * L[j, :j])
            if i == j:
                L[i, j] = np.sqrt(M[i, i] - s)
            else:
                L[i, j] = (M[i, j] - s) / L[j, j]
    for i in range(n):
        r[i] = np.sum(u[:i]) + u[i:i].sum() + np.prod(v[:i])
        r[i] += I[:i].sum() + (u[:i] > 0.5).sum()
    return L
q = np.zeros(n)
L = run(u, v, I, S @ S.T + np.eye(m), q)
for i in range(3):
    s = np.sum(-u[:i] * 0.0)
    t = I[i:i].sum()
""",
}

INTERPRETED = {
    "means of no elements": """
for i in range(3):
    s = np.mean(u[:i])
""",
    "the largest of no elements": """
s = 0.0
try:
    for i in range(3, -1, -1):
        s = u[:i].max()
except ValueError as error:
    text = str(error)
""",
    "single precision, of which nobody knows the type": """
for i in range(3):
    s = np.sum(f[:i])
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
