"""Blocks of unknowns: a small triangle in order, then all rows below it in parallel."""

from suite.by_hand.parts import rows_times


def run(lower, b, x):
    n = x.shape[0]
    width = 128
    x[:] = b
    for low in range(0, n, width):
        high = min(low + width, n)
        for i in range(low, high):
            total = x[i]
            for j in range(low, i):
                total -= lower[i, j] * x[j]
            x[i] = total / lower[i, i]
        rows_times(x[high:], -1.0, lower[high:, low:high], x[low:high])
