"""Products of matrices: compiled where they are taken, and the same in any case."""

from __future__ import annotations

import numpy as np
import pytest
from given import HEAD
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "matrices and vectors": """
for i in range(3):
    u[:] = A @ w
    w[:] = u @ A + S[i] @ S
    S[:] = A.T @ A
    C[:] = A @ S * 1e-3
    q = A @ S
    p = A[1:, 1:] @ S[:-1, ::2]
    r = A[::-1] @ S.T
    o = np.dot(A, w) + A.dot(w)
    x = np.dot(A.T, A) + A.T.dot(B) + (A * 2).T @ B
    y = u @ (A @ w) + (u * 2) @ A @ w
    z2 = np.trace(S) + np.trace(S * 2) + S.trace()
    t = np.trace(J[:m]) 
    S *= 0.1
""",
    "a matrix that is changed": """
for i in range(3):
    S[:] = S @ S
    S *= 0.5
""",
    "vectors that grow": """
for i in range(1, 5):
    u[:i] = A[:i, :i] @ w[:i]
    w[:i] = w[:i] @ S[:i, :i]
""",
    "many small ones": """
P = rng.normal(size=(40, 5, 5)); Q = rng.normal(size=(40, 5)); O = np.zeros((40, 5))
for i in range(40):
    O[i] = P[i] @ Q[i]
    d = Q[i] @ P[i] @ Q[i]
    P[i] = P[i] @ P[i].T
""",
    "large ones": """
P = rng.normal(size=(150, 130)); Q = rng.normal(size=(130, 170)); x = rng.normal(size=170)
for i in range(3):
    y = (P @ Q) @ x
    P[:] = np.outer(y, x[:130])*1e-4 + P
""",
    "small ones made of numbers": """
import math
for i in range(n):
    th = u[i] * 0.5
    p, q = math.cos(th), np.sin(th)
    R = np.array([[p, -q], [q, p]])
    A[i, :2] = R @ A[i, :2]
    d = np.array([th, 1, i])
    e = d.sum() + d @ d
""",
    "gradients": """
W, b = rng.normal(size=(7, 5)), np.zeros(5)
for t in range(5):
    h = np.maximum(A @ W + b, 0.0)
    W -= 0.001 * (A.T @ h)
    b -= 0.001 * h.sum(axis=0)
    y = S @ w
    w[:] = y / np.linalg.norm(y)
""",
    "by the transpose of what is computed": "for i in range(3):\n    x = (A * 2).T @ B\n",
}

INTERPRETED = {
    "memory that is not aligned": """
R = np.zeros(9001, dtype=[("a", "i1"), ("x", "f8")])
R["x"] = rng.normal(size=9001) * 10.0 ** rng.integers(-9, 9, 9001)
X = R["x"]
for i in range(3):
    s = X.sum() + X @ X
    q = X.max()
""",
    "an overflow": """
for i in range(3):
    q = (A * 1e200) @ (S * 1e200)
""",
    "shapes that do not fit": """
for i in range(3):
    q = A @ u
""",
    "matrices that grow": """
for i in range(1, 5):
    u[0] = (A[:i, :i] @ S[:i, :i])[0, 0]
""",
    "no elements": """
E = np.zeros((0, 4))
for i in range(3):
    q = E @ np.zeros(4)
""",
    "single precision": "for i in range(3):\n    q = f @ g[:7]\n",
    "integers": "for i in range(3):\n    q = J @ J.T\n",
    "complex numbers": "for i in range(3):\n    q = Z @ Z\n",
    "one number many times": """
X = np.broadcast_to(0.1, 7)
for i in range(3):
    q = np.dot(A, X)
""",
    "one number by many": """
X = np.broadcast_to(0.1, 3000)
Y = rng.normal(size=3000)
for i in range(3):
    q = np.dot(X, Y)
""",
    "a row that was turned before": """
X = rng.normal(size=4000) * 10.0 ** rng.integers(-9, 9, 4000)
Y = X[::-1]
for i in range(3):
    q = np.dot(X, Y)
""",
    "three axes": "T = np.zeros((2, 3, 4))\nfor i in range(3):\n    q = T @ S[:4, :4]\n",
    "a part by NumPy's older function": "for i in range(3):\n    q = np.dot(A[:, 1:], w[1:])\n",
}

SIZES = (1, 2, 3, 5, 17, 64, 130)


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops


@pytest.mark.parametrize("rows", SIZES)
def test_every_size_and_layout(rows):
    rng = np.random.default_rng(rows)
    big = rng.normal(size=(2 * rows, 300)) * 10.0 ** rng.integers(-8, 8, size=(2 * rows, 300))
    for columns in SIZES:
        body = ""
        for k, one in enumerate(("X", "X[::-1]", "Y.T", "P[:, :c]", "P[:, 1::2][:, :c]")):
            body += f"    m{k} = {one} @ {one}.T\n    v{k} = {one} @ x\n    w{k} = {one}.T @ y\n"
        body += "    d0 = np.dot(X, x)\n    d1 = np.dot(X, X.T)\n    d2 = X.T.dot(y)\n"
        source = f"import numpy as np\nfor i in range(2):\n{body}"
        part = big[:rows, :columns]
        given = {"X": part.copy(), "Y": part.T.copy(), "P": big[::2], "c": columns}
        loops = same(source, x=big[0, :columns].copy(), y=big[-1, :rows].copy(), **given)
        if rows * columns > 1:  # one number by another may be a case of its own
            assert set(loops.values()) == {"compiled"}, (rows, columns)
