"""Modified Gram-Schmidt: Q has orthonormal columns, R is triangular, A = Q R."""

import numpy as np

SIZES = {"check": 70, "steady": 160}


def make(n, seed):
    rng = np.random.default_rng(seed)
    m = n + n // 4
    return {"a": rng.random((m, n)), "q": np.zeros((m, n)), "r": np.zeros((n, n))}


def run(a, q, r):
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
