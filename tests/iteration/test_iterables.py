"""What a ``for`` may go through beside ranges and arrays: compiled where taken, always the same."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import itertools
from itertools import product
import numpy as np
rng = np.random.default_rng(3)
n, m, k = 9, 7, 3
A, B = rng.random((n, m)), np.zeros((n, m))
u, v = rng.random(n), np.zeros(n)
J = np.arange(n * m).reshape(n, m)
"""

TAKEN = {
    "a tuple of numbers": """
for d in (1, 2, 5):
    for i in range(n - d):
        v[i] += u[i + d]
for x in (0.5, 2.0, -1.5):
    v[1] += x
for x in [3, 1, 2, -7]:
    v[x] += x
""",
    "neighbours": """
for i in range(n):
    for j in range(m):
        c = 0
        for di in (-1, 0, 1):
            for dj in [-1, 0, 1]:
                if di == 0 and dj == 0:
                    continue
                c += J[(i + di) % n, (j + dj) % m]
        B[i, j] = c
""",
    "pairs": """
for i in range(1, n - 1):
    for j in range(1, m - 1):
        s = 0.0
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            s += A[i + di, j + dj]
        B[i, j] = s / 4
for di, dj, w in [(0, 1, 0.25), (1, 1, 0.5)]:
    for i in range(n - 1):
        B[i, 0] += A[i + di, dj] * w
""",
    "pairs, in others": """
for t, (di, dj) in enumerate(((0, 1), (1, 0), (1, 1))):
    for i in range(n - 1):
        B[i, t] = A[i + di, dj]
for w, (p, q) in zip((0.5, 0.25), [(1, 2), (3, 4)]):
    B[p, q] = w
""",
    "numbers from a start that has a name": """
for i, x in enumerate(u, start=1):
    v[i - 1] += i * x
for i, (x, y) in enumerate(zip(u, reversed(u)), start=n - k):
    v[i - n + k] -= x * y * i
for i, d in enumerate((2, 5), start=-1):
    v[d] += i
last = i
""",
    "numbers that are computed, outermost": """
for i in [1, n - 1, k * 2 - n]:
    v[i] += u[i] * 2
for d, w in ((1, k - 1), (k + 1, 0.5)):
    for i in range(n - d):
        v[i] += u[i + d] * w
for i in reversed(range(k - 1, n - 1, 2)):
    v[i] = v[i + 1] + i
for t, x in enumerate(u, start=n - 1):
    v[t % n] -= x
""",
    "backwards in steps": """
for i in reversed(range(1, n, 3)):
    v[i] += u[i - 1] * i
    for j in reversed(range(m, -1, -2)):
        B[i, j % m] += j
for i in reversed(range(0, n - 1, 2)):
    v[i] = v[i + 1] + i
for i in sorted(range(n - 1, 0, -4)):
    v[i] = v[i - 1] * 2
for i in reversed(range(k, k, 2)):
    v[i] = 7
for i in reversed(range(n, 2, 3)):
    v[i] = 7
last = i
""",
    "one number": """
for d in (3,):
    v[d] = d
for d in (2, 2, 2):
    v[d] += d
""",
    "what is computed": """
for i in range(1, n - 1):
    for j in (i - 1, i + 1):
        v[i] += u[j]
for i in range(1, n - 1):
    for x in (u[i - 1], u[i], u[i + 1]):
        v[i] += x
        u[i + 1] = 7.0
""",
    "a tuple that is left early": """
for i in range(n):
    for d in (4, 2, 1):
        if i % d == 0:
            break
    else:
        d = 0
    v[i] = d
""",
    "arange": """
for i in np.arange(n):
    v[i] = u[i] + i
for i in np.arange(1, n - 1):
    for j in np.arange(0, m, 2):
        B[i, j] = A[i - 1, j] * i + j
for i in np.arange(n - 1, -1, -1):
    v[i] = i
""",
    "arange by another name": """
from numpy import arange
def f(a, n):
    for i in arange(n):
        a[i] = a[i] * i
    return i
r = f(u, n)
""",
    "arange of NumPy's integers": """
for i in np.arange(np.int64(n)):
    v[i] += i
for i in np.arange(np.int8(2), np.int32(5)):
    v[i] += i
""",
    "small integers beside those of arange": """
s = np.int32(3)
for i in np.arange(n - 3):
    v[i + 3] = u[i] * s
    t = s + i
""",
    "ndindex": """
for i, j in np.ndindex(n, m):
    B[i, j] = A[i, j] * i + j
for i, j in np.ndindex((n, m)):
    B[i, j] += 1
for i, j in np.ndindex(A.shape):
    B[i, j] += A[i, j]
for i, j, p in np.ndindex(2, 3, 4):
    v[i + j + p] += 1
""",
    "no index": """
for i, j in np.ndindex(0, m):
    B[i, j] = 1
for i, j in np.ndindex(n, 0):
    B[i, j] = 1
""",
    "an index as a tuple": """
def f(A, B):
    for idx in np.ndindex(9, 7):
        B[idx] = A[idx] * idx[0]
    for idx in itertools.product(range(9), range(1, 7)):
        B[idx] += A[idx]
f(A, B)
""",
    "a product": """
for i, j in itertools.product(range(n), range(m)):
    B[i, j] = A[i, j]
for i, j in product(range(n - 1, 0, -1), range(0, m, 2)):
    B[i, j] += A[i - 1, j]
for i, j in product(range(m), repeat=2):
    B[i, j] += 1
""",
    "a product that is left early": """
for i, j in product(range(n), range(m)):
    if j == 3:
        continue
    if A[i, j] > 0.9:
        break
    B[i, j] = 1
for t in range(3):
    for i, j in product(range(n), range(m)):
        if A[i, j] > 0.9 + t * 0.03:
            break
        B[i, j] += 1
    else:
        B[0, 0] = 77
def find(x):
    for i, j in np.ndindex(n, m):
        if J[i, j] == x:
            return i, j
    return None
r = find(23), find(-1)
""",
    "lists of ranges": """
for i in list(range(n)):
    v[i] = i
for i in tuple(range(1, n)):
    v[i] += i
for i in sorted(range(n)):
    v[i] += i
for i in reversed(list(range(n))):
    v[i] += i
""",
    "ranges beside arrays": """
for i, x in zip(range(2, n), u):
    v[i] = x
for t, i in enumerate(range(n, 0, -2)):
    v[t] = i
for t, i in enumerate(reversed(range(n)), 1):
    v[i] = t
for x, i in zip(reversed(u), np.arange(n)):
    v[i] = x
for (i, x), y in zip(enumerate(u), v):
    B[i, 0] = x + y
""",
    "backwards through an array": """
s = 0.0
for x in reversed(u):
    s = s * 0.5 + x
for row in reversed(A):
    for j in range(m):
        B[0, j] += row[j] * 0.5
""",
    "in a helper": """
def f(x):
    s = 0.0
    for d in (1, 2, 3):
        s += x * d
    for i, j in itertools.product(range(2), range(3)):
        s += i * j
    for i in np.arange(3):
        s += i
    return s
for i in range(n):
    v[i] = f(u[i])
""",
}

