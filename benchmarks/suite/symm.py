"""Product with a symmetric matrix of which the lower triangle is stored.

c <- beta c + alpha a b
"""

import numpy as np

SIZES = {"tiny": 11, "quick": 90, "normal": 190}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n)),
        "b": rng.random((n, n + 3)),
        "c": rng.random((n, n + 3)),
    }


def run(alpha, beta, a, b, c):
    rows, cols = c.shape
    for i in range(rows):
        for j in range(cols):
            above = 0.0
            for k in range(i):
                c[k, j] += alpha * b[i, j] * a[i, k]
                above += b[k, j] * a[i, k]
            c[i, j] = beta * c[i, j] + alpha * b[i, j] * a[i, i] + alpha * above
