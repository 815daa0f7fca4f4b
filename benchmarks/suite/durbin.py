"""Levinson and Durbin's recursion for a Toeplitz system."""

import numpy as np

SIZES = {"tiny": 11, "quick": 900, "normal": 2500}


def make(n, seed):
    r = np.random.default_rng(seed).random(n) / n
    return {"r": r, "y": np.zeros(n)}


def run(r, y):
    n = len(r)
    z = np.zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
