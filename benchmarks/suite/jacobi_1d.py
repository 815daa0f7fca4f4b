"""Mean of three neighbours, again and again, from one vector to another and back."""

import numpy as np

SIZES = {"tiny": 30, "quick": 10_000, "normal": 50_000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"a": rng.random(n), "b": rng.random(n), "steps": 50}


def run(a, b, steps):
    n = len(a)
    for _ in range(steps):
        for i in range(1, n - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, n - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
