"""Unknowns of a point together, rows in parallel; two sums at a time, each in order."""

import numpy as np
from numba import prange


def around(u, i, j):
    rows, columns = u.shape
    total = 0.0
    if i > 0:
        total += u[i - 1, j]
    if i < rows - 1:
        total += u[i + 1, j]
    if j > 0:
        total += u[i, j - 1]
    if j < columns - 1:
        total += u[i, j + 1]
    return total


def apply(a, b, c, weight, pu, pv, qu, qv):
    rows, columns = pu.shape
    for i in prange(rows):
        for j in range(columns):
            u = pu[i, j]
            v = pv[i, j]
            qu[i, j] = a[i, j] * u + b[i, j] * v - weight * around(pu, i, j)
            qv[i, j] = c[i, j] * v + b[i, j] * u - weight * around(pv, i, j)


def precondition(a, b, c, ru, rv, zu, zv):
    rows, columns = ru.shape
    for i in prange(rows):
        for j in range(columns):
            det = a[i, j] * c[i, j] - b[i, j] * b[i, j]
            zu[i, j] = (c[i, j] * ru[i, j] - b[i, j] * rv[i, j]) / det
            zv[i, j] = (a[i, j] * rv[i, j] - b[i, j] * ru[i, j]) / det


def dot(u, v, x, y):
    first = 0.0
    second = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            first += u[i, j] * v[i, j]
            second += x[i, j] * y[i, j]
    return first + second


def update(alpha, u, v, ru, rv, pu, pv, qu, qv):
    rows, columns = u.shape
    for i in prange(rows):
        for j in range(columns):
            u[i, j] += alpha * pu[i, j]
            v[i, j] += alpha * pv[i, j]
            ru[i, j] -= alpha * qu[i, j]
            rv[i, j] -= alpha * qv[i, j]


def turn(beta, zu, zv, pu, pv):
    rows, columns = zu.shape
    for i in prange(rows):
        for j in range(columns):
            pu[i, j] = zu[i, j] + beta * pu[i, j]
            pv[i, j] = zv[i, j] + beta * pv[i, j]


def largest(u, v):
    found = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            found = max(found, abs(u[i, j]), abs(v[i, j]))
    return found


def run(a, b, c, weight, fu, fv, limit, tolerance):
    u = np.zeros_like(fu)
    v = np.zeros_like(fu)
    ru = fu.copy()
    rv = fv.copy()
    qu = np.empty_like(fu)
    qv = np.empty_like(fu)
    pu = np.empty_like(fu)
    pv = np.empty_like(fu)
    zu = np.empty_like(fu)
    zv = np.empty_like(fu)
    precondition(a, b, c, ru, rv, pu, pv)
    rz = dot(ru, pu, rv, pv)
    step = 0
    while step < limit and largest(ru, rv) > tolerance:
        apply(a, b, c, weight, pu, pv, qu, qv)
        alpha = rz / dot(pu, qu, pv, qv)
        update(alpha, u, v, ru, rv, pu, pv, qu, qv)
        precondition(a, b, c, ru, rv, zu, zv)
        before = rz
        rz = dot(ru, zu, rv, zv)
        turn(rz / before, zu, zv, pu, pv)
        step += 1
    return u, v, step
