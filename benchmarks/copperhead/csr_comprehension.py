"""Repeated product of a sparse matrix with a vector: a list of values and of columns a row."""

from itertools import pairwise

from copperhead import inputs

SIZES = {"check": 500, "steady": 30_000}


def make(n, seed):
    matrix = inputs.compressed(n, seed)
    rows, columns, values = (matrix[k].tolist() for k in ("rows", "columns", "values"))
    pieces = [slice(start, stop) for start, stop in pairwise(rows)]
    return {
        "values": [values[piece] for piece in pieces],
        "columns": [columns[piece] for piece in pieces],
        "x": matrix["x"].tolist(),
        "steps": 40,
    }


def product(values, columns, x):
    def row(vs, js):
        return sum(v * x[j] for v, j in zip(vs, js))

    return list(map(row, values, columns))


def run(values, columns, x, steps):
    for _ in range(steps):
        x = product(values, columns, x)
    return x
