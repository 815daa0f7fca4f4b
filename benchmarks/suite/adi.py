"""Heat in a plate by alternating directions: tridiagonal systems along columns, then along rows."""

import numpy as np

SIZES = {"tiny": 9, "quick": 100, "normal": 220}


def make(n, seed):
    rng = np.random.default_rng(seed)
    return {"u": rng.random((n, n)), "v": np.zeros((n, n)), "steps": 10}


def run(u, v, steps):
    n = u.shape[0]
    p = np.zeros(n)
    q = np.zeros(n)
    dx = 1.0 / n
    dt = 1.0 / steps
    a = -2.0 * dt / (dx * dx) / 2.0
    b = 1.0 - 2.0 * a
    d = -dt / (dx * dx) / 2.0
    e = 1.0 - 2.0 * d
    for _ in range(steps):
        for i in range(1, n - 1):
            v[0, i] = 1.0
            p[0] = 0.0
            q[0] = v[0, i]
            for j in range(1, n - 1):
                p[j] = -a / (a * p[j - 1] + b)
                old = -d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1]
                q[j] = (old - a * q[j - 1]) / (a * p[j - 1] + b)
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[j] * v[j + 1, i] + q[j]
        for i in range(1, n - 1):
            u[i, 0] = 1.0
            p[0] = 0.0
            q[0] = u[i, 0]
            for j in range(1, n - 1):
                p[j] = -d / (d * p[j - 1] + e)
                old = -a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j]
                q[j] = (old - d * q[j - 1]) / (d * p[j - 1] + e)
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[j] * u[i, j + 1] + q[j]
