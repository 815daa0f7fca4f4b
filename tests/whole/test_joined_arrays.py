"""Arrays joined, rolled and summed up, variances, parts of tables: the same in any case."""

from __future__ import annotations

import pytest
from given import HEAD
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "results on the way": """
for i in range(3):
    u[:] = np.cumsum(v)
    q = v.cumsum()
    p = np.cumsum(u * 2)
    I2 = np.cumsum(I)
    r = np.cumprod(v)
    A[:] = np.cumsum(A, axis=0)
    B[:] = np.cumsum(B, axis=1)
    C[:] = C.cumsum(axis=-1) * 0.5
    x = np.cumsum(ok[:, 0])
    f[0] = np.cumsum(f[1])
""",
    "differences": """
for i in range(3):
    u[1:] = np.diff(v)
    A[1:] = np.diff(B, axis=0)
    C[:, 1:] = np.diff(A)
    r = np.diff(I)
""",
    "rolled": """
for i in range(3):
    u[:] = np.roll(v, 1) + np.roll(v, -1) + np.roll(u, i)
    A[:] = np.roll(A, 1, axis=0) + np.roll(A, -2, axis=1)
    q = np.roll(u, i - 5)
""",
    "rolled by what changes": """
for i in range(-3, 20):
    v += np.roll(u, i)
""",
    "joined": """
for i in range(3):
    q = np.concatenate((u, v))
    p = np.concatenate([u[:2], v, w])
    r = np.hstack((u, v))
    s = np.vstack((u, v))
    o = np.stack((u, v * 2))
    x = np.concatenate((A, B), axis=1)
    y = np.concatenate((A, B)).sum()
    e = np.vstack((A, w))
    h = np.hstack((A, B))
    t2 = np.stack((u, v), axis=1)
    c2 = np.column_stack((u, v))
""",
    "joined of several dtypes": """
for i in range(3):
    q = np.concatenate((u, I))
    r = np.concatenate((f[0], g))
    s = np.concatenate((i8, U))
""",
    "turned over": """
for i in range(3):
    u[:] = np.flip(v)
    A[:] = np.flip(A, axis=0) + np.fliplr(B) + np.flipud(C)
""",
    "variances": """
for i in range(3):
    q = np.std(u) + u.var() + np.var(A) + np.std(v * 2)
    u[:] = A.std(axis=1)
    w[:] = np.var(A, axis=0)
    r = np.std(u, ddof=1)
    x = A[1:, 1:].std(axis=1)
""",
    "variances of long rows": """
L = rng.normal(size=5000) * 10.0 ** rng.integers(-5, 5, 5000)
M = L.reshape(50, 100).copy()
for t in range(3):
    s = L.std() + M.var() + L[::3].std()
    q = M.std(axis=0)
    p = M.std(axis=1)
    o = (M * 2).var()
""",
    "counts": """
for i in range(3):
    q = len(u[u > 0.5])
    p = np.count_nonzero(u > 0.5) + np.count_nonzero(I) + np.count_nonzero(A)
    r = (u > 0.5).sum()
""",
    "the best of parts of tables": """
for i in range(3):
    s = A[1:, 1:].max() + A.T.min()
    t = J[1:, 1:].sum() + J.T.max()
    b = ok[1:, 1:].any()
""",
    "the sum of a small part of a table": """
for i in range(3):
    s = A[1:, 1:].sum()
""",
    "whole rows of a table": """
for i in range(3):
    s = A[1:].sum() + A[i:i + 2].sum() + np.mean(A[2:5])
""",
    "parts of every size": """
T = rng.normal(size=(200, 130)) * 10.0 ** rng.integers(-5, 5, (200, 130))
for i in range(3, 60):
    q = T[1:i, 1:i].sum() + T[:i, ::2].sum() + T[::4, 5:].mean() + T[1:i].sum() + T[i:].mean()
""",
    "means of integers": """
for i in range(3):
    s = I.mean()
    t = ok.mean()
""",
    "norms of rows": """
for i in range(3):
    q = np.linalg.norm(A, axis=1)
    p = np.linalg.norm(A[i])
    r = np.linalg.norm(A - B, axis=0)
""",
    "three axes": """
T3 = rng.random((4, 5, 3))
for i in range(3):
    q = T3.sum(axis=2)
    p = T3.sum(axis=0)
    r = T3.sum(axis=1)
    s = T3.sum()
    D = T3[:, 0][:, None, :] - T3[:, 1][None, :, :]
    e = (D ** 2).sum(axis=2)
    d = np.sqrt((D ** 2).sum(axis=-1))
""",
    "infinities and zeros": """
x = np.array([0.0, -0.0, np.nan, 1.0, np.inf])
P0 = np.zeros((4, 5)); P0[1, 2] = -0.0
Y = np.array([[1.0, np.nan], [np.inf, -np.inf], [1e300, 1e308]])
for i in range(3):
    a3 = np.roll(x, 2)
    a4 = np.concatenate((x, x[::-1]))
    a5 = Y[:2, :1].T.min()
    a6 = np.cumsum(-P0[0])
""",
    "no elements": """
E = np.zeros(0)
for i in range(3):
    q = np.concatenate((u, E))
    q2 = np.hstack((E, E))
""",
    "integers that wrap": """
BIG = np.array([2**62, 2**62, 2**62, 5])
i9 = np.arange(120, 128).astype(np.int8)
for i in range(3):
    q = np.cumsum(BIG)
    p = np.cumsum(i9)
    r = np.cumprod(i9)
    s = np.diff(i9)
""",
    "parts that overlap": """
for i in range(3):
    u[:] = np.cumsum(u)
    v[1:] = np.diff(v) + v[1:]
    A[:] = np.roll(A, 1, axis=0)
    w[:] = np.flip(w)
    u[:] = np.concatenate((u[3:], u[:3]))
""",
    "in a function": """
def run_(X, k):
    s = 0.0
    for i in range(3):
        d = X - X[i]
        e = (d * d).sum(axis=1)
        s += e.std() + e.mean() + np.count_nonzero(e > 1.0)
        c0 = np.concatenate((e[:k], e[k:]))
    return s, c0
r1 = run_(A, 3); r2 = run_(A[:, ::2], 2); r3 = run_(f, 1)
""",
}

