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
    "other shapes": """
def run(A, u, I, g):
    for t in range(3):
        q = (A.reshape(-1) * 2).sum() + A.reshape(-1, 2)[t, 1]
        r = A.ravel()[::2].sum()
        s = A.reshape(m, n).sum(axis=0)
        o = A.reshape((-1, 3)).mean(axis=1)
        p = np.reshape(A, (4, 6, m))[t].sum()
        x = np.arange(12).reshape(3, 4)
        y = u.reshape(n, 1) * u.reshape(1, -1)
        z = A.flatten()
        k = I.reshape(4, 6).max(axis=1)
        b = (A * 2).reshape(B.shape) + (g + 1).reshape(-1).sum()
        A += b * 0.125
        z[t] = 7
    return q, r, s, o, p, x, y, z, k, b
q = run(A, u, I, g)
""",
    "triangles": """
for t in range(2):
    q = np.triu(S) + np.tril(S, -1) + np.triu(S * 2, k=2) + np.tril(S, t)
    r = np.tril(J) + np.triu(J, 1)
    o = np.triu(g)
""",
    "rounded": """
odd = np.array([0.5, 1.5, -0.5, -0.0, 2.675, 1e300, 0.125, -0.004, 5e-324, 2**53 + 2.0])
for i in range(3):
    u[i] = np.round(u[i] * 3) + np.round(v[i], 2) + np.around(v[i], 3) + (u * 7).round()[i]
    x = np.round(odd)
    y = np.round(odd / 7, 2)
    B[:] = np.round(B * 100, 1) + B.round(2)
    s = np.round(0.5 + i)
""",
    "nearly the same": """
def run(u):
    for t in range(50):
        old = u.copy()
        u = 0.5 * (u + np.roll(u, 1))
        if np.allclose(u, old, rtol=1e-3) or np.array_equal(u, old):
            break
    return u, t
r = run(u)
odd = np.array([1.0, np.nan, 2.0])
for t in range(3):
    c = np.allclose(A, A + 1e-9 * t, atol=1e-10, rtol=0.0)
    e = np.array_equal(odd, odd)
    o = np.array_equal(J, J) and np.allclose(u, v)
""",
    "vectors": """
X = rng.random((n, 3))
out, s = np.zeros((n, 3)), 0.0
for i in range(n):
    out[i] = np.cross(X[i], X[0]) + np.cross(X[i] * 2, X[1] - X[0])
    s += np.inner(A[i], w) + np.vdot(A[i], w)
    c = np.cross(X[i], out[i])
""",
    "one of two integers": """
for i in range(3):
    c = np.where((A > 0.5) & (A < 0.6), 1, 0).sum() + np.where(J > 4, J, -1).max()
    x = np.full_like(A, i * 2.5) + np.full_like(A, i)
    s = np.ptp(A[i]) + np.ptp(J)
""",
    "an array beside itself turned over": """
def run(S):
    for t in range(3):
        S[:] = (S + S.T) / 2
        S += S.T * 0.25
        S[1:, 1:] -= S.T[:-1, :-1] * 0.125
    for i in range(m):
        for j in range(i):
            S[i, j] = S.T[i, j] + 1.0 / S.T.shape[0]
            S.T[j, i] += i
    s = 0.0
    for t in range(3):
        s += np.abs(S - S.T).max() + (S @ S.T)[t, t] + A.T.shape[1] + len(A.T) + A.T.size
    return s
s = run(S)
""",
    "steps that change": """
sieve = np.ones(200, dtype=bool)
sieve[:2] = False
def mark(sieve):
    for i in range(2, 15):
        if sieve[i]:
            sieve[i * i::i] = False
mark(sieve)
def run(u, v, A, last):
    s = 0.0
    for i in range(1, last):
        u[::i] += 1.0
        v[1:-1:i] = u[1:-1:i] * 2 - v[1:-1:i]
        s += u[2::i].sum() + A[::i, 1::i].mean() + (v[::i] ** 2).sum()
        A[i::i, ::2] = A[i::i, 1::2] + i
        v[::i] = v[::i][::-1]
        s += len(u[3::i]) + u[30:2:i].sum()
    return s
s = run(u, v, A, 17)
r = run(u, v, A, 40)
""",
    "lists of places": """
for t in range(m - 1):
    A[[t, t + 1]] = A[[t + 1, t]]
    B[[t, t]] = B[[t + 1, -1]] * 0.5
    q = u[[0, 3, -1, t]].sum()
    C[:, [0, 2]] = C[:, [2, 0]] * 2
    u[[1, -2]] += v[[t, 0]]
M, p = S.copy(), np.arange(m)
for t in range(m - 1):
    best = t + np.argmax(np.abs(M[t:, t]))
    if best != t:
        M[[t, best]] = M[[best, t]]
        p[[t, best]] = p[[best, t]]
    for i in range(t + 1, m):
        M[i, t + 1:] -= M[i, t] / M[t, t] * M[t, t + 1:]
""",
    "rows from lists": """
rgb, out = np.zeros((n, 3), dtype=np.uint8), np.zeros((n, 3))
for i in range(n):
    if u[i] > 0.5:
        rgb[i] = [255, 0, 0]
    else:
        rgb[i] = (0, 0, i)
    out[i] = [u[i], i, v[i] * 2]
    out[i, :] = [out[i, 2], out[i, 0], 1]
""",
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
    "places that are computed": """
def run(u, v, p, B, C):
    for t in range(m - 1):
        u[(p + t) % n] = v * u[(p * t) % n]
        q = (p + t) // 3
        B[q] = C[(p * 3 + t) % n] * 0.5 + B[p]
        B[q, t] += 1.0
run(u, v, rng.permutation(n) // 2, B, C)
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
    "what is nearly no number": """
