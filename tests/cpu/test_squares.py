"""Squares have the bits of C's ``pow``, which are not always those of a product."""

from __future__ import annotations

import ctypes
import ctypes.util

import harness
import numpy as np
import pytest

from autopar.cpu import squares

SOURCE = "for i in range(n):\n    b[i] = a[i] ** 2\n"


def by_pow(values):
    """What the library's ``pow`` makes of them."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    power = library.pow
    power.restype, power.argtypes = ctypes.c_double, [ctypes.c_double] * 2
    return np.array([power(value, 2.0) for value in values])


@pytest.mark.parametrize(
    ("least", "most"),
    [
        (0, 1),
        (-31, 32),
        (-33, -29),
        (29, 33),
        (-470, -400),
        (-540, -450),
        (480, 512),
        (-1074, 1023),
    ],
)
def test_the_bits_of_pow(lenient, least, most):
    rng = np.random.default_rng(abs(least) + most)
    a = rng.uniform(1, 2, 40_000) * np.exp2(rng.integers(least, most, 40_000).astype(float))
    a[::3] *= -1
    a[:6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324
    b = np.zeros_like(a)
    with np.errstate(all="ignore"):  # of what is too large or too small
        here, _ = harness.run(SOURCE, a=a, b=b, n=len(a))
    assert here.record.runs == 1
    wanted = by_pow(a)
    same = (b.view(np.int64) == wanted.view(np.int64)) | (np.isnan(b) & np.isnan(wanted))
    assert same.all(), a[~same][:5]


@pytest.mark.parametrize("power", [0, 1, -20, 31, -31])
def test_squares_next_to_the_middle_between_two_numbers(lenient, power):
    a = np.random.default_rng(power + 99).uniform(1, 2, 400_000) * 2.0**power
    rest = np.abs((a.astype(np.longdouble) ** 2 - a * a) / np.spacing(a * a))
    a = a[rest > 0.47].astype(float)
    b = np.zeros_like(a)
    harness.run(SOURCE, a=a, b=b, n=len(a))
    assert len(a) > 10_000
    assert b.tobytes() == by_pow(a).tobytes()


@pytest.mark.skipif(not squares.known(), reason="of a library that is not known")
def test_products_are_not_enough():
    """There are numbers whose square is rounded to the other side, so this test can fail."""
    a = np.random.default_rng(0).uniform(1, 2, 400_000)
    assert (by_pow(a) != a * a).any()
