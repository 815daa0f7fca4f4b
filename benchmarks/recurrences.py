"""Nests whose every loop carries a dependence, as plain loops; see `wavefronts.py`."""

import numpy as np


def gauss_seidel(a, steps):
    n, m = a.shape
    for _t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.2 * (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] + a[i, j + 1])


def gauss_seidel_once(a):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = 0.2 * (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] + a[i, j + 1])


def symmetric_sor(a, w, steps):
    n, m = a.shape
    for _t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                r = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4.0 - a[i, j]
                a[i, j] = a[i, j] + w * r
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                r = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4.0 - a[i, j]
                a[i, j] = a[i, j] + w * r


def seidel_2d(a, steps):
    n, m = a.shape
    for _t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                    + a[i, j - 1] + a[i, j] + a[i, j + 1]
                    + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                ) / 9.0  # fmt: skip


def edit_distance(x, y, d):
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost = 0 if x[i - 1] == y[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)


def longest_common(x, y, d):
    for i in range(1, len(x) + 1):
        here = x[i - 1]
        for j in range(1, len(y) + 1):
            if here == y[j - 1]:
                d[i, j] = d[i - 1, j - 1] + 1
            elif d[i - 1, j] >= d[i, j - 1]:
                d[i, j] = d[i - 1, j]
            else:
                d[i, j] = d[i, j - 1]


def smith_waterman(x, y, d):
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            s = 3 if x[i - 1] == y[j - 1] else -3
            d[i, j] = max(0, d[i - 1, j - 1] + s, d[i - 1, j] - 2, d[i, j - 1] - 2)


def matrix_chain(cost, p):
    n = cost.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = 1e300
            for k in range(i, j):
                q = cost[i, k] + cost[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if q < best:
                    best = q
            cost[i, j] = best


def recurrence(a, b):
    n, m = a.shape
    for i in range(1, n):
        for j in range(1, m):
            a[i, j] = 0.5 * a[i - 1, j] + 0.25 * a[i, j - 1] + b[i, j]


def volume(u):
    p, q, r = u.shape
    for i in range(1, p):
        for j in range(1, q):
            for k in range(1, r):
                u[i, j, k] = (u[i - 1, j, k] + u[i, j - 1, k] + u[i, j, k - 1]) / 3.0


def make(name, size, seed):
    """Arguments of one program."""
    r = np.random.default_rng(seed)
    square = (size, size)
    match name:
        case "gauss_seidel" | "seidel_2d":
            return [r.random(square), 20]
        case "gauss_seidel_once":
            return [r.random(square)]
        case "symmetric_sor":
            return [r.random(square), 1.3, 3]
        case "edit_distance" | "longest_common" | "smith_waterman":
            words = [r.integers(0, 4, size).astype(np.int8) for _ in range(2)]
            table = np.zeros((size + 1, size + 1), np.int32)
            if name == "edit_distance":
                table[0], table[:, 0] = np.arange(size + 1), np.arange(size + 1)
            return [*words, table]
        case "matrix_chain":
            return [np.zeros(square), r.integers(5, 50, size + 1).astype(float)]
        case "recurrence":
            return [r.random(square), r.random(square)]
        case "volume":
            return [r.random((size, size, size))]
    raise ValueError(name)


SIZES = {
    "gauss_seidel": 1000, "gauss_seidel_once": 4000, "symmetric_sor": 2500, "seidel_2d": 800,
    "edit_distance": 5000, "longest_common": 5000, "smith_waterman": 5000, "matrix_chain": 800,
    "recurrence": 4000, "volume": 250,
}  # fmt: skip
