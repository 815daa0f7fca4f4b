"""Conjugate gradients for optical flow, preconditioned with the inverse of each point's block."""

import numpy as np

from copperhead import inputs

SIZES = {"check": 25, "steady": 120}


def make(n, seed):
    return inputs.flow(n, seed)


def dot(u, v):
    total = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            total += u[i, j] * v[i, j]
    return total


def largest(u):
    found = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            if abs(u[i, j]) > found:
                found = abs(u[i, j])
    return found


def block(a, b, u, v, weight, q):
    """One unknown of all points: both of the point itself, and that of the neighbours."""
    rows, columns = u.shape
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            if i > 0:
                total += u[i - 1, j]
            if i < rows - 1:
                total += u[i + 1, j]
            if j > 0:
                total += u[i, j - 1]
            if j < columns - 1:
                total += u[i, j + 1]
            q[i, j] = a[i, j] * u[i, j] + b[i, j] * v[i, j] - weight * total


def precondition(a, b, c, u, v, zu, zv):
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            det = a[i, j] * c[i, j] - b[i, j] * b[i, j]
            zu[i, j] = (c[i, j] * u[i, j] - b[i, j] * v[i, j]) / det
            zv[i, j] = (a[i, j] * v[i, j] - b[i, j] * u[i, j]) / det


def run(a, b, c, weight, fu, fv, limit, tolerance):
    rows, columns = fu.shape
    u, v = np.zeros_like(fu), np.zeros_like(fu)
    ru, rv = fu.copy(), fv.copy()
    qu, qv = np.empty_like(fu), np.empty_like(fu)
    pu, pv = np.empty_like(fu), np.empty_like(fu)
    zu, zv = np.empty_like(fu), np.empty_like(fu)
    precondition(a, b, c, ru, rv, pu, pv)
    rz = dot(ru, pu) + dot(rv, pv)
    step = 0
    while step < limit and max(largest(ru), largest(rv)) > tolerance:
        block(a, b, pu, pv, weight, qu)
        block(c, b, pv, pu, weight, qv)
        alpha = rz / (dot(pu, qu) + dot(pv, qv))
        for i in range(rows):
            for j in range(columns):
                u[i, j] += alpha * pu[i, j]
                v[i, j] += alpha * pv[i, j]
                ru[i, j] -= alpha * qu[i, j]
                rv[i, j] -= alpha * qv[i, j]
        precondition(a, b, c, ru, rv, zu, zv)
        before, rz = rz, dot(ru, zu) + dot(rv, zv)
        beta = rz / before
        for i in range(rows):
            for j in range(columns):
                pu[i, j] = zu[i, j] + beta * pu[i, j]
                pv[i, j] = zv[i, j] + beta * pv[i, j]
        step += 1
    return u, v, step
