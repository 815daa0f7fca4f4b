"""Jacobi iteration in two dimensions, with the five-point mean."""

import numpy as np

SIZES = {"check": 200, "steady": 700}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"steps": 40, "a": rng.random((n, n)), "b": rng.random((n, n))}


def run(steps, a, b):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
