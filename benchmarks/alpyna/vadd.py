"""Sum of two vectors.

    c_i = a_i + b_i        for 0 <= i < n, in single precision

Every element is on its own; the time goes into moving 12 bytes per addition.
"""

import numpy as np

SIZES = {"check": 1_000_000, "steady": 64_000_000}
PARALLEL = ("i",)


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "a": rng.random(n, dtype=np.float32),
        "b": rng.random(n, dtype=np.float32),
        "c": np.zeros(n, dtype=np.float32),
    }


def run(a, b, c):
    for i in range(c.shape[0]):
        c[i] = a[i] + b[i]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
