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
    "elements under a mask, computed from others under it": """
i8 = (np.arange(n) % 100).astype(np.int8)
e = np.zeros(0)
for t in range(4):
    mask = u > 0.3
    u[mask] = u[mask] * 0.9 + v[mask] - 1
    v[mask] += u[mask] * t
    v[~mask] = np.sqrt(np.abs(v[~mask])) / (u[~mask] - u[~mask])
    f[mask] = np.sqrt(np.abs(u[mask])) + 2
    A[A > 0.5] = -A[A > 0.5]
    B[A > 0.2] *= A[A > 0.2]
    C[mask] = B[mask] * 2 + t
    I[u > 0] = I[u > 0] + 3
    I[I > 30] = I[I > 30] // 2 + I[I > 30] % 7
    J[B < 0] = t
    J[J == t] = 5
    i8[mask] = i8[mask] + i8[mask] * 2
    e[e > 0] = e[e > 0] * 2
    above = u > 7
    u[above] = 1 / u[above]
""",
    "less what they are on average": """
mask = u > 0.3
for t in range(3):
    v[mask] = v[mask] - v[mask].mean()
""",
    "places along an axis": """
nans = np.where(A > 0.9, np.nan, A)
for t in range(3):
    a1 = np.argmax(A * t, axis=1)
    a2 = B.argmin(axis=0) + B.argmin(0)
    a3 = np.argmax(J, axis=-1) + np.argmin(J, 1)
    a4 = nans.argmax(axis=1) + np.argmin(nans, axis=1)
    a5 = np.argmax(g, 1) + np.argmax(np.zeros((n, m)), axis=1)
    a6 = ((A[:, None, :] - B[None, :6, :]) ** 2).sum(axis=2).argmin(axis=1)
    I[:] = np.argmax(A, axis=1)
""",
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
    "elements under another mask": """
mask = u > 0.3
for t in range(3):
    u[mask] = u[~mask][0] + v[v > 9].sum() * u[::-1][mask]
""",
    "a number that fits no element": """
i8 = np.arange(n, dtype=np.int8)
try:
    for t in range(3):
        mask = i8 > 110
        i8[mask] = i8[mask] + 300
except OverflowError:
    t = -1
""",
    "a mask of another shape": """
x = np.zeros(3)
try:
    for t in range(3):
        mask = x == 0
        x[mask] = u[mask]
except IndexError:
    t = -1
""",
    "the place of the best of none": """
x = np.zeros((3, 0))
try:
    for t in range(3):
        p = np.argmax(x, axis=1)
except ValueError:
    t = -1
""",
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
