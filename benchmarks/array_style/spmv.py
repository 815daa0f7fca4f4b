"""Product of a sparse matrix in compressed rows with a vector."""

import numpy as np

SIZES = {"check": 5000, "steady": 40000}


def make(n, seed):
    rng = np.random.default_rng(seed)
    rows = np.concatenate(([0], np.cumsum(rng.integers(20, 60, n))))
    return {
        "rows": rows,
        "columns": rng.integers(0, n, rows[-1]),
        "values": rng.random(rows[-1]),
        "x": rng.random(n),
        "y": np.zeros(n),
    }


def run(rows, columns, values, x, y):
    for i in range(y.shape[0]):
        places = columns[rows[i] : rows[i + 1]]
        y[i] = values[rows[i] : rows[i + 1]] @ x[places]


if __name__ == "__main__":
    from script import main

    main(make, run, SIZES)
