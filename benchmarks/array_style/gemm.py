"""General product of two matrices, row by row: C <- beta C + alpha A B."""

import numpy as np

SIZES = {"check": 100, "steady": 300}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n + 20)),
        "b": rng.random((n + 20, n + 10)),
        "c": rng.random((n, n + 10)),
    }


def run(alpha, beta, a, b, c):
    for i in range(a.shape[0]):
        c[i, :] *= beta
        for k in range(a.shape[1]):
            c[i, :] += alpha * a[i, k] * b[k, :]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
