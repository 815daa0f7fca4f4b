"""Cholesky decomposition of a positive definite matrix, in place."""

import numpy as np

SIZES = {"check": 120, "steady": 260}


def make(n, seed):
    a = np.random.default_rng(seed).random((n, n))
    return {"a": a @ a.T + np.eye(n) * n}


def run(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
