"""Rows in parallel: the set is symmetric, so two threads have the same to do."""

from numba import prange


def run(left, right, bottom, top, limit, count):
    rows, cols = count.shape
    dx = (right - left) / cols
    dy = (top - bottom) / rows
    for i in prange(rows):
        ci = bottom + i * dy
        for j in range(cols):
            cr = left + j * dx
            zr = 0.0
            zi = 0.0
            steps = 0
            while steps < limit:
                rr = zr * zr
                ii = zi * zi
                if rr + ii > 4.0:
                    break
                zi = 2.0 * zr * zi + ci
                zr = rr - ii + cr
                steps += 1
            count[i, j] = steps
