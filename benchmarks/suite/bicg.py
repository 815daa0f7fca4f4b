"""The two products of the biconjugate gradient method: s = a' r and q = a p."""

import numpy as np

SIZES = {"tiny": 11, "quick": 900, "normal": 2200}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "a": rng.random((n, n + 3)),
        "p": rng.random(n + 3),
        "r": rng.random(n),
        "q": np.zeros(n),
        "s": np.zeros(n + 3),
    }


def run(a, p, r, q, s):
    rows, cols = a.shape
    for j in range(cols):
        s[j] = 0.0
    for i in range(rows):
        q[i] = 0.0
        for j in range(cols):
            s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]
