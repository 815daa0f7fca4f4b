"""Symmetric update of rank 2k, lower triangle: C <- beta C + alpha (A B^T + B A^T)."""

import numpy as np

SIZES = {"check": 100, "steady": 240}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n - 5)),
        "b": rng.random((n, n - 5)),
        "c": rng.random((n, n)),
    }


def run(alpha, beta, a, b, c):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * alpha * b[i, k] + b[: i + 1, k] * alpha * a[i, k]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
