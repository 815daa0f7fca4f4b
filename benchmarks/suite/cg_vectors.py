"""What conjugate gradients do beside the product: inner products, updates, a preconditioner."""

import numpy as np

SIZES = {"tiny": 30, "quick": 20_000, "normal": 80_000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    x, r, p, q = rng.random((4, n))
    return {"x": x, "r": r, "p": p, "q": q, "inverse": rng.random(n), "z": np.zeros(n), "steps": 10}


def run(x, r, p, q, inverse, z, steps):
    n = len(x)
    rz = 0.0
    for i in range(n):
        z[i] = inverse[i] * r[i]
        rz += r[i] * z[i]
    for _ in range(steps):
        pq = 0.0
        for i in range(n):
            pq += p[i] * q[i]
        alpha = rz / pq
        for i in range(n):
            x[i] += alpha * p[i]
        for i in range(n):
            r[i] -= alpha * q[i]
        for i in range(n):
            z[i] = inverse[i] * r[i]
        before = rz
        rz = 0.0
        for i in range(n):
            rz += r[i] * z[i]
        beta = rz / before
        for i in range(n):
            p[i] = z[i] + beta * p[i]
    return rz
