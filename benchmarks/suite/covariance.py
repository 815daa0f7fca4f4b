"""Covariance of the columns of a table."""

import numpy as np

SIZES = {"tiny": 9, "quick": 120, "normal": 240}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"data": rng.random((n + 20, n)), "mean": np.zeros(n), "cov": np.zeros((n, n))}


def run(data, mean, cov):
    rows, cols = data.shape
    for j in range(cols):
        mean[j] = 0.0
        for i in range(rows):
            mean[j] += data[i, j]
        mean[j] /= rows
    for i in range(rows):
        for j in range(cols):
            data[i, j] -= mean[j]
    for i in range(cols):
        for j in range(i, cols):
            cov[i, j] = 0.0
            for k in range(rows):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= rows - 1.0
            cov[j, i] = cov[i, j]
