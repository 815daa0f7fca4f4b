"""Row by row of c, what comes from above first, what later rows add to it in their order."""

import numpy as np
from numba import prange

from suite.by_hand.parts import accumulate


def run(alpha, beta, a, b, c):
    rows, cols = c.shape
    scaled = np.empty((rows, cols))
    for i in range(rows):
        for j in range(cols):
            scaled[i, j] = alpha * b[i, j]
    for i in prange(rows):
        above = np.zeros(cols)
        accumulate(above, 1.0, a[i, :i], b[:i])
        for j in range(cols):
            c[i, j] = beta * c[i, j] + scaled[i, j] * a[i, i] + alpha * above[j]
        accumulate(c[i], 1.0, a[i + 1 :, i], scaled[i + 1 :])


def whole(alpha, beta, a, b, c):
    lower = np.tril(a)
    c[:] = beta * c + alpha * (lower + np.tril(a, -1).T) @ b
