"""Covariances of the columns of a table of observations."""

import numpy as np

SIZES = {"check": 90, "steady": 260}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"data": rng.random((n + n // 4, n)), "cov": np.zeros((n, n))}


def run(data, cov):
    rows, columns = data.shape[0], data.shape[1]
    for j in range(columns):
        data[:, j] -= np.mean(data[:, j])
    for i in range(columns):
        for j in range(i, columns):
            cov[i, j] = data[:, i] @ data[:, j] / (rows - 1.0)
            cov[j, i] = cov[i, j]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
