"""Gauss and Seidel's sweeps with nine points, in place."""

import numpy as np

SIZES = {"tiny": 9, "quick": 90, "normal": 220}


def make(n, seed):
    return {"a": np.random.default_rng(seed).random((n, n)), "steps": 20}


def run(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
