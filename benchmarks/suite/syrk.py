"""Rank-k update of the lower triangle: c_ij <- beta c_ij + alpha (sum over k of a_ik a_jk)."""

import numpy as np

SIZES = {"tiny": 11, "quick": 150, "normal": 300}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"alpha": 1.5, "beta": 1.2, "a": rng.random((n, n + 8)), "c": rng.random((n, n))}


def run(alpha, beta, a, c):
    n, inner = a.shape
    for i in range(n):
        for j in range(i + 1):
            c[i, j] *= beta
            for k in range(inner):
                c[i, j] += alpha * a[i, k] * a[j, k]
