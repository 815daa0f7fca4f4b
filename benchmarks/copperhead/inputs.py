"""What both styles of a program start from, as NumPy arrays."""

import numpy as np


def compressed(n, seed):
    """A stochastic matrix of 20 to 40 entries a row, in compressed rows, and a vector."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate(([0], np.cumsum(rng.integers(20, 41, n))))
    values = rng.random(rows[-1])
    values /= np.repeat(np.add.reduceat(values, rows[:-1]), np.diff(rows))
    return {
        "rows": rows,
        "columns": rng.integers(0, n, rows[-1]),
        "values": values,
        "x": rng.random(n),
    }


def padded(n, seed):
    """The same matrix and vector; entry k of row i is at ``[k, i]``, zeros fill short rows."""
    matrix = compressed(n, seed)
    counts = np.diff(matrix["rows"])
    there = np.arange(counts.max())[:, None] < counts
    columns, values = np.zeros(there.shape, np.int64), np.zeros(there.shape)
    columns.T[there.T], values.T[there.T] = matrix["columns"], matrix["values"]
    return {"columns": columns, "values": values, "x": matrix["x"]}


def flow(n, seed):
    """Optical flow between two pictures of n by n points, as a linear system.

    Two unknowns a point: the block ``[[a, b], [b, c]]`` couples them, and `weight` each of them to
    the same unknown of the four neighbours.  The right-hand sides are `fu` and `fv`.
    """
    rng = np.random.default_rng(seed)
    dx, dy, dt = rng.random((3, n, n)) - 0.5
    weight = 0.1
    inside = np.pad(np.ones((n, n)), 1)
    neighbours = inside[:-2, 1:-1] + inside[2:, 1:-1] + inside[1:-1, :-2] + inside[1:-1, 2:]
    return {
        "a": dx * dx + weight * neighbours,
        "b": dx * dy,
        "c": dy * dy + weight * neighbours,
        "weight": weight,
        "fu": -dx * dt,
        "fv": -dy * dt,
        "limit": 30,
        "tolerance": 1e-12,
    }


def two_classes(n, seed):
    """Points of eight features around two centres, close enough to overlap, and labels 1 and -1."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
    points = rng.normal(size=(n, 8)) + 0.5 * labels[:, None]
    return {
        "points": points,
        "labels": labels,
        "gamma": 0.125,
        "cost": 1.0,
        "tolerance": 1e-3,
        "limit": 1000,
    }
