"""Blocks: one on the diagonal, those in its rows and columns, then all others in parallel.

Sums of integers are the same along every way, so the order of the minima is free.
"""

import numpy as np
from numba import prange


def relax(path, i, first, last, low, high):
    for k in range(first, last):
        step = path[i, k]
        for j in range(low, high):
            path[i, j] = min(path[i, j], step + path[k, j])


def run(path):
    n = path.shape[0]
    width = 32
    for first in range(0, n, width):
        last = min(first + width, n)
        for k in range(first, last):
            for i in range(first, last):
                step = path[i, k]
                for j in range(n):
                    path[i, j] = min(path[i, j], step + path[k, j])
        for i in prange(n):
            if i < first or i >= last:
                relax(path, i, first, last, 0, n)


def whole(path):
    for k in range(len(path)):
        path[:] = np.minimum(path, path[:, k : k + 1] + path[k])
