"""Slabs in parallel, lines in vectors."""

from numba import prange


def sweep(u, new):
    n = u.shape[0]
    for i in prange(1, n - 1):
        for j in range(1, n - 1):
            at = u[i, j]
            down = u[i + 1, j]
            up = u[i - 1, j]
            right = u[i, j + 1]
            left = u[i, j - 1]
            for k in range(1, n - 1):
                twice = 2.0 * at[k]
                new[i, j, k] = (
                    0.125 * (down[k] - twice + up[k])
                    + 0.125 * (right[k] - twice + left[k])
                    + 0.125 * (at[k + 1] - twice + at[k - 1])
                    + at[k]
                )


def run(a, b, steps):
    for _ in range(steps):
        sweep(a, b)
        sweep(b, a)


def whole(a, b, steps):
    for _ in range(steps):
        for u, new in ((a, b), (b, a)):
            at = u[1:-1, 1:-1, 1:-1]
            new[1:-1, 1:-1, 1:-1] = (
                0.125 * (u[2:, 1:-1, 1:-1] - 2.0 * at + u[:-2, 1:-1, 1:-1])
                + 0.125 * (u[1:-1, 2:, 1:-1] - 2.0 * at + u[1:-1, :-2, 1:-1])
                + 0.125 * (u[1:-1, 1:-1, 2:] - 2.0 * at + u[1:-1, 1:-1, :-2])
                + at
            )
