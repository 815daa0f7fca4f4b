"""Panels of rows and columns, then the rest of the matrix, row by row in parallel."""

from numba import prange

from suite.by_hand.parts import accumulate


def decompose(a):
    n = a.shape[0]
    width = 16
    for low in range(0, n, width):
        high = min(low + width, n)
        for i in range(low, high):
            left_of(a, i, low, i)
            accumulate(a[i, i:], -1.0, a[i, low:i], a[low:i, i:])
        for i in prange(high, n):
            left_of(a, i, low, high)
            accumulate(a[i, high:], -1.0, a[i, low:high], a[low:high, high:])


def left_of(a, i, low, high):
    for j in range(low, high):
        total = a[i, j]
        for k in range(low, j):
            total -= a[i, k] * a[k, j]
        a[i, j] = total / a[j, j]


def run(a):
    decompose(a)
