"""Pieces that several kernels have in common.  All keep the order of every single sum."""

import numpy as np
from numba import prange


def accumulate(y, scale, x, b):
    """``y[j] += scale * x[k] * b[k, j]``, k ascending, four of them for one visit of y."""
    inner, cols = b.shape
    whole = inner - inner % 4
    for k in range(0, whole, 4):
        x0 = scale * x[k]
        x1 = scale * x[k + 1]
        x2 = scale * x[k + 2]
        x3 = scale * x[k + 3]
        for j in range(cols):
            y[j] = y[j] + x0 * b[k, j] + x1 * b[k + 1, j] + x2 * b[k + 2, j] + x3 * b[k + 3, j]
    for k in range(whole, inner):
        x0 = scale * x[k]
        for j in range(cols):
            y[j] += x0 * b[k, j]


def accumulate_two(y, z, scale, u, v, b):
    """`accumulate` for two rows, y from u and z from v, so that b is read once for both."""
    inner, cols = b.shape
    whole = inner - inner % 4
    for k in range(0, whole, 4):
        u0 = scale * u[k]
        u1 = scale * u[k + 1]
        u2 = scale * u[k + 2]
        u3 = scale * u[k + 3]
        v0 = scale * v[k]
        v1 = scale * v[k + 1]
        v2 = scale * v[k + 2]
        v3 = scale * v[k + 3]
        for j in range(cols):
            b0 = b[k, j]
            b1 = b[k + 1, j]
            b2 = b[k + 2, j]
            b3 = b[k + 3, j]
            y[j] = y[j] + u0 * b0 + u1 * b1 + u2 * b2 + u3 * b3
            z[j] = z[j] + v0 * b0 + v1 * b1 + v2 * b2 + v3 * b3
    for k in range(whole, inner):
        u0 = scale * u[k]
        v0 = scale * v[k]
        for j in range(cols):
            y[j] += u0 * b[k, j]
            z[j] += v0 * b[k, j]


def multiply(c, scale, a, b):
    """``c[i, j] += scale * a[i, k] * b[k, j]``, k ascending, pairs of rows side by side."""
    rows = a.shape[0]
    for p in prange((rows + 1) // 2):
        i = 2 * p
        if i + 1 < rows:
            accumulate_two(c[i], c[i + 1], scale, a[i], a[i + 1], b)
        else:
            accumulate(c[i], scale, a[i], b)


def rows_times(y, scale, a, x):
    """``y[i] += scale * a[i, j] * x[j]``, j ascending, four rows side by side."""
    rows, cols = a.shape
    for p in prange((rows + 3) // 4):
        i = 4 * p
        if i + 3 < rows:
            y0 = y[i]
            y1 = y[i + 1]
            y2 = y[i + 2]
            y3 = y[i + 3]
            for j in range(cols):
                y0 += scale * a[i, j] * x[j]
                y1 += scale * a[i + 1, j] * x[j]
                y2 += scale * a[i + 2, j] * x[j]
                y3 += scale * a[i + 3, j] * x[j]
            y[i] = y0
            y[i + 1] = y1
            y[i + 2] = y2
            y[i + 3] = y3
        else:
            for k in range(i, rows):
                total = y[k]
                for j in range(cols):
                    total += scale * a[k, j] * x[j]
                y[k] = total


def columns_times(y, scale, a, x):
    """``y[j] += scale * a[i, j] * x[i]``, i ascending, columns in blocks that stay in the cache."""
    rows, cols = a.shape
    width = 256
    for p in prange((cols + width - 1) // width):
        low = p * width
        high = min(low + width, cols)
        part = y[low:high]
        whole = rows - rows % 4
        for i in range(0, whole, 4):
            a0 = a[i, low:high]
            a1 = a[i + 1, low:high]
            a2 = a[i + 2, low:high]
            a3 = a[i + 3, low:high]
            for j in range(high - low):
                part[j] = (
                    part[j]
                    + scale * a0[j] * x[i]
                    + scale * a1[j] * x[i + 1]
                    + scale * a2[j] * x[i + 2]
                    + scale * a3[j] * x[i + 3]
                )
        for i in range(whole, rows):
            for j in range(low, high):
                y[j] += scale * a[i, j] * x[i]


def turned(a):
    """The transposed matrix, with its rows in consecutive memory."""
    rows, cols = a.shape
    result = np.empty((cols, rows))
    for j in prange(cols):
        for i in range(rows):
            result[j, i] = a[i, j]
    return result
