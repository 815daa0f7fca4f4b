"""Jacobi iteration in one dimension: each value becomes the mean of itself and its neighbours."""

import numpy as np

SIZES = {"check": 20000, "steady": 200000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"steps": 100, "a": rng.random(n), "b": rng.random(n)}


def run(steps, a, b):
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
