"""Solution of a triangular system by forward substitution."""

import numpy as np

SIZES = {"check": 900, "steady": 4000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"low": rng.random((n, n)) + np.eye(n) * n, "x": np.zeros(n), "b": rng.random(n)}


def run(low, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
