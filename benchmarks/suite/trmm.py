"""Product with a transposed unit triangular matrix, in place: b <- alpha a' b."""

import numpy as np

SIZES = {"tiny": 11, "quick": 130, "normal": 270}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"alpha": 1.5, "a": rng.random((n, n)), "b": rng.random((n, n + 3))}


def run(alpha, a, b):
    rows, cols = b.shape
    for i in range(rows):
        for j in range(cols):
            for k in range(i + 1, rows):
                b[i, j] += a[k, i] * b[k, j]
            b[i, j] = alpha * b[i, j]
