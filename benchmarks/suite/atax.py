"""Product with a matrix and with its transpose: y = a' (a x)."""

import numpy as np

SIZES = {"tiny": 11, "quick": 900, "normal": 2200}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"a": rng.random((n, n + 3)), "x": rng.random(n + 3), "y": np.zeros(n + 3)}


def run(a, x, y):
    rows, cols = a.shape
    for j in range(cols):
        y[j] = 0.0
    for i in range(rows):
        total = 0.0
        for j in range(cols):
            total += a[i, j] * x[j]
        for j in range(cols):
            y[j] += a[i, j] * total
