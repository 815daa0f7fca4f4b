"""Repeated product of a sparse matrix with a vector: rows padded to one length, kept by column.

The k-th entries of all rows lie together, and the product adds them to all sums at once.
"""

from functools import reduce

from copperhead import inputs

SIZES = {"check": 500, "steady": 10_000}


def make(n, seed):
    return {**inputs.padded(n, seed), "steps": 40}


def product(values, columns, x):
    return reduce(
        lambda y, entries: [total + v * x[j] for total, v, j in zip(y, *entries)],
        zip(values, columns),
        [0.0] * len(x),
    )


def run(values, columns, x, steps):
    for _ in range(steps):
        x = product(values, columns, x)
    return x
