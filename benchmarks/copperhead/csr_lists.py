"""Repeated product of a sparse matrix with a vector: compressed rows, three lists."""

from copperhead import inputs

SIZES = {"check": 500, "steady": 30_000}


def make(n, seed):
    matrix = inputs.compressed(n, seed)
    lists = {name: array.tolist() for name, array in matrix.items()}
    return {**lists, "steps": 40}


def run(rows, columns, values, x, steps):
    n = len(x)
    for _ in range(steps):
        y = [0.0] * n
        for i in range(n):
            total = 0.0
            for k in range(rows[i], rows[i + 1]):
                total += values[k] * x[columns[k]]
            y[i] = total
        x = y
    return x
