"""Loops in order that have moved inward leave what the user's order leaves."""

from __future__ import annotations

from dataclasses import replace

import harness
import numpy as np
import pytest

from autopar import config

NEST = """\
for i in range({low}, n):
    for {second}:
        for {third}:
            {body}
"""
LOOPS = {
    "below the diagonal": ("j in range(m)", "k in range({low}, i)"),
    "the other way round": ("k in range({low}, i)", "j in range(m)"),
    "a rectangle": ("k in range(p)", "j in range(m)"),
}
BODIES = {
    "a product": "c[k, j] += alpha * b[i, j] * a[i, k]",
    "a recurrence": "c[k, j] = c[k, j] * alpha - b[i, j] / a[i, k]",
    "two cells": "c[k, j] -= b[i, j]; d[k, j] = d[k, j] * a[i, k] + c[k, j]",
    "the larger one": "c[k, j] = max(c[k, j], b[i, j] + a[i, k])",
    "the last one": "c[k, j] = b[i, j] * a[i, k]",
    "out of bounds at the end": "c[k, j] += b[i + 1, j]",
    "that divides": "c[k, j] += alpha / a[i, k]",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("loops", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_numbers(body, loops, threads):
    config.use(replace(config.current(), threads=threads))
    rng = np.random.default_rng(7)
    for low in (0, 2):
        second, third = (loop.format(low=low) for loop in loops)
        source = NEST.format(low=low, second=second, third=third, body=body)
        for n, m, p in (
            (0, 3, 2),
            (1, 3, 2),
            (2, 1, 1),
            (3, 0, 2),
            (9, 8, 7),
            (37, 21, 33),
            (12, 70, 3),
        ):
            arrays = {name: rng.random((max(n, p) + 1, 70)) for name in "abcd"}
            names = {**arrays, "n": n, "m": m, "p": p, "alpha": 0.1}
            if body.endswith("b[i + 1, j]"):
                arrays["b"] = names["b"] = rng.random((max(n, 1), 70))
            try:
                harness.run(source, **names)
            except IndexError:
                assert "i + 1" in body


@pytest.mark.filterwarnings("ignore")
def test_warnings_name_the_line():
    c, b, a = np.ones((9, 9)), np.ones((9, 9)), np.zeros((9, 9))
    b[4, 4] = np.inf
    source = NEST.format(
        low=0, second="j in range(m)", third="k in range(i)", body="c[k, j] += b[i, j] * a[i, k]"
    )
    harness.run(source, a=a, b=b, c=c, n=9, m=9)


def test_memory_that_arrays_share():
    for shift in (0, 1, 2):
        store = np.arange(200.0)
        c, b = store[: 9 * 9].reshape(9, 9), store[shift : 9 * 9 + shift].reshape(9, 9)
        source = NEST.format(
            low=0, second="j in range(m)", third="k in range(i)", body="c[k, j] += b[i, j] * 0.5"
        )
        harness.run(source, b=b, c=c, n=9, m=9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint32, np.int64])
def test_ends_of_narrow_types(kind):
    """Nothing is added to the user's end of a range, or taken from it, in its own type."""
    source = NEST.format(
        low=0, second="j in range(m)", third="k in range(i)", body="c[k, j] += b[i, j] * a[i, k]"
    )
    for n in (np.iinfo(kind).min, 0, 1, 9):
        a, b, c = np.full((3, 9, 9), 0.5)
        harness.run(source, a=a, b=b, c=c, n=kind(n), m=kind(9))
        c[:] = 0.5
        harness.run(source, a=a, b=b, c=c, n=kind(n), m=9)
