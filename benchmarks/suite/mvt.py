"""Products with a matrix and its transpose, added to two vectors."""

import numpy as np

SIZES = {"tiny": 11, "quick": 900, "normal": 2200}


def make(n, seed):
    rng = np.random.default_rng(seed)
    x1, x2, y1, y2 = rng.random((4, n))
    return {"a": rng.random((n, n)), "x1": x1, "x2": x2, "y1": y1, "y2": y2}


def run(a, x1, x2, y1, y2):
    n = len(x1)
    for i in range(n):
        for j in range(n):
            x1[i] += a[i, j] * y1[j]
    for i in range(n):
        for j in range(n):
            x2[i] += a[j, i] * y2[j]
