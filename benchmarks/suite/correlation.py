"""Correlation of the columns of a table."""

import math

import numpy as np

SIZES = {"tiny": 9, "quick": 120, "normal": 240}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "data": rng.random((n + 20, n)),
        "mean": np.zeros(n),
        "deviation": np.zeros(n),
        "corr": np.zeros((n, n)),
    }


def run(data, mean, deviation, corr):
    rows, cols = data.shape
    for j in range(cols):
        mean[j] = 0.0
        for i in range(rows):
            mean[j] += data[i, j]
        mean[j] /= rows
    for j in range(cols):
        deviation[j] = 0.0
        for i in range(rows):
            deviation[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        deviation[j] = math.sqrt(deviation[j] / rows)
        if deviation[j] <= 0.1:
            deviation[j] = 1.0
    for i in range(rows):
        for j in range(cols):
            data[i, j] -= mean[j]
            data[i, j] /= math.sqrt(rows) * deviation[j]
    for i in range(cols - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, cols):
            corr[i, j] = 0.0
            for k in range(rows):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[cols - 1, cols - 1] = 1.0
