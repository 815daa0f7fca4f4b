"""Along rows, so that columns are computed in vectors; one thread, since each step is short."""

import math

import numpy as np

from suite.by_hand.parts import accumulate


def run(a, q, r):
    rows, cols = a.shape
    column = np.empty(rows)
    for k in range(cols):
        norm = 0.0
        for i in range(rows):
            norm += a[i, k] * a[i, k]
        length = math.sqrt(norm)
        r[k, k] = length
        for i in range(rows):
            column[i] = a[i, k] / length
            q[i, k] = column[i]
        for j in range(k + 1, cols):
            r[k, j] = 0.0
        accumulate(r[k, k + 1 :], 1.0, column, a[:, k + 1 :])
        for i in range(rows):
            share = column[i]
            for j in range(k + 1, cols):
                a[i, j] -= share * r[k, j]


def whole(a, q, r):
    for k in range(a.shape[1]):
        r[k, k] = np.linalg.norm(a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
