"""Symmetric rank-2k update, lower triangle only.

    c_ij <- beta c_ij + alpha (sum over k of a_ik b_jk + b_ik a_jk)        for j <= i

Row i has i + 1 elements, so equal numbers of rows are not equal amounts of work.
"""

import numpy as np

SIZES = {"check": 72, "steady": 480}
PARALLEL = ("i", "j")


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n)),
        "b": rng.random((n, n)),
        "c": rng.random((n, n)),
    }


def run(alpha, beta, a, b, c):
    n, inner = a.shape
    for i in range(n):
        for j in range(i + 1):
            c[i, j] = beta * c[i, j]
            for k in range(inner):
                c[i, j] += alpha * a[i, k] * b[j, k] + alpha * b[i, k] * a[j, k]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