INTERPRETED = {
    "a variance of what is no number": """
x = np.array([0.0, -0.0, np.nan, 1.0, np.inf])
for i in range(3):
    a1 = x.std()
""",
    "a variance that overflows": """
x = np.array([1e300, -1e300])
for i in range(3):
    a1 = x.std()
""",
    "the best of zeros in another order": """
P0 = np.zeros((4, 5)); P0[1, 2] = -0.0
for i in range(3):
    a1 = P0.T.max()
""",
    "no elements of another dtype": """
E = np.zeros(0, dtype=int)
for i in range(3):
    q = np.concatenate((u, E))
""",
    "results of nothing on the way": """
E = np.zeros(0)
for i in range(3):
    q = np.cumsum(E)
""",
    "a mean of integers that are no floats": """
BIG = np.array([2**62, -2**62, 1, 5, 2**53 + 1])
for i in range(3):
    q = BIG.mean()
""",
    "rows that do not fit": """
for i in range(3):
    A2 = np.vstack((A, u))
""",
    "an overflow on the way": """
x = np.array([1e308, 1e308, 1.0])
for i in range(3):
    q = np.cumsum(x)
""",
    "a large part of a table": """
T = rng.normal(size=(200, 130)) * 10.0 ** rng.integers(-5, 5, (200, 130))
for i in range(3):
    q = T[1:, 1:].sum()
""",
    "rolled along several axes": """
for i in range(3):
    A[:] = np.roll(A, (1, 1), axis=(0, 1))
""",
    "a sum in Fortran's order": """
F = np.asfortranarray(A)
for i in range(3):
    s = F.sum(axis=0)
    t = F.max()
""",
    "a sum along several axes": """
for i in range(3):
    q = A.sum(axis=(0, 1))
""",
    "an argument in another's place": "for i in range(3):\n    s = np.sum(A, 1, True)\n",
    "a variance of single precision": "for i in range(3):\n    s = f.std()\n",
    "a variance of one element": "for i in range(3):\n    s = np.std(u[:1], ddof=1)\n",
    "a roll of more than all": "for i in range(3):\n    u[:] = np.roll(u, 100)\n",
    "a roll of a table": "for i in range(3):\n    A[:] = np.roll(A, 1)\n",
    "differences of bools": "for i in range(3):\n    q = np.diff(ok[0])\n",
    "second differences": "for i in range(3):\n    q = np.diff(u, 2)\n",
    "sums of a table on the way": "for i in range(3):\n    q = np.cumsum(A)\n",
    "a table and a row": "for i in range(3):\n    q = np.concatenate((A, w))\n",
    "a count by rows": "for i in range(3):\n    q = np.count_nonzero(A, axis=1)\n",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
