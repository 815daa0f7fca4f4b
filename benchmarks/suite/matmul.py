"""Product of two matrices: c_ij = sum over k of a_ik b_kj."""

import numpy as np

SIZES = {"tiny": 11, "quick": 130, "normal": 260}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"a": rng.random((n, n + 3)), "b": rng.random((n + 3, n)), "c": np.zeros((n, n))}


def run(a, b, c):
    rows, cols = c.shape
    inner = a.shape[1]
    for i in range(rows):
        for j in range(cols):
            total = 0.0
            for k in range(inner):
                total += a[i, k] * b[k, j]
            c[i, j] = total
