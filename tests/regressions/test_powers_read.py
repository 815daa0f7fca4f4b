"""Powers of arrays whose warnings were once said of another function than NumPy says them of."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from fuzz.setting import eager
from same.outcome import FILE, described, taken

SOURCE = """
def run(x, y):
    for k in range(3):
        y += x ** {}
    return y
r = run(x, y)
"""


def _run_of_python(source, **names):
    exec(compile(source, FILE, "exec"), names)
    return described(names["r"])


@pytest.mark.parametrize("exponent", ["2", "2.0", "-1", "-1.0", "0.5", "1.0"])
@pytest.mark.parametrize("odd", [1.5, 1e200, 0.0, -1.0])
def test_a_power_warns_under_the_name_that_numpy_gives_it(exponent, odd):
    shown = []
    # Python's own run is not `plain`, which is silent.
    for run in (_run_of_python, taken):
        with eager(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            names = {"x": np.array([odd, 1.0, 3.7]), "y": np.zeros(3)}
            with np.errstate(divide="warn", over="warn", invalid="warn"):
                found = run(SOURCE.format(exponent), **names)
        shown.append((found, [(str(c.message), c.lineno) for c in caught]))
    (wanted, said), (found, also) = shown
    assert wanted == found.names["r"]
    assert said == also
