"""General product of two matrices.

    c_ij <- beta c_ij + alpha (sum over k of a_ik b_kj)

An imperfect nest: the scaling of c_ij stands beside the loop over k.
"""

import numpy as np

SIZES = {"check": 64, "steady": 400}
PARALLEL = ("i", "j")


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n + 8)),
        "b": rng.random((n + 8, n)),
        "c": rng.random((n, n)),
    }


def run(alpha, beta, a, b, c):
    rows, cols = c.shape
    inner = a.shape[1]
    for i in range(rows):
        for j in range(cols):
            c[i, j] = beta * c[i, j]
            for k in range(inner):
                c[i, j] += alpha * a[i, k] * b[k, j]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
