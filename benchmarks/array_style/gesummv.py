"""Sum of two products of a matrix with a vector, row by row."""

import numpy as np

SIZES = {"check": 600, "steady": 2000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n)),
        "b": rng.random((n, n)),
        "x": rng.random(n),
        "y": np.zeros(n),
    }


def run(alpha, beta, a, b, x, y):
    for i in range(y.shape[0]):
        y[i] = alpha * (a[i] @ x) + beta * (b[i] @ x)


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
