"""Loops taken apart with a scalar handed on: results and types of the source order."""

from __future__ import annotations

import numpy as np
import pytest
from harness import run

pytestmark = pytest.mark.usefixtures("lenient")

SIZE = 57
BODIES = [
    ("x = x * 0.5 + a[i]\n    b[i] = np.exp(x)", np.float64(1.0)),
    ("b[i] = x\n    x = x * 0.5 + a[i]\n    c[i] = x * 2.0", np.float64(1.0)),
    ("x = a[i] - x\n    b[i] = x if x > 0.0 else -x\n    x = x + 1.0\n    c[i] = x", 0.5),
    ("t = a[i] + 1.0\n    b[i] = b[i] * t\n    c[i + 1] = c[i] - t", 0.0),
    ("b[i] = x\n    x = a[i]", 2.5),
    ("if a[i] > 0.0:\n        x = a[i]\n    b[i] = x", 2.5),
    ("if a[i] > 0.0:\n        b[i] = a[i] * x\n        x = x * 0.5 + 1.0\n    c[i] = x", 1.5),
    (
        "if a[i] > 0.0:\n        b[i + 1] = b[i]\n        c[i] = a[i]\n    else:\n        c[i] = 0",
        0.0,
    ),
    ("if i % 3 == 1:\n        b[i + 1] = b[i] * 2.0\n    else:\n        c[i] = a[i]", 0.0),
]
RANGES = ["n", "3, n", "n - 2, 0, -3", "1, n, 5", "n, 0"]


@pytest.mark.parametrize(("body", "x"), BODIES)
@pytest.mark.parametrize("bounds", RANGES)
def test_both_ways(body, x, bounds):
    rng = np.random.default_rng(3)
    names = {k: rng.normal(size=SIZE + 1) for k in "abc"}
    site, found = run(
        f"for i in range({bounds}):\n    {body}\n", np=np, x=x, t=0.0, n=SIZE, **names
    )
    assert found is not None, site.record.refusal
    assert site.record.status == "parallel"


def test_python_numbers_stay_python_numbers():
    """A float that was noted divides by zero as Python's, an integer stays exact."""
    a, b = np.ones(9), np.ones(9)
    source = "for i in range(n):\n    k = k * 3 + 1\n    b[i] = 1.0 / (k % 8 + 1)\n"
    site, found = run(source, a=a, b=b, k=1, n=9)
    assert (site.record.status, type(found["k"])) == ("parallel", int)
    source = "for i in range(n):\n    x = x * -1.0 + 1.0\n    b[i] = 1.0 / x\n"
    site, found = run(source, a=a, b=b, x=1.0, n=9)
    assert found is None  # a ZeroDivisionError, which the interpreter raises


def test_along_a_chain_of_indices():
    following = np.roll(np.arange(SIZE), 1)
    source = "for i in range(n):\n    b[i] = a[k] * 2.0\n    k = following[k]\n"
    names = {"a": np.arange(SIZE * 1.0), "b": np.zeros(SIZE), "following": following}
    site, found = run(source, k=0, n=SIZE, **names)
    assert site.record.status == "parallel", site.record.refusal
    assert (type(found["k"]), found["k"]) == (np.int64, 0)


def test_packing_and_unpacking():
    a = np.random.default_rng(7).normal(size=SIZE)
    source = "for i in range(n):\n    if a[i] > 0.0:\n        b[k] = a[i] * 2.0\n        k += 1\n"
    site, found = run(source, a=a, b=np.zeros(SIZE), k=0, n=SIZE)
    assert found["k"] == (a > 0).sum()
    source = "for i in range(n):\n    if a[i] > 0.0:\n        c[i] = b[k]\n        k += 1\n"
    site, found = run(source, a=a, b=a.copy(), c=np.zeros(SIZE), k=0, n=SIZE)
    assert site.record.status == "parallel", site.record.refusal
    source = "for i in range(n):\n    if a[i] > 0.0:\n        c[i] = b[k]\n        k += 9\n"
    site, found = run(source, a=a, b=a.copy(), c=np.zeros(SIZE), k=0, n=SIZE)
    assert found is None  # an IndexError
