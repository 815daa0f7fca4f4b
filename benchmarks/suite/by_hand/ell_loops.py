"""Blocks of rows, all entries of one place at a time, as they lie in memory."""

from numba import prange


def product(columns, values, x, y):
    width, n = values.shape
    block = 512
    for p in prange((n + block - 1) // block):
        low = p * block
        high = min(low + block, n)
        for i in range(low, high):
            y[i] = 0.0
        for k in range(width):
            for i in range(low, high):
                y[i] += values[k, i] * x[columns[k, i]]


def run(values, columns, x, y, steps):
    for step in range(steps):
        if step % 2:
            product(columns, values, y, x)
        else:
            product(columns, values, x, y)
    return y if steps % 2 else x


def whole(values, columns, x, y, steps):
    for _ in range(steps):
        y[:] = (values * x[columns]).sum(axis=0)
        x, y = y, x
    return x
