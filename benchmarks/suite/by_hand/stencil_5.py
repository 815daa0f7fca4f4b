"""Rows in parallel."""

from numba import prange


def run(u, new, middle, side):
    rows, cols = u.shape
    for i in prange(1, rows - 1):
        up = u[i - 1]
        at = u[i]
        down = u[i + 1]
        row = new[i]
        for j in range(1, cols - 1):
            row[j] = middle * at[j] + side * (up[j] + down[j] + at[j - 1] + at[j + 1])


def whole(u, new, middle, side):
    new[1:-1, 1:-1] = middle * u[1:-1, 1:-1] + side * (
        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    )
