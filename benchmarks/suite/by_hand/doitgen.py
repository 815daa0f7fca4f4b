"""Slabs in parallel, each with a line of its own; four terms at a time."""

import numpy as np
from numba import prange

from suite.by_hand.parts import accumulate


def run(a, c):
    outer, middle, n = a.shape
    for r in prange(outer):
        line = np.empty(n)
        for q in range(middle):
            for p in range(n):
                line[p] = 0.0
            accumulate(line, 1.0, a[r, q], c)
            for p in range(n):
                a[r, q, p] = line[p]


def whole(a, c):
    a[:] = a @ c
