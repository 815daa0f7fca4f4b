"""Points in parallel, each against all that were chosen."""

import math

import numpy as np
from numba import prange


def run(points, chosen, gamma, rows):
    n, features = points.shape
    for j in prange(n):
        point = points[j]
        for r in range(chosen.shape[0]):
            other = points[chosen[r]]
            total = 0.0
            for k in range(features):
                apart = other[k] - point[k]
                total += apart * apart
            rows[r, j] = math.exp(-gamma * total)


def whole(points, chosen, gamma, rows):
    for row, i in zip(rows, chosen, strict=True):
        row[:] = np.exp(-gamma * ((points[i] - points) ** 2).sum(axis=1))
