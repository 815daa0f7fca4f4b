"""Sums handed on to loops of their own, in blocks of rows: all as the source order leaves it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from outcome import both

from autopar import config, pipeline
from autopar.cpu import chunks
from autopar.runtime.choice import ways

TIMES = """
def f(a, x, y, s):
    rows, cols = a.shape
    t = None
    for i in range(rows):
        t = {first}
        for j in range(cols):
            t += a[i, j] * x[j]
        for j in range(cols):
            {reader}
    return {left}
a, x, y, s = given.copy(), other.copy(), more.copy(), again.copy()
{alias}
try:
    left = f(a, x, y, s)
except Exception as error:
    left = repr(error)
"""
BOTH = """
def f(a, x, y, s, q):
    rows, cols = a.shape
    for i in range(rows):
        q[i] = 0.0
        for j in range(cols):
            s[j] += x[i] * a[i, j]
            q[i] += a[i, j] * y[j]
q, s = np.ones(len(given)), again.copy()
f(given, np.arange(len(given)) / 3, more, s, q)
"""
READERS = {
    "one sum": "y[j] += a[i, j] * t",
    "two arrays": "y[j] = y[j] * 0.5 + t; s[j] += a[i, j] / (t + 1.5)",
    "a quotient that may fail": "y[j] += a[i, j] / t",
    "under a test": "y[j] = t if t > y[j] else y[j] + a[i, j]",
    "a scalar of each column": "u = a[i, j] * t; y[j] += u * u",
}
SIZES = ((11, 8), (4, 3), (5, 1), (1, 5), (0, 4), (4, 0), (9, 130))


@pytest.fixture
def made(lenient, monkeypatch, caches):
    """Blocks of four rows, parts of two columns; the programs that were made."""
    config.use(replace(config.current(), threads=3, cache_dir=caches("parts of two")))
    found = []
    emitted = pipeline.emit

    def noted(*args):
        program = emitted(*args)
        found.append(program)
        return program

    monkeypatch.setattr(pipeline, "emit", noted)
    monkeypatch.setattr(chunks, "_WIDE", 2)
    monkeypatch.setattr(ways, "_LEAST_ROWS", 4)
    return found


def given(rows, cols, dtype=np.float64):
    rng = np.random.default_rng(7)
    table = (rng.random((rows, cols)) * 9 - 4).astype(dtype)
    vectors = (rng.random((3, cols)) * 9 - 4).astype(dtype)
    return dict(zip(("given", "other", "more", "again"), (table, *vectors), strict=True))


def program(reader="y[j] += a[i, j] * t", first="0.0", left="0", alias=""):
    return TIMES.format(reader=reader.replace("; ", "\n            "), first=first, left=left,
                        alias=alias)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("first", ["0.0", "y[0]", "0"])
def test_the_same_numbers(made, reader, first):
    for dtype in (np.float64, np.float32, np.int64):
        for rows, cols in SIZES:
            both(program(reader, first), **given(rows, cols, dtype))


def test_what_is_done_in_parts(made):
    both(program(), **given(11, 8))
    drivers = [p.driver for p in made if any(kernel.sweeps for kernel in p.kernels)]
    assert any("block" in driver for driver in drivers)


@pytest.mark.parametrize("left", ["t", "(t, i)", "(i, j)"])
def test_what_the_loops_leave_behind(made, left):
    for rows, cols in SIZES:
        source = program(left=left).replace("t = None", "t = i = j = None")
        both(source, **given(rows, cols))


@pytest.mark.parametrize(
    "alias", ["y = x", "s = y", "y = a[0]", "x = a[2]", "y = a[:8, 1]", "x = a[:8, 2]", "a = a.T"]
)
def test_arrays_that_share_memory(made, alias):
    both(program(alias=alias), **given(11, 11))
    both(program("y[j] += a[i, j] * t + s[j]", alias=alias), **given(9, 9))


def test_two_products_of_one_matrix(made):
    for rows, cols in SIZES:
        both(BOTH, np=np, **given(rows, cols))
    assert any("block" in p.driver for p in made)


def test_warnings(made):
    values = given(11, 8)
    values["given"][5, 3] = 1e308
    values["other"][3] = 1e10

    def seen(act):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            act()
        return {(str(w.message), w.lineno) for w in caught}

    source = program()
    names = {k: v.copy() for k, v in values.items()}
    code = compile(source, "<user program>", "exec")
    assert seen(lambda: both(source, **values)) == seen(lambda: exec(code, {**names}))
