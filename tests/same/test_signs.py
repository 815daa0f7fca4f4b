"""What is never negative is not looked at before its root is taken; what may be, is."""

from __future__ import annotations

import math

import harness
import numpy as np
import pytest

from autopar.runtime.site import FallbackError

NEVER = {
    "a sum of squares": "x[i] * x[i] + x[i] ** 2",
    "a quotient of such": "1.0 / np.sqrt(1.0 + x[i] * x[i])",
    "what is far from zero": "abs(x[i]) + 1e-300",
}
MAYBE = {
    "what is divided by a root of -0.0": "1.0 / np.sqrt(x[i])",
    "what is divided by a product with such a root": "1.0 / (np.sqrt(x[i]) * 2.0)",
}


def source(value):
    return f"for i in range(n):\n    s = {value}\n    y[i] = math.sqrt(s)\n"


def given():
    x = np.ones(9)
    x[3] = -0.0
    return {"n": 9, "x": x, "y": np.zeros(9), "np": np, "math": math}


@pytest.mark.usefixtures("strict", "quiet")
@pytest.mark.parametrize("name", NEVER)
def test_what_is_never_negative(name):
    _, left = harness.run(source(NEVER[name]), **given())
    assert left is not None


@pytest.mark.usefixtures("strict", "quiet")
@pytest.mark.parametrize("name", MAYBE)
def test_what_may_be_negative(name):
    names = given()
    with pytest.raises(FallbackError):
        harness.run(source(MAYBE[name]), **names)
    assert not names["y"].any()
