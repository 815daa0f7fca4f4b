"""Conjugate gradients for optical flow, preconditioned with the inverse of each point's block.

A grid is a list of rows.
"""

import numpy as np

from copperhead import inputs

SIZES = {"check": 40, "steady": 250}


def make(n, seed):
    system = inputs.flow(n, seed)
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in system.items()}


def dot(u, v):
    return sum(x * y for us, vs in zip(u, v) for x, y in zip(us, vs))


def plus(u, factor, v):
    return [[x + factor * y for x, y in zip(us, vs)] for us, vs in zip(u, v)]


def largest(u):
    return max(max(map(abs, row)) for row in u)


def around(u):
    """Sum of the four neighbours of each point, zero beyond the edge."""
    outside = [0.0] * len(u[0])
    return [
        [n + s + w + e for n, s, w, e in zip(north, south, [0.0, *row[:-1]], [*row[1:], 0.0])]
        for north, row, south in zip([outside, *u[:-1]], u, [*u[1:], outside])
    ]


def block(a, b, u, v, weight):
    """One unknown of all points: both of the point itself, and that of the neighbours."""
    return [
        [p * x + q * y - weight * s for p, q, x, y, s in zip(*rows)]
        for rows in zip(a, b, u, v, around(u))
    ]


def precondition(a, b, c, u, v):
    def solve(p, q, r, x, y):
        det = p * r - q * q
        return (r * x - q * y) / det, (p * y - q * x) / det

    solved = [list(map(solve, *rows)) for rows in zip(a, b, c, u, v)]
    return [[x for x, _ in row] for row in solved], [[y for _, y in row] for row in solved]


def run(a, b, c, weight, fu, fv, limit, tolerance):
    u = v = [[0.0 for _ in row] for row in fu]
    ru, rv = fu, fv
    pu, pv = precondition(a, b, c, ru, rv)
    rz = dot(ru, pu) + dot(rv, pv)
    step = 0
    while step < limit and max(largest(ru), largest(rv)) > tolerance:
        qu = block(a, b, pu, pv, weight)
        qv = block(c, b, pv, pu, weight)
        alpha = rz / (dot(pu, qu) + dot(pv, qv))
        u, v = plus(u, alpha, pu), plus(v, alpha, pv)
        ru, rv = plus(ru, -alpha, qu), plus(rv, -alpha, qv)
        zu, zv = precondition(a, b, c, ru, rv)
        before, rz = rz, dot(ru, zu) + dot(rv, zv)
        pu, pv = plus(zu, rz / before, pu), plus(zv, rz / before, pv)
        step += 1
    return u, v, step
