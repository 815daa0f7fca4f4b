"""Elements picked by arrays of indices and by masks: the same in any case."""

from __future__ import annotations

import pytest
from given import HEAD
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "read by several arrays": """
K = np.arange(5) + 1
L = np.array([3, -1, 0, 2, 2])
M2 = np.array([[0, 1], [2, -1]])
for i in range(3):
    q = A[K, L]
    u[:5] += A[K, L] + A[i, K] - A[L, -1]
    u[:] += A[np.arange(n), np.arange(n) % 3]
    p = A[K, :].sum() + A[L].sum(axis=0)[0] + A[K, L].sum() + u[L].mean()
    r = A[i, L] * 2
    w[:5] = B[L, 2]
    S[:2, :2] = A[M2, 1]
    s = u[M2].sum()
    v[:] -= A[:, K][:, 1]
    C[:5] = A[L, :] + A[K]
    o = A[1:3, L][0, 1] + A[K + 1, L].max()
    h = I[L].sum() + np.max(I[K])
""",
    "read by masks": """
for i in range(3):
    q = A[u > 0.5, i].sum() + len(u[u > 0.3]) + A[ok].sum()
    r = A[2, w > 0.1].mean()
    x = A[u > 0.3].sum() + len(A[u > 0.3])
    w[:] = A[u > 0.2].mean(axis=0) + A[u > 0.1].sum(axis=0)
""",
    "rows under a mask": """
for i in range(3):
    A[u > 0.5] = 0.25
    B[v > 0] = w
    C[v > 0, i] = 3.0
    C[2, w > 0.5] *= 2.0
    B[u > 0.5] *= 0.5
""",
    "written": """
K = np.arange(5) + 1
L = np.array([3, -1, 0, 2, 2])
for i in range(3):
    A[i, K] = u[:5]
    A[i, L] = u[1:6]
    A[K, L] += 1.0
    A[:, L] = 2.0 * i
    A[L, :] = B[:5]
    A[L] += 1.5
    A[L, L] = u[:5]
    B[:, L] += A[:, :5]
    w[L] = u[2:7]
    S[L, i] -= w[L]
""",
    "one after the other": """
L = np.array([3, -1, 0, 2, 2, 0])
for i in range(3):
    np.add.at(u, idx, 1.0)
    np.add.at(v, idx, u)
    np.add.at(A, (idx, L[0]), u * 2)
    np.add.at(I, L, 1)
    np.add.at(i8, L, 100)
    np.subtract.at(f, (L, L), 0.1)
    np.add.at(g, L, 0.1)
    np.add.at(A, L, w)
    np.multiply.at(w, L, 1.5)
""",
    "added to itself": """
for i in range(3):
    np.add.at(u, idx, u)
""",
    "no elements at all": """
K = np.arange(0)
for i in range(3):
    u[K] = 1.0
    A[K, K] += 2.0
    A[i, K] = 3.0
    np.add.at(u, K, 1.0)
    q = len(u[u > 9]) + len(A[u > 9])
""",
    "strides and several names": """
def total(A, B, K):
    s = 0.0
    for i in range(3):
        A[K, i] += B[i, K[::-1]] * 2
        s += A[K, K[::-1]].sum() + B[K[1:], 2].max()
    return s
K = (np.arange(10) + 1)[::2]
s = total(A[::-1, ::-1], B.T[:6], K[:3]) + total(A.T, np.ones((9, 9), dtype=np.float32), K[:3])
""",
    "words of warnings": """
L = np.array([1, 1, 2])
for i in range(3):
    np.add.at(u, L, 1.7e308)
    np.multiply.at(v, L, np.inf)
    w[L] = u[L] * 10
""",
}

INTERPRETED = {
    "columns in another order than C": """
K = np.arange(5) + 1
for i in range(3):
    q = A[:, K]
""",
    "a dtype that does not fit": """
for i in range(3):
    np.add.at(I, idx, u)
""",
    "out of bounds": """
L = np.array([3, 17])
for i in range(3):
    np.add.at(u, L, 1.0)
""",
    "a column out of bounds": """
L = np.array([3, 17])
for i in range(3):
    w[:2] = A[i, L]
""",
    "shapes that do not fit": """
L = np.array([3, 1, 2])
for i in range(3):
    w[:2] = A[L, L[:2]]
""",
    "indices that change": """
L = np.array([3, 1, 2])
for i in range(3):
    L[L] = 2
""",
    "at of somebody else": """
class at_:
    def at(self, a, b, c): a[0] += 1
x = at_()
for i in range(3):
    x.at(u, idx, 1.0)
""",
    "at in a class of somebody else": """
class at_:
    def at(self, a, b, c): a[0] += 1
class H: add = at_()
y = H()
for i in range(3):
    y.add.at(u, idx, 1.0)
""",
    "a sum of what is in another order": """
K = np.arange(5)
for i in range(3):
    v[:] -= A[:, K].sum(axis=1)
""",
    "an unsigned integer and what is none": """
for i in range(3):
    np.add.at(U, idx, 3)
""",
    "a part of an array": "x = A[1:, 1:]\nfor i in range(3):\n    s = A[1:][idx[:3], 0].sum()\n",
    "floats as indices": "for i in range(3):\n    s = A[u, 0]\n",
    "an item of what is picked": "K = np.array([2, 1])\nfor i in range(3):\n    w[:] = A[K][0]\n",
    "an item of what is picked is changed": """
K = np.array([2, 1])
for i in range(3):
    A[K][0] = 5.0
    B[B[:, 0] > 0.5][1] = 3.0
""",
    "written backwards": """
K = np.array([2, 1, 2])
for i in range(3):
    A[K[::-1], K[::-1]] = u[2::-1]
""",
    "written by tables": """
K = np.array([2, 1, 2])
for i in range(3):
    A[K[:, None], K[None, :]] = B[:3, :3]
""",
    "two masks": "for i in range(3):\n    A[u > 0.5, w > 0.5] = 1.0\n",
    "a mean of no rows": "for i in range(3):\n    w[:] = A[u > 9].mean(axis=0)\n",
    "a mask of another length": "for i in range(3):\n    s = A[w > 0.5].sum()\n",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
