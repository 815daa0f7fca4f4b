"""Cholesky decomposition of a positive definite matrix, in place."""

import math

import numpy as np

SIZES = {"tiny": 11, "quick": 180, "normal": 360}


def make(n, seed):
    a = np.random.default_rng(seed).random((n, n))
    return {"a": a @ a.T + n * np.eye(n)}


def run(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(a[i, i])
