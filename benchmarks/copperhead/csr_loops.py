"""Repeated product of a sparse matrix with a vector: compressed rows, three arrays."""

import numpy as np

from copperhead import inputs

SIZES = {"check": 500, "steady": 15_000}


def make(n, seed):
    return {**inputs.compressed(n, seed), "y": np.zeros(n), "steps": 40}


def run(rows, columns, values, x, y, steps):
    for _ in range(steps):
        for i in range(len(y)):
            total = 0.0
            for k in range(rows[i], rows[i + 1]):
                total += values[k] * x[columns[k]]
            y[i] = total
        x, y = y, x
    return x
