"""Sweep t reaches row i when sweep t + 1 reaches row i - 2: such rows are computed side by side."""

from numba import prange


def line(a, i):
    for j in range(1, a.shape[1] - 1):
        before = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
        after = before + a[i, j - 1] + a[i, j] + a[i, j + 1]
        a[i, j] = (after + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0


def four_lines(a, i):
    for j in range(1, a.shape[1] - 1):
        for k in range(4):
            r = i - 2 * k
            before = a[r - 1, j - 1] + a[r - 1, j] + a[r - 1, j + 1]
            after = before + a[r, j - 1] + a[r, j] + a[r, j + 1]
            a[r, j] = (after + a[r + 1, j - 1] + a[r + 1, j] + a[r + 1, j + 1]) / 9.0


def run(a, steps):
    n = a.shape[0]
    for wave in range(1, n - 1 + 2 * (steps - 1)):
        first = max(0, (wave - (n - 2) + 1) // 2)
        last = min(steps - 1, (wave - 1) // 2)
        count = last - first + 1
        for p in prange((count + 3) // 4):
            t = first + 4 * p
            if t + 3 <= last:
                four_lines(a, wave - 2 * t)
            else:
                for s in range(t, last + 1):
                    line(a, wave - 2 * s)