OTHERS = {
    "arange of floats": """
for x in np.arange(0.0, 1.0, 0.1):
    v[0] += x
for x in np.arange(2.5):
    v[1] += x
for x in np.arange(np.uint64(3)):
    v[2] += x
for x in np.arange(True):
    v[3] += x
""",
    "arange with a dtype": """
for i in np.arange(5, dtype=np.int8):
    v[i] = i * 50
for i in np.arange(5, step=2):
    v[i] = i
""",
    "integers of arange wrap": """
w = np.zeros(3, dtype=np.int64)
for i in np.arange(3):
    w[i] = (i + 2**62) * 2
    t = i / (i - 1)
""",
    "arange, changed": """
for i in np.arange(3):
    i = i + np.uint64(1)
    v[1] = i
for i in np.arange(3):
    v[i + np.int64(2)] = i
try:
    for i in np.arange(3):
        v[i + np.uint64(2)] = i
except IndexError:
    pass
""",
    "extents below zero": """
try:
    for i, j in np.ndindex(n, k - 5):
        v[0] = 1
except ValueError:
    v[1] = 2
try:
    for i, j in np.ndindex(k - 5, n):
        v[0] = 1
except ValueError:
    v[1] = 3
""",
    "another number of axes": """
C = np.zeros((2, 3, 4))
try:
    for i, j in np.ndindex(C.shape):
        v[0] += 1
except ValueError:
    pass
try:
    for i, j in product(range(3), repeat=3):
        v[0] += 1
except ValueError:
    pass
try:
    for d, e in ((1, 2), (3, 4, 5)):
        v[d] = e
except ValueError:
    pass
""",
    "functions of the user's": """
def product(*ranges):
    return [(1, 2), (0, 0)]
for i, j in product(range(3), range(2)):
    B[i, j] = 5
class np2:
    @staticmethod
    def arange(n):
        return [2, 1]
    @staticmethod
    def ndindex(*n):
        return [(2, 1)]
for i in np2.arange(n):
    v[i] = 5
for i, j in np2.ndindex(n, m):
    B[i, j] = 5
def sorted(x):
    return [4, 2]
for i in sorted(range(n)):
    v[i] = 9
""",
    "a tuple that lives on": """
for idx in np.ndindex(n, m):
    B[idx] = 1
last = idx
def f():
    for idx in np.ndindex(n, m):
        B[idx] += 1
    return idx
r = f()
def g():
    idx = (0, 0)
    for t in range(2):
        B[idx] = 3
        for idx in np.ndindex(n, m):
            B[idx] += 1
g()
""",
    "ranges of a product are made once": """
p = 3
for i, j in product(range(3), range(p)):
    p = 2
    B[i, j] += 1
q = [2]
for i, j in product(range(3), range(q[0])):
    q[0] = 4
    B[i, j] += 1
""",
    "a tuple of other things": """
for a in (u, v):
    for i in range(n):
        a[i] += 1
for s in ("a", "b"):
    v[0] += 1
for x in ():
    v[0] = x
for x in (1, 2.5, True):
    v[int(x)] = x
for x in (1, *(2, 3)):
    v[x] = x
""",
    "a changed list": """
q = [1, 2]
for x in q:
    if x < 5:
        q.append(x + 2)
    v[x] = x
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_is_taken(name):
    loops = same(HEAD + TAKEN[name])
    assert loops
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("name", OTHERS)
def test_means_the_same(name):
    same(HEAD + OTHERS[name])


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ("for i in np.arange(n):\n    v[i] = u[i] * 2", ["i"]),
        ("for i, j in np.ndindex(n, m):\n    B[i, j] = A[i, j]", ["i", "j"]),
        ("for i, j in product(range(n), range(m)):\n    B[i, j] = A[i, j]", ["i", "j"]),
        ("for i in reversed(range(n)):\n    v[i] = u[i]", ["i"]),
    ],
)
def test_is_parallel(loop, names):
    from autopar import journal

    same(HEAD + loop)
    (record,) = journal.records()
    assert record.parallel_loops == names
