"""Squares of Python's complex numbers, which are no plain products."""

from __future__ import annotations

import itertools
import sys

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PARTS = (0.0, -0.0, 1.5, -2.0, 1e-170, -5e-324, 1e150, float("nan"))
HUGE = (1e155, -1e308, float("inf"))
ARRAYS = """
import numpy as np
x, y = np.array({parts!r}), np.array({others!r})
re, im = np.zeros(len(x)), np.zeros(len(x))
def work():
    for i in range(len(x)):
        z = complex(x[i], y[i]) ** {power}
        re[i], im[i] = z.real, z.imag
work()
"""


def arrays(parts: tuple[float, ...], power: str) -> str:
    pairs = list(itertools.product(parts, parts))
    listed = ([a for a, _ in pairs], [b for _, b in pairs])
    text = "from math import inf, nan\n" + ARRAYS
    return text.format(parts=listed[0], others=listed[1], power=power)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python's own way is another one there")
@pytest.mark.parametrize("power", ["2", "2.0"])
def test_every_sign_and_size(power: str) -> None:
    assert set(both(arrays(PARTS, power)).loops.values()) == {"compiled"}


@pytest.mark.parametrize("huge", HUGE)
def test_what_is_too_large(huge: float) -> None:
    error = both(arrays((huge, 1.0), "2")).error
    assert (error is not None) == (huge == 1e155)  # of the others, both parts are nan
    assert both(arrays((huge, huge), "2")).error is None


@pytest.mark.parametrize("power", ["3", "-1", "0.5", "x[i]", "1j"])
def test_other_powers_are_left_alone(power: str) -> None:
    assert "compiled" not in both(arrays((1.5, 2.0), power)).loops.values()
