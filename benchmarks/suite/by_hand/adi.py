"""Factors that are the same for all lines, once; lines in blocks, computed side by side."""

import numpy as np
from numba import prange


def factors(p, below, a, b):
    p[0] = 0.0
    for j in range(1, p.shape[0] - 1):
        below[j] = a * p[j - 1] + b
        p[j] = -a / below[j]


def columns(u, v, p, below, a, d, low, high):
    n = u.shape[0]
    q = np.empty((n, high - low))
    for i in range(low, high):
        v[0, i] = 1.0
        q[0, i - low] = 1.0
    for j in range(1, n - 1):
        for i in range(low, high):
            old = -d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1]
            q[j, i - low] = (old - a * q[j - 1, i - low]) / below[j]
    for i in range(low, high):
        v[n - 1, i] = 1.0
    for j in range(n - 2, 0, -1):
        for i in range(low, high):
            v[j, i] = p[j] * v[j + 1, i] + q[j, i - low]


def rows(u, v, p, below, a, d, low, high):
    n = u.shape[0]
    q = np.empty((n, high - low))
    for i in range(low, high):
        u[i, 0] = 1.0
        q[0, i - low] = 1.0
    for j in range(1, n - 1):
        for i in range(low, high):
            old = -a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j]
            q[j, i - low] = (old - d * q[j - 1, i - low]) / below[j]
    for i in range(low, high):
        u[i, n - 1] = 1.0
    for j in range(n - 2, 0, -1):
        for i in range(low, high):
            u[i, j] = p[j] * u[i, j + 1] + q[j, i - low]


def run(u, v, steps):
    n = u.shape[0]
    dx = 1.0 / n
    dt = 1.0 / steps
    a = -2.0 * dt / (dx * dx) / 2.0
    b = 1.0 - 2.0 * a
    d = -dt / (dx * dx) / 2.0
    e = 1.0 - 2.0 * d
    pa = np.empty(n)
    pd = np.empty(n)
    below_a = np.empty(n)
    below_d = np.empty(n)
    factors(pa, below_a, a, b)
    factors(pd, below_d, d, e)
    many = 32
    few = 8
    for _ in range(steps):
        for k in prange((n - 2 + many - 1) // many):
            low = 1 + k * many
            columns(u, v, pa, below_a, a, d, low, min(low + many, n - 1))
        for k in prange((n - 2 + few - 1) // few):
            low = 1 + k * few
            rows(u, v, pd, below_d, a, d, low, min(low + few, n - 1))
