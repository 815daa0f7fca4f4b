"""Lengths of all shortest paths, one intermediate vertex after the other."""

import numpy as np

SIZES = {"check": 100, "steady": 400}


def make(n, seed):
    return {"path": np.random.default_rng(seed).integers(1, 100, (n, n)).astype(np.float64)}


def run(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, path[:, k][:, None] + path[k, :])


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
