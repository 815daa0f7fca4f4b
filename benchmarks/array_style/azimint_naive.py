"""Azimuthal integration: the mean of the samples in each ring."""

import numpy as np

SIZES = {"check": 20000, "steady": 400000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"data": rng.random(n), "radius": rng.random(n), "result": np.zeros(50)}


def run(data, radius, result):
    largest = radius.max()
    for i in range(result.shape[0]):
        inner = largest * i / result.shape[0]
        outer = largest * (i + 1) / result.shape[0]
        ring = (inner <= radius) & (radius < outer)
        result[i] = data[ring].mean()


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
