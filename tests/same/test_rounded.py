"""Floats that are rounded to integers, to go on with other floats: they remain floats."""

from __future__ import annotations

import math

import outcome
import pytest

FORMS = [
    "y[i] = x[i] - side * round(x[i] / side)",
    "y[i] = int(x[i]) * 0.5",
    "y[i] = math.floor(x[i]) / side",
    "y[i] = side / math.ceil(x[i])",
    "y[i] = x[i] - math.trunc(x[i])",
    "y[i] = round(float(x[i])) + side",
    "y[i] = side ** 2 * round(x[i])",
]
"""Integers have no negative zero; where one is the divisor, NumPy warns, and Python raises."""


def program(form: str, size: float, odd: float | None) -> str:
    return f"""\
import math
import numpy as np
x, y, side = np.random.default_rng(3).normal(size=900) * {size!r}, np.zeros(900), np.float64(0.7)
x[:8] = -0.3, 0.3, -0.0, 0.5, 1.5, -0.5, -1.0, 2.5
x[800] = {odd!r} if {odd is not None} else 0.25
for i in range(900):
    {form}
"""


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("size", [1.0, 1e15, 1e17])
@pytest.mark.parametrize("form", FORMS)
def test_the_bits_of_python(form, size, kernel_texts):
    text = program(form, size, None)
    assert outcome.taken(text) == outcome.plain(text)
    assert not any("int64(v" in kernel for kernel in kernel_texts)  # of a number like v2_


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, 1e19, -1e300, 2.0**63])
@pytest.mark.parametrize("form", FORMS)
def test_what_has_no_integer_of_64_bits_is_left_to_python(form, odd):
    text = program(form, 1.0, odd)
    assert outcome.taken(text) == outcome.plain(text)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("form", ["k = int(x[i])", "k = round(x[i]) + 1", "k = int(x[i]) * 2"])
def test_beside_integers_they_are_integers(form, kernel_texts):
    text = program(f"{form}\n    y[i] = y[k] + k", 100.0, None)
    text = text.replace("* 100.0", "").replace("np.zeros", "np.ones")
    assert outcome.taken(text) == outcome.plain(text)
    assert any("int64(v" in kernel for kernel in kernel_texts)
