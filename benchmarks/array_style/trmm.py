"""Product with a triangular matrix, in place: B <- alpha A^T B."""

import numpy as np

SIZES = {"check": 90, "steady": 220}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"alpha": 1.5, "a": rng.random((n, n)), "b": rng.random((n, n + 10))}


def run(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
