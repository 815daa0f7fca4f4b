"""Escape times of the Mandelbrot set.

For every point c of a rectangle in the complex plane, the number of steps of z <- z^2 + c from
z = 0 that stay within |z| <= 2, counted up to a limit.  The inner loop leaves through a `break`,
so neighbouring points do very different amounts of work.
"""

import numpy as np

SIZES = {"check": 160, "steady": 1_000}
PARALLEL = ("i", "j")


def make(n, seed):
    return {
        "left": -2.0 - 0.01 * seed,
        "right": 0.6,
        "bottom": -1.25,
        "top": 1.25,
        "limit": 150,
        "count": np.zeros((n, n), dtype=np.int32),
    }


def run(left, right, bottom, top, limit, count):
    rows, cols = count.shape
    dx = (right - left) / cols
    dy = (top - bottom) / rows
    for i in range(rows):
        for j in range(cols):
            cr = left + j * dx
            ci = bottom + i * dy
            zr = 0.0
            zi = 0.0
            steps = 0
            for k in range(limit):
                rr = zr * zr
                ii = zi * zi
                if rr + ii > 4.0:
                    break
                zi = 2.0 * zr * zi + ci
                zr = rr - ii + cr
                steps = k + 1
            count[i, j] = steps


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
