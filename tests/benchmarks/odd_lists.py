"""Products with lists that hold something unusual; one line for each on standard output.

python odd_lists.py [autopar]
"""

import hashlib
import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

CALLS = 3  # so that what is decided at the first call is met again


class Own(float):
    """Multiplies like a float, and is seen to."""

    def __mul__(self, other):
        return float(self) * other + 1.0

    __rmul__ = __mul__


def put(row, place, value):
    """A change of one entry of one row."""

    def change(values, columns, x):
        values[row][place] = value

    return change


def at(place, value):
    """A change of one entry of the vector."""

    def change(values, columns, x):
        x[place] = value

    return change


def column(value):
    """A change of one column, in the middle."""

    def change(values, columns, x):
        columns[len(columns) // 2][1] = value

    return change


def no_entries(values, columns, x):
    values[3], columns[3] = [], []


def fewer_columns(values, columns, x):
    del columns[5][-2:]


def one_row_twice(values, columns, x):
    values[1] = values[0]
    columns[2] = columns[0]


def tuples(values, columns, x):
    values[:] = map(tuple, values)
    columns[:] = map(tuple, columns)


def arrays(values, columns, x):
    values[:] = map(np.array, values)
    columns[:] = map(np.array, columns)


ODD = {
    "nothing": lambda values, columns, x: None,
    "no entries": no_entries,
    "fewer columns than values": fewer_columns,
    "one row twice": one_row_twice,
    "rows are tuples": tuples,
    "rows are arrays": arrays,
    "int among values": put(2, 0, 3),
    "bool among values": put(2, 1, True),
    "numpy.float64 among values": put(2, 0, np.float64(0.25)),
    "numpy.float32 among values": put(2, 0, np.float32(0.1)),
    "Fraction among values": put(2, 0, Fraction(1, 3)),
    "complex among values": put(2, 0, 1.0 + 2.0j),
    "subclass of float": put(2, 0, Own(0.5)),
    "string among values": put(2, 0, "x"),
    "None among values": put(2, 0, None),
    "nan": put(2, 0, float("nan")),
    "inf": put(2, 0, float("inf")),
    "negative zero": at(0, -0.0),
    "int in the vector": at(1, 7),
    "long int in the vector": at(1, 10**30),
    "int beyond floats in the vector": at(1, 10**400),
    "negative column": column(-1),
    "column past the end": column(10**6),
    "column before the start": column(-(10**6)),
    "column is a float": column(1.0),
    "column is a bool": column(True),
    "column is numpy.int64": column(np.int64(4)),
}


def matrix(n):
    """Rows of values and of columns, and a vector, all of floats and ints."""
    draw = random.Random(n)
    counts = [draw.randrange(4, 12) for _ in range(n)]
    values = [[draw.random() / count for _ in range(count)] for count in counts]
    columns = [[draw.randrange(n) for _ in range(count)] for count in counts]
    return values, columns, [draw.random() for _ in range(n)]


def compressed(values, columns, x):
    """The same for compressed rows."""
    rows = [0]
    for row in values:
        rows.append(rows[-1] + len(row))
    flat = [[item for row in rows_of for item in row] for rows_of in (values, columns)]
    return rows, flat[1], flat[0], x


def main():
    if "autopar" in sys.argv:
        import autopar

        autopar.install(packages=["copperhead", "copperhead.*"])
    from copperhead import csr_comprehension, csr_lists

    for name, change in ODD.items():
        for module in (csr_comprehension, csr_lists):
            data = matrix(1000)
            change(*data)
            for _ in range(CALLS):
                given = compressed(*data) if module is csr_lists else data
                try:
                    left = repr(module.run(*given, 6))
                except Exception as error:
                    place = error.__traceback__.tb_next
                    left = f"{type(error).__name__}: {error} at line {place.tb_lineno}"
                short = hashlib.sha256(left.encode()).hexdigest()
                print(f"{name}: {module.__name__}: {left[:90]} {short}")


if __name__ == "__main__":
    main()
