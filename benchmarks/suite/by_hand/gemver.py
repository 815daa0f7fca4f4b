"""The product with the transposed matrix along rows, in blocks of columns."""

import numpy as np
from numba import prange

from suite.by_hand.parts import columns_times, rows_times


def run(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    n = a.shape[0]
    for i in prange(n):
        row = a[i]
        first = u1[i]
        second = u2[i]
        for j in range(n):
            row[j] = row[j] + first * v1[j] + second * v2[j]
    columns_times(x, beta, a, y)
    for i in range(n):
        x[i] += z[i]
    rows_times(w, alpha, a, x)


def whole(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * (y @ a) + z
    w += alpha * (a @ x)
