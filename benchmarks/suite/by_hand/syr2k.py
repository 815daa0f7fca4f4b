"""Rows of the transposed matrices; a long row and a short one make one piece of work."""

from numba import prange

from suite.by_hand.parts import turned


def row(alpha, beta, a, b, ta, tb, c, i):
    part = c[i]
    for j in range(i + 1):
        part[j] = beta * part[j]
    inner = a.shape[1]
    even = inner - inner % 2
    for k in range(0, even, 2):
        a0 = alpha * a[i, k]
        b0 = alpha * b[i, k]
        a1 = alpha * a[i, k + 1]
        b1 = alpha * b[i, k + 1]
        for j in range(i + 1):
            first = part[j] + (a0 * tb[k, j] + b0 * ta[k, j])
            part[j] = first + (a1 * tb[k + 1, j] + b1 * ta[k + 1, j])
    for k in range(even, inner):
        a0 = alpha * a[i, k]
        b0 = alpha * b[i, k]
        for j in range(i + 1):
            part[j] += a0 * tb[k, j] + b0 * ta[k, j]


def run(alpha, beta, a, b, c):
    n = a.shape[0]
    ta = turned(a)
    tb = turned(b)
    for p in prange((n + 1) // 2):
        row(alpha, beta, a, b, ta, tb, c, p)
        if n - 1 - p > p:
            row(alpha, beta, a, b, ta, tb, c, n - 1 - p)
