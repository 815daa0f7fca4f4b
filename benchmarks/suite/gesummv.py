"""Sum of two products of matrices with a vector: y = alpha a x + beta b x."""

import numpy as np

SIZES = {"tiny": 11, "quick": 900, "normal": 2200}


def make(n, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, n, n))
    return {"alpha": 1.5, "beta": 1.2, "a": a, "b": b, "x": rng.random(n), "y": np.zeros(n)}


def run(alpha, beta, a, b, x, y):
    n = len(x)
    for i in range(n):
        s = 0.0
        t = 0.0
        for j in range(n):
            s += a[i, j] * x[j]
            t += b[i, j] * x[j]
        y[i] = alpha * s + beta * t
