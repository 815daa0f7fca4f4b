"""Repeated product of a sparse matrix with a vector: rows padded to one length, kept by column."""

import numpy as np

from copperhead import inputs

SIZES = {"check": 500, "steady": 10_000}


def make(n, seed):
    return {**inputs.padded(n, seed), "y": np.zeros(n), "steps": 40}


def run(values, columns, x, y, steps):
    width, n = values.shape
    for _ in range(steps):
        for i in range(n):
            total = 0.0
            for k in range(width):
                total += values[k, i] * x[columns[k, i]]
            y[i] = total
        x, y = y, x
    return x
