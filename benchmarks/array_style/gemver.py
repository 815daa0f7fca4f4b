"""Two rank-1 updates and two products of a matrix with a vector, row by row."""

import numpy as np

SIZES = {"check": 500, "steady": 1500}


def make(n, seed):
    rng = np.random.default_rng(seed)
    vectors = {name: rng.random(n) for name in ("u1", "v1", "u2", "v2", "y", "z", "x", "w")}
    return {"alpha": 1.5, "beta": 1.2, "a": rng.random((n, n)), **vectors}


def run(alpha, beta, a, u1, v1, u2, v2, y, z, x, w):
    for i in range(a.shape[0]):
        a[i, :] += u1[i] * v1 + u2[i] * v2
    for i in range(a.shape[0]):
        x += beta * y[i] * a[i, :]
    x += z
    for i in range(a.shape[0]):
        w[i] += alpha * (a[i, :] @ x)


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
