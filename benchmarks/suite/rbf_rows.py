"""Some rows of the kernel matrix of a support vector machine: exp(-gamma |x_i - x_j|^2)."""

import math

import numpy as np

SIZES = {"tiny": 9, "quick": 4_000, "normal": 16_000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "points": rng.random((n, 12)),
        "chosen": rng.integers(0, n, 6),
        "gamma": 0.125,
        "rows": np.zeros((6, n)),
    }


def run(points, chosen, gamma, rows):
    n, features = points.shape
    for r in range(len(chosen)):
        i = chosen[r]
        for j in range(n):
            total = 0.0
            for k in range(features):
                apart = points[i, k] - points[j, k]
                total += apart * apart
            rows[r, j] = math.exp(-gamma * total)