odd = np.array([1.0, np.nan, np.inf])
for t in range(3):
    c = np.allclose(odd, odd)
    q = np.round(odd, 2)
""",
    "shapes that do not fit": """
try:
    for t in range(3):
        s = A.reshape(7, -1).sum()
except ValueError:
    t = -1
""",
    "a view in another shape": """
for t in range(3):
    q = A.reshape(m, n)
    q[0] = t
""",
    "another shape of what has gaps": """
for t in range(3):
    s = A[:, 1:].reshape(-1).sum()
    r = A.T.reshape(n, m).sum()
""",
    "a method that numbers have not": """
x = 0.5
try:
    for t in range(3):
        s = (x * 2).round()
except AttributeError:
    t = -1
""",
    "vectors that lie in a plane": """
for t in range(3):
    s = np.cross(u[:2], v[:2])
""",
    "rounded integers": """
for t in range(3):
    q = np.round(I, -1)
""",
    "a number that does not fit what it fills": """
for t in range(3):
    q = np.full_like(J, 2.5)
""",
    "steps backwards or of zero": """
try:
    for i in range(2, -1, -1):
        u[::i] += 1.0
except ValueError:
    t = -1
""",
    "steps that are all backwards": """
for i in range(-3, 0):
    u[::i] = v[::i] * 2
""",
    "lists of bools": """
x = np.zeros(2)
for t in range(3):
    x[[True, False]] += 1.0
    x[[t > 1, True]] += 1.0
""",
    "places that are out of bounds": """
try:
    for t in range(n):
        u[[t, t + 1]] = v[[t + 1, t]]
except IndexError:
    t = -1
""",
    "numbers in a list that do not fit": """
rgb = np.zeros((n, 3), dtype=np.uint8)
try:
    for t in range(n):
        rgb[t] = [t * 20, 0, 0]
except OverflowError:
    t = -1
""",
    "a list in a list": """
x = [[0, 0] for _ in range(n)]
for t in range(n):
    x[t] = [t, 1]
""",
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
