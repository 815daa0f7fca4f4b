"""Panels of columns; what a panel takes from the rest of the triangle, row by row in parallel."""

import math

import numpy as np
from numba import prange

from suite.by_hand.parts import accumulate


def below(a, i, low, high):
    for j in range(low, min(i, high)):
        total = a[i, j]
        for k in range(low, j):
            total -= a[i, k] * a[j, k]
        a[i, j] = total / a[j, j]


def run(a):
    n = a.shape[0]
    width = 32
    panel = np.empty((width, n))
    for low in range(0, n, width):
        high = min(low + width, n)
        for i in range(low, high):
            below(a, i, low, high)
            total = a[i, i]
            for k in range(low, i):
                total -= a[i, k] * a[i, k]
            a[i, i] = math.sqrt(total)
        rest = n - high
        for i in prange(high, n):
            below(a, i, low, high)
            for j in range(low, high):
                panel[j - low, i] = a[i, j]
        for p in prange((rest + 1) // 2):
            i = high + p
            accumulate(a[i, high : i + 1], -1.0, a[i, low:high], panel[: high - low, high : i + 1])
            k = n - 1 - p
            if k > i:
                accumulate(
                    a[k, high : k + 1], -1.0, a[k, low:high], panel[: high - low, high : k + 1]
                )


def whole(a):
    upper = np.triu(a, 1)
    a[:] = np.linalg.cholesky(a) + upper
