"""One sweep of a weighted five-point stencil from one array to another."""

import numpy as np

SIZES = {"tiny": 9, "quick": 600, "normal": 1500}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"u": rng.random((n, n)), "new": np.zeros((n, n)), "middle": 0.6, "side": 0.1}


def run(u, new, middle, side):
    rows, cols = u.shape
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            new[i, j] = middle * u[i, j] + side * (
                u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            )
