"""Product along the last axis of a block, in place: a_rqp = sum over s of a_rqs c_sp."""

import numpy as np

SIZES = {"tiny": 5, "quick": 28, "normal": 50}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"a": rng.random((n - 1, n + 1, n)), "c": rng.random((n, n))}


def run(a, c):
    outer, middle, n = a.shape
    line = np.zeros(n)
    for r in range(outer):
        for q in range(middle):
            for p in range(n):
                line[p] = 0.0
                for s in range(n):
                    line[p] += a[r, q, s] * c[s, p]
            for p in range(n):
                a[r, q, p] = line[p]
