"""Exactly, one thread: sums in order wait for each addition, and all else is done meanwhile.

With another order of additions, everything in parallel.
"""

from numba import prange


def run(x, r, p, q, inverse, z, steps):
    n = x.shape[0]
    rz = 0.0
    pq = 0.0
    for i in range(n):
        z[i] = inverse[i] * r[i]
        rz += r[i] * z[i]
        pq += p[i] * q[i]
    for _ in range(steps):
        alpha = rz / pq
        before = rz
        rz = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
            z[i] = inverse[i] * r[i]
            rz += r[i] * z[i]
        beta = rz / before
        pq = 0.0
        for i in range(n):
            p[i] = z[i] + beta * p[i]
            pq += p[i] * q[i]
    return rz


def relaxed(x, r, p, q, inverse, z, steps):
    n = x.shape[0]
    rz = 0.0
    pq = 0.0
    for i in prange(n):
        z[i] = inverse[i] * r[i]
        rz += r[i] * z[i]
        pq += p[i] * q[i]
    for _ in range(steps):
        alpha = rz / pq
        before = rz
        rz = 0.0
        for i in prange(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
            z[i] = inverse[i] * r[i]
            rz += r[i] * z[i]
        beta = rz / before
        pq = 0.0
        for i in prange(n):
            p[i] = z[i] + beta * p[i]
            pq += p[i] * q[i]
    return rz


def whole(x, r, p, q, inverse, z, steps):
    z[:] = inverse * r
    rz = r @ z
    for _ in range(steps):
        alpha = rz / (p @ q)
        x += alpha * p
        r -= alpha * q
        z[:] = inverse * r
        before, rz = rz, r @ z
        p[:] = z + rz / before * p
    return rz
