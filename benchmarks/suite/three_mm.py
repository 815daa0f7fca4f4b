"""Three products of matrices: g = (a b) (c d)."""

import numpy as np

SIZES = {"tiny": 9, "quick": 80, "normal": 160}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "a": rng.random((n, n + 2)),
        "b": rng.random((n + 2, n + 5)),
        "c": rng.random((n + 5, n + 3)),
        "d": rng.random((n + 3, n + 1)),
        "g": np.zeros((n, n + 1)),
    }


def run(a, b, c, d, g):
    e = np.zeros((a.shape[0], b.shape[1]))
    f = np.zeros((c.shape[0], d.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                e[i, j] += a[i, k] * b[k, j]
    for i in range(c.shape[0]):
        for j in range(d.shape[1]):
            for k in range(c.shape[1]):
                f[i, j] += c[i, k] * d[k, j]
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            g[i, j] = 0.0
            for k in range(e.shape[1]):
                g[i, j] += e[i, k] * f[k, j]
