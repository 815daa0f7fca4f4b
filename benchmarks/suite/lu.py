"""LU decomposition without pivoting, in place."""

import numpy as np

SIZES = {"tiny": 11, "quick": 130, "normal": 260}


def make(n, seed):
    a = np.random.default_rng(seed).random((n, n))
    return {"a": a + n * np.eye(n)}


def run(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
