"""Newer Pythons add up what a sum of floats loses to rounding, and so do kernels there."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from autopar import config, journal
from autopar.hook.loader import code_of
from autopar.nest import ir
from autopar.runtime.site import FallbackError

HEAD = """import numpy as np
inf, nan = float("inf"), float("nan")
k = list(range(50))
a = 0.1 * np.arange(50)
"""
LISTS = {
    "tenths": "[0.1 * i for i in range(50)]",
    "large and small": "[1e16, 1.0, -1e16, 3.0, 1e-5] * 10",
    "an infinity": "[1.0, inf, 1e16, 1.0] + [0.5] * 46",
    "infinities": "[inf] * 25 + [-inf] * 25",
    "no number": "[nan] + [0.5] * 49",
    "too large on the way": "[1e308] * 25 + [-1e308] * 25",
    "negative zeros": "[-0.0] * 50",
}
FLOATS = {
    "of a list": "sum(v * t for v in x)",
    "from a float": "sum((v - t for v in x), 0.5)",
    "from a negative zero": "sum((v for v in x if v > 1e400), -0.0)",
    "as it stands": "sum(x) + t",
    "of products": "sum(v * w for v, w in zip(x, x))",
    "of sums": "sum(sum(v * w for v in x[:5]) for w in x)",
}
OTHERS = {
    "of ints": "sum(v * t for v in k)",
    "of ints from an int": "sum((v * t for v in k), 3)",
    "of NumPy's floats": "sum(v * t for v in a)",
    "of an array": "sum(a)",
    "of conditions": "sum(v > t for v in x)",
}
LEFT = {
    "from an int": "sum((v * t for v in x), 3)",
    "of ints from a float": "sum((v * t for v in k), 0.5)",
}


def neumaier(items, start=0):
    """The builtin `sum` as it is from Python 3.12 on."""
    total, lost = start, 0.0
    for item in items:
        if type(total) is float and type(item) is float:
            after = total + item
            larger = abs(total) >= abs(item)
            lost += (total - after) + item if larger else (item - after) + total
            total = after
        else:
            total = total + item
    return total + lost if lost and math.isfinite(lost) else total


def ran(expression: str, numbers: str = LISTS["tenths"]) -> int:
    """How often the loop ran as kernels."""
    journal.clear()
    space: dict[str, object] = {}
    text = (
        f"{HEAD}x = {numbers}\ndef f(x, k, a):\n    for t in range(3):\n"
        f"        s = {expression}\n    return s\n"
    )
    code = code_of(text, "<sums>", "text")
    assert code is not None
    exec(code, space)
    plain: dict[str, object] = {"sum": neumaier}
    exec(text, plain)
    for one in (space, plain):
        exec("r = f(x, k, a)", one)
    record = next(r for r in journal.records() if r.function == "f")
    assert repr(space["r"]) == repr(plain["r"])
    return record.runs


@pytest.fixture
def compensated(lenient, apart, monkeypatch):
    """As from Python 3.12 on, whichever this is."""
    apart()
    config.use(replace(config.current(), fail_on_fallback=True, verify=False))
    monkeypatch.setattr(ir, "COMPENSATED", frozenset({"float"}))


@pytest.mark.parametrize("numbers", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("expression", FLOATS.values(), ids=FLOATS)
def test_what_is_lost_is_added_up(compensated, expression, numbers):
    assert ran(expression, numbers) > 0


@pytest.mark.parametrize("expression", OTHERS.values(), ids=OTHERS)
def test_what_is_not_compensated_is_taken(compensated, expression):
    assert ran(expression) > 0


@pytest.mark.parametrize("expression", LEFT.values(), ids=LEFT)
def test_floats_and_others_are_left_to_python(compensated, expression):
    with pytest.raises(FallbackError, match="compensates"):
        ran(expression)


def test_it_makes_a_difference():
    x = [0.1] * 10
    assert neumaier(x) != sum(x, 0.0) or neumaier(x) == 1.0
    assert neumaier([1e16, 1.0, -1e16]) == 1.0
