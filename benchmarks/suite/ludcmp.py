"""Solution of a linear system by LU decomposition without pivoting."""

import numpy as np

SIZES = {"tiny": 11, "quick": 130, "normal": 260}


def make(n, seed):
    rng = np.random.default_rng(seed)
    a = rng.random((n, n)) + n * np.eye(n)
    return {"a": a, "b": rng.random(n), "x": np.zeros(n), "y": np.zeros(n)}


def run(a, b, x, y):
    n = len(b)
    for i in range(n):
        for j in range(i):
            w = a[i, j]
            for k in range(j):
                w -= a[i, k] * a[k, j]
            a[i, j] = w / a[j, j]
        for j in range(i, n):
            w = a[i, j]
            for k in range(i):
                w -= a[i, k] * a[k, j]
            a[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= a[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= a[i, j] * x[j]
        x[i] = w / a[i, i]
