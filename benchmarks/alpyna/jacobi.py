"""Jacobi iteration with the five-point average on a square grid with a fixed rim.

Each time step makes two sweeps, from a to b and back:

    b_ij <- (a_ij + a_i,j-1 + a_i,j+1 + a_i+1,j + a_i-1,j) / 5
    a_ij <- (b_ij + b_i,j-1 + b_i,j+1 + b_i+1,j + b_i-1,j) / 5

Time steps and sweeps follow one another; the points of one sweep are independent.
"""

import numpy as np

SIZES = {"check": 200, "steady": 2_000}
PARALLEL = ("i", "j")


def make(n, seed):
    rng = np.random.default_rng(seed)
    a = rng.random((n, n))
    return {"a": a, "b": a.copy(), "steps": 8}


def run(a, b, steps):
    n = a.shape[0]
    for t in range(steps):  # noqa: B007
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
