"""QR decomposition by Gram and Schmidt's method, modified."""

import math

import numpy as np

SIZES = {"tiny": 9, "quick": 100, "normal": 200}


def make(n, seed):
    a = np.random.default_rng(seed).random((n + 10, n))
    a[:n] += np.eye(n)
    return {"a": a, "q": np.zeros((n + 10, n)), "r": np.zeros((n, n))}


def run(a, q, r):
    rows, cols = a.shape
    for k in range(cols):
        norm = 0.0
        for i in range(rows):
            norm += a[i, k] * a[i, k]
        r[k, k] = math.sqrt(norm)
        for i in range(rows):
            q[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, cols):
            r[k, j] = 0.0
            for i in range(rows):
                r[k, j] += q[i, k] * a[i, j]
            for i in range(rows):
                a[i, j] = a[i, j] - q[i, k] * r[k, j]
