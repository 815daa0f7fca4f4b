"""Arrays made of numbers, casts and clips: compiled where they are taken, the same in any case."""

from __future__ import annotations

import pytest
from given import HEAD
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "between bounds": """
for t in range(3):
    u[:] = np.clip(u, 0.1, 0.9) + u.clip(0.2, t)
    q = np.clip(u[t], 0.1, 0.4)
    r = np.clip(t - 1, 0, 1)
    s = np.clip(t, 0.5, 1)
    I[:] = np.clip(I, -3, 5)
    f[:] = np.clip(f, 0.1, 0.9)
    o = np.clip(I, 0.5, 9)
    p = np.clip(u * 2, v, 1.0)
    A[:] = np.clip(A, B, C)
    i8[:] = i8.clip(-20, 3)
    x = np.clip(I, -3, 5).sum() + (u - v).clip(0, 1).sum()
""",
    "between zeros and what is no number": """
x = np.array([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5])
x, y, k = (a.ravel() for a in np.meshgrid(x, x, x))
T = np.zeros((512, 512))
for t in range(2):
    p = np.clip(x, y, k)
    q = np.clip(x, y, 0.0)
    r = np.clip(x, -0.0, k)
    for i in range(512):
        T[i] = np.clip(x, y[i], k[i])
        w[i % 7] = np.clip(x[i], y[i], k[i])
    o = np.clip(x.astype(np.float32), y.astype(np.float32), 0.5)
    h = np.clip(x[::2], y[::2], k[::2])
""",
    "lists of numbers": """
for i in range(n):
    x = np.array([u[i], v[i], 2.0])
    u[i] = x.sum() + x[0]
    y = np.array([1, 2, 3])
    q = np.array([1, 2.5])
    o = np.array([True, 2])
    R = np.array([[u[i], -v[i]], [v[i], u[i]]])
    p = R[1].sum() + R[0, 1]
    a1 = np.array([1, 2], dtype=np.float32)
    a2 = np.array([z, 1.0])
    a3 = np.array([z, 1])
    a4 = np.array([i8[i], 1])
    a5 = np.array([i8[i], f[i, 0]])
    a6 = np.array([c, i])
    a7 = np.array([Z[i], i])
    a8 = np.array([z, z])
    a9 = np.array([U[i], i8[i]])
    A[i, :3] = np.array([u[i], v[i], 2.0]) * 2.0
    w[:3] += np.array([1, 0, -1]) * u[i]
""",
    "ones on the diagonal": """
for i in range(3):
    x = np.eye(m)
    S += x * 2 + np.identity(m)
    y = np.identity(3, dtype=np.float32)
    q = np.eye(4, dtype=int)
""",
    "numbers at equal distances": """
for i in range(3):
    x = np.linspace(0.0, 1.0, n)
    u += x
    a2 = np.linspace(u[i], c, 20)
    a3 = np.linspace(0, i, 11)
    a4 = np.linspace(0, 0, 11, endpoint=False)
    a5 = np.linspace(0.0, 5e-324, 11)
    a6 = np.linspace(-3, c, num=37, endpoint=False)
    a7 = np.linspace(1, 2, 2)
    w[:] = np.sin(np.linspace(0.0, 1.0, m))
""",
    "ranges": """
for i in range(3):
    x = np.arange(n)
    u += x
    y = np.arange(2, n) * 0.5
    q = np.arange(0, n, 2)
    r = np.arange(n, 0, -3)
    s = np.arange(5.0)
    o = np.arange(0.0, 1.0, 0.1)
    p = np.arange(1, 2.5, 0.25).sum() + y.sum() + x.sum()
""",
    "ranges that change": """
for i in range(n):
    u[i:] += np.arange(i, n)
    v[:i] -= np.arange(i) * 0.5
""",
    "casts": """
for i in range(3):
    q = u.astype(np.float32)
    p = (u * 10).astype(int)
    r = I.astype(float)
    s = (I * 100).astype(np.int8)
    o = I.astype(bool)
    x = (u > 0.5).astype(float)
    y = (u > 0.5).astype(np.int64).sum()
    u[:] = ok[:, 0].astype(float).sum()
    h = (I * 2 - 1).sum() + I.astype(float).mean()
""",
    "dtypes that are said": """
for i in range(3):
    q = np.zeros_like(u, dtype=np.int64)
    q += 1
    p = np.ones_like(I, dtype=float)
    r = np.full(n, c).sum() + np.full(n, 0.5).sum()
""",
}

INTERPRETED = {
    "a cast of what is no number": "for i in range(3):\n    q = (u * np.nan).astype(int)\n",
    "a clip by a row": "for i in range(3):\n    A[:] = np.clip(A, w, 1.0)\n",
    "a clip by a column": "for i in range(3):\n    A[:] = np.clip(A, one, one + 1)\n",
    "a clip by one bound": "for i in range(3):\n    u[:] = np.clip(u, None, 0.5)\n",
    "a clip of bools": "for i in range(3):\n    q = np.clip(ok, 0, 1)\n",
    "a clip of complex numbers": "for i in range(3):\n    Z[:] = np.clip(Z, 0, 1)\n",
    "a clip by integers out of range": "for i in range(3):\n    i8[:] = np.clip(i8, -200, 3)\n",
    "a clip that has no such bound": "for i in range(3):\n    u[:] = u.clip(a_min=0, a_max=1)\n",
    "a range that ends before it begins": "for i in range(3):\n    q = np.arange(5, 2)\n",
    "a range of floats": "for i in range(3):\n    q = np.arange(0.0, c, 0.25)\n",
    "a range without a step": "for i in range(3):\n    q = np.arange(0, 5, 0)\n",
    "infinite distances": "for i in range(3):\n    w[:] = np.linspace(0.0, np.inf, m)\n",
    "distances that overflow": "for i in range(3):\n    w[:] = np.linspace(-1.5e308, 1.5e308, m)\n",
    "one number of many": "for i in range(3):\n    q = np.linspace(0.0, 1.0, 1)\n",
    "numbers of single precision": "for i in range(3):\n    q = np.linspace(z, z + 1, 5)\n",
    "a list of lists of other lengths": "for i in range(3):\n    q = np.array([[1, 2], [3]])\n",
    "a list of arrays": "for i in range(3):\n    q = np.array([u, v])\n",
    "a sum of numbers that may be integers": """
x = 1
for i in range(n):
    d = np.array([x, 1])
    e = d.sum()
    x = u[i]
""",
    "an empty list": "for i in range(3):\n    q = np.array([])\n",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
