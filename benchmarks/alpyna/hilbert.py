"""The Hilbert matrix.

h_ij = 1 / (i + j + 1)        for 0 <= i, j < n
"""

import numpy as np

SIZES = {"check": 1_000, "steady": 10_000}
PARALLEL = ("i", "j")


def make(n, seed):
    return {"h": np.full((n, n), float(seed))}


def run(h):
    n = h.shape[0]
    for i in range(n):
        for j in range(n):
            h[i, j] = 1.0 / (i + j + 1)


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
