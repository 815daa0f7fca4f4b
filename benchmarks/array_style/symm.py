"""Product with a symmetric matrix of which the lower triangle is stored."""

import numpy as np

SIZES = {"check": 80, "steady": 200}


def make(n, seed):
    rng = np.random.default_rng(seed)
    m = n + 10
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "a": rng.random((n, n)),
        "b": rng.random((n, m)),
        "c": rng.random((n, m)),
        "sums": np.zeros(m),
    }


def run(alpha, beta, a, b, c, sums):
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            sums[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * sums


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
