"""Rank-two update of a matrix and two products of it with a vector.

    A <- A + u1 v1' + u2 v2'
    x <- x + beta A' y
    x <- x + z
    w <- w + alpha A x

Four nests one after the other.  In the second, A is read down its columns.
"""

import numpy as np

SIZES = {"check": 500, "steady": 4_000}
PARALLEL = ("i", "j")


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n)),
        "u1": rng.random(n),
        "v1": rng.random(n),
        "u2": rng.random(n),
        "v2": rng.random(n),
        "w": np.zeros(n),
        "x": np.zeros(n),
        "y": rng.random(n),
        "z": rng.random(n),
    }


def run(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + beta * a[j, i] * y[j]
    for i in range(n):
        x[i] = x[i] + z[i]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + alpha * a[i, j] * x[j]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
