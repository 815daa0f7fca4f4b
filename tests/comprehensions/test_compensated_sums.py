"""Newer Pythons add up the roundings of a sum of floats, too: their sums are left to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar import config, journal
from autopar.hook.loader import code_of
from autopar.nest.typed import types

HEAD = (
    "import numpy as np\nx = [0.1 * i for i in range(50)]\nk = list(range(50))\na = np.array(x)\n"
)
FLOATS = {
    "of a list": "sum(v * t for v in x)",
    "from a float": "sum((v * t for v in x), 0.5)",
    "from an int": "sum((v * t for v in x), 3)",
    "of ints from a float": "sum((v * t for v in k), 0.5)",
    "as it stands": "sum(x)",
}
OTHERS = {
    "of ints": "sum(v * t for v in k)",
    "of ints from an int": "sum((v * t for v in k), 3)",
    "of NumPy's floats": "sum(v * t for v in a)",
    "of an array": "sum(a)",
    "of conditions": "sum(v > t for v in x)",
}


def ran(expression: str) -> tuple[int, str]:
    """How often the loop ran as kernels, and why not."""
    journal.clear()
    space: dict[str, object] = {}
    text = (
        f"{HEAD}def f(x, k, a):\n    for t in range(3):\n        s = {expression}\n    return s\n"
    )
    code = code_of(text, "<sums>", "text")
    assert code is not None
    exec(code, space)
    plain: dict[str, object] = {}
    exec(text, plain)
    for one in (space, plain):
        exec("r = f(x, k, a)", one)
    assert repr(space["r"]) == repr(plain["r"])
    record = next(r for r in journal.records() if r.function == "f")
    return record.runs, record.refusal.text if record.refusal else ""


@pytest.fixture
def compensated(lenient, apart, monkeypatch):
    apart()
    config.use(replace(config.current(), fail_on_fallback=False))
    monkeypatch.setattr(types, "_COMPENSATED", frozenset({"float"}))


@pytest.mark.parametrize("expression", FLOATS.values(), ids=FLOATS)
def test_floats_are_left_to_python(compensated, expression):
    runs, why = ran(expression)
    assert runs == 0
    assert "compensates" in why


@pytest.mark.parametrize("expression", OTHERS.values(), ids=OTHERS)
def test_what_is_not_compensated_is_taken(compensated, expression):
    assert ran(expression)[0] > 0
