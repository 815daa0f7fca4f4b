"""Lengths of the shortest paths between all pairs of nodes of a graph."""

import numpy as np

SIZES = {"tiny": 9, "quick": 100, "normal": 220}


def make(n, seed):
    rng = np.random.default_rng(seed)
    path = rng.integers(1, 1000, (n, n))
    path[rng.random((n, n)) < 0.6] = 100_000
    path[np.diag_indices(n)] = 0
    return {"path": path}


def run(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if path[i, k] + path[k, j] < path[i, j]:
                    path[i, j] = path[i, k] + path[k, j]
