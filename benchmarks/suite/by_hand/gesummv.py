"""Two rows of both matrices side by side."""

from numba import prange


def run(alpha, beta, a, b, x, y):
    n = x.shape[0]
    for p in prange((n + 1) // 2):
        i = 2 * p
        k = min(i + 1, n - 1)
        s0 = 0.0
        t0 = 0.0
        s1 = 0.0
        t1 = 0.0
        for j in range(n):
            s0 += a[i, j] * x[j]
            t0 += b[i, j] * x[j]
            s1 += a[k, j] * x[j]
            t1 += b[k, j] * x[j]
        y[i] = alpha * s0 + beta * t0
        y[k] = alpha * s1 + beta * t1


def whole(alpha, beta, a, b, x, y):
    y[:] = alpha * (a @ x) + beta * (b @ x)
