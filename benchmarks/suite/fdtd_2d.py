"""Maxwell's equations in two dimensions, finite differences in space and time."""

import numpy as np

SIZES = {"tiny": 9, "quick": 90, "normal": 240}


def make(n, seed):
    rng = np.random.default_rng(seed)
    ex, ey, hz = rng.random((3, n, n + 4))
    return {"ex": ex, "ey": ey, "hz": hz, "source": np.arange(20.0)}


def run(ex, ey, hz, source):
    rows, cols = hz.shape
    for t in range(len(source)):
        for j in range(cols):
            ey[0, j] = source[t]
        for i in range(1, rows):
            for j in range(cols):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(rows):
            for j in range(1, cols):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(rows - 1):
            for j in range(cols - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
