"""A vector plus a multiple of another one.

    y_i <- alpha x_i + y_i        for 0 <= i < n, in single precision

`alpha` is a Python float, as users write it.  NumPy's rule for a float32 element and a Python
float gives float32, so both the product and the sum are rounded to single precision.
"""

import numpy as np

SIZES = {"check": 1_000_000, "steady": 80_000_000}
PARALLEL = ("i",)


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "alpha": 2.7,
        "x": rng.random(n, dtype=np.float32),
        "y": rng.random(n, dtype=np.float32),
    }


def run(alpha, x, y):
    for i in range(y.shape[0]):
        y[i] = alpha * x[i] + y[i]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
