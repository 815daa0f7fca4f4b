"""Maxwell's equations in two dimensions by finite differences in the time domain."""

import numpy as np

SIZES = {"check": 120, "steady": 500}


def make(n, seed):
    rng = np.random.default_rng(seed)
    shape = (n, n + n // 5)
    return {
        "source": rng.random(50),
        "ex": rng.random(shape),
        "ey": rng.random(shape),
        "hz": rng.random(shape),
    }


def run(source, ex, ey, hz):
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
