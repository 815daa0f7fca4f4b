"""Convolution of an image with a small square of weights.

    out_ij = sum over k, q of image_{i+k,j+q} weight_{m-1-k,m-1-q}        for an m x m weight

for every place where the weights lie inside the image.
"""

import numpy as np

SIZES = {"check": 120, "steady": 2_000}
PARALLEL = ("i", "j")


def make(n, seed):
    rng = np.random.default_rng(seed)
    m = 5
    return {
        "image": rng.random((n, n)),
        "weight": rng.standard_normal((m, m)),
        "out": np.zeros((n - m + 1, n - m + 1)),
    }


def run(image, weight, out):
    rows, cols = out.shape
    m = weight.shape[0]
    for i in range(rows):
        for j in range(cols):
            total = 0.0
            for k in range(m):
                for q in range(m):
                    total += image[i + k, j + q] * weight[m - 1 - k, m - 1 - q]
            out[i, j] = total


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
