"""Rows of the transposed matrix; a long row and a short one make one piece of work."""

from numba import prange

from suite.by_hand.parts import accumulate, turned


def row(alpha, beta, a, t, c, i):
    for j in range(i + 1):
        c[i, j] *= beta
    accumulate(c[i, : i + 1], alpha, a[i], t[:, : i + 1])


def run(alpha, beta, a, c):
    n = a.shape[0]
    t = turned(a)
    for p in prange((n + 1) // 2):
        row(alpha, beta, a, t, c, p)
        if n - 1 - p > p:
            row(alpha, beta, a, t, c, n - 1 - p)
