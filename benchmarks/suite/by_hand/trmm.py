"""Blocks of columns, which have nothing to do with one another, row by row."""

from numba import prange

from suite.by_hand.parts import accumulate


def run(alpha, a, b):
    rows, cols = b.shape
    width = 32
    for p in prange((cols + width - 1) // width):
        low = p * width
        high = min(low + width, cols)
        for i in range(rows):
            accumulate(b[i, low:high], 1.0, a[i + 1 :, i], b[i + 1 :, low:high])
            for j in range(low, high):
                b[i, j] = alpha * b[i, j]
