"""Solution of a lower triangular system."""

import numpy as np

SIZES = {"tiny": 11, "quick": 1400, "normal": 3500}


def make(n, seed):
    rng = np.random.default_rng(seed)
    lower = rng.random((n, n)) / n
    lower[np.diag_indices(n)] += 1.0
    return {"lower": lower, "b": rng.random(n), "x": np.zeros(n)}


def run(lower, b, x):
    for i in range(len(x)):
        x[i] = b[i]
        for j in range(i):
            x[i] -= lower[i, j] * x[j]
        x[i] /= lower[i, i]
