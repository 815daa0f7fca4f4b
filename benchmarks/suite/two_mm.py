"""Two products of matrices: d <- beta d + (alpha a b) c."""

import numpy as np

SIZES = {"tiny": 9, "quick": 90, "normal": 180}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n + 2)),
        "b": rng.random((n + 2, n + 5)),
        "c": rng.random((n + 5, n + 1)),
        "d": rng.random((n, n + 1)),
    }


def run(alpha, beta, a, b, c, d):
    rows, cols = d.shape
    tmp = np.zeros((rows, b.shape[1]))
    for i in range(rows):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                tmp[i, j] += alpha * a[i, k] * b[k, j]
    for i in range(rows):
        for j in range(cols):
            d[i, j] *= beta
            for k in range(c.shape[0]):
                d[i, j] += tmp[i, k] * c[k, j]
