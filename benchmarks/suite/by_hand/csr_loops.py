"""Rows in parallel."""

from numba import prange


def product(rows, columns, values, x, y):
    for i in prange(y.shape[0]):
        total = 0.0
        for k in range(rows[i], rows[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total


def run(rows, columns, values, x, y, steps):
    for step in range(steps):
        if step % 2:
            product(rows, columns, values, y, x)
        else:
            product(rows, columns, values, x, y)
    return y if steps % 2 else x
