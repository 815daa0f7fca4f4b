"""Nests of six statements and depth four, to time the analysis of: `benchmarks/analysis.py`."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A nest, and its parameters and array shapes at the `k`-th call; no two calls have the same.

    The dependences that hold are the same at all calls, as those of a program mostly are.
    """

    text: str
    parameters: Callable[[int], dict[str, int]]
    shapes: Callable[..., dict[str, tuple[int, ...]]]


# Allen & Kennedy, Optimizing Compilers for Modern Architectures, section 2.4, one loop deeper and
# with offsets that only the call knows.
TENSOR = """\
for i in range(1, n):
    X[i] = Y[i] + 10.0
    for j in range(1, n):
        B[j] = A[j, m, m]
        for k in range(1, n):
            D[j, k] = B[j] * 2.0
            for l in range(1, n):
                A[j + p1, k, l] = B[j] + C[j, k, l]
                C[j, k, l + p4] = D[j, k] - C[j, k, l]
        Y[i + j + p2] = A[j + p3, m, m]
"""
STENCIL = """\
for t in range(steps):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                new[i, j, k] = (old[i - 1, j, k] + old[i + 1, j, k] + old[i, j - 1, k]
                                + old[i, j + 1, k] + old[i, j, k - 1] + old[i, j, k + 1]) / 6.0
                flux[i, j, k] = new[i, j, k] - old[i, j, k]
            edge[i, j] = new[i, j, 1] - new[i, j, n - 2]
        side[i] = edge[i, 1] + edge[i, n - 2]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                old[i, j, k] = new[i, j, k]
    total[t] = side[1] + side[n - 2]
"""
LINEARIZED = """\
for a in range(n):
    for b in range(m):
        u[64 * a + b] = v[64 * a + b] + 1.0
        s[64 * a + b] = 0.0
        for c in range(16):
            w[1024 * a + 16 * b + c] = s[64 * a + b] * c
            for d in range(8):
                x[8192 * a + 128 * b + 8 * c + d] = w[1024 * a + 16 * b + c] + x[8 * c + d + q]
                s[64 * a + b] = s[64 * a + b] + x[8192 * a + 128 * b + 8 * c + d]
        y[64 * a + b] = s[64 * a + b] + v[64 * a + b]
"""
TRIANGULAR = """\
for i in range(n):
    r[i] = b[i]
    for j in range(i):
        L[i, j] = M[i, j] / D[j]
        for k in range(j, n):
            T[j, k] = L[i, j] * M[j, k]
            for l in range(k, min(k + m, n)):
                M[i, l] = M[i, l] - T[j, k] * M[k, l]
        r[i] = r[i] - L[i, j] * r[j]
    D[i] = M[i, i] + q
"""
CONTRACTION = """\
for i in range(n):
    norm[i] = 0.0
    for j in range(m):
        R[i, j] = 0.0
        for k in range(q):
            V[i, j, k] = S[i, k] * P[k, j]
            for l in range(r):
                R[i, j] = R[i, j] + F[i, k, l] * G[l, k, j]
        Q[i, j] = R[i, j] * V[i, j, q - 1]
        norm[i] = norm[i] + Q[i, j] * Q[i, j]
"""
NESTS = {
    "tensor": Case(
        TENSOR,
        lambda k: {
            **{"n": 16 + k % 24, "m": 3 + k % 5},
            **{"p1": 1 + k % 3, "p2": k // 24, "p3": 0, "p4": 1},
        },
        lambda n, **_: {
            **{"X": (n,), "Y": (3 * n,), "B": (n,), "D": (n, n)},
            **{"A": (n + 4,) * 3, "C": (n, n, n + 1)},
        },
    ),
    "stencil": Case(
        STENCIL,
        lambda k: {"n": 16 + k % 24, "steps": 2 + k // 24},
        lambda n, steps: {
            **dict.fromkeys(("new", "old", "flux"), (n, n, n)),
            **{"edge": (n, n), "side": (n,), "total": (steps,)},
        },
    ),
    "linearized": Case(
        LINEARIZED,
        lambda k: {"n": 2 + k % 24, "m": 8 + k % 5, "q": 128 + k // 24},
        lambda n, **_: dict.fromkeys("uvswxy", (8192 * n,)),
    ),
    "triangular": Case(
        TRIANGULAR,
        lambda k: {"n": 16 + k % 24, "m": 3 + k % 5, "q": k // 24},
        lambda n, **_: {**dict.fromkeys("rbD", (n,)), **dict.fromkeys("LMT", (n, n))},
    ),
    "contraction": Case(
        CONTRACTION,
        lambda k: {"n": 16 + k % 24, "m": 8 + k % 5, "q": 4 + k % 3, "r": 3 + k // 24},
        lambda n, m, q, r: {
            **{"norm": (n,), "R": (n, m), "V": (n, m, q), "S": (n, q), "P": (q, m)},
            **{"F": (n, q, r), "G": (r, q, m), "Q": (n, m)},
        },
    ),
}
