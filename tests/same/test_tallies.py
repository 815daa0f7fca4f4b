"""Counters: integers that need no look at each sum, and others that do."""

from __future__ import annotations

import harness
import numpy as np
import pytest

from autopar.cpu.tallies import tallies
from autopar.nest.text.lift import lift_text

COUNTED = {
    "if a[i] > 0.5:\n        c += 1": {"c"},
    "c += 1\n    if a[i] > 0.5:\n        c -= 2": {"c"},
    "c = 0\n    while c < 5 and a[i] > 0.1 * c:\n        c = c + 1\n    b[i] = c": {"c"},
    "c = 3 + c\n    d = c + 1\n    d += 1": {"c"},
    "for k in range(3):\n        if a[k] > 0.5:\n            c += 1": {"c"},
    "c += i": set(),
    "c += 1\n    c *= 2": set(),
    "c += 65": set(),
    "c += 40\n    c += 40": set(),
    "c = 1 - c": set(),
    "d = c + 1\n    c = d": set(),
    "i += 1\n    c = i": set(),
    "for c in range(3):\n        c += 1": set(),
}


@pytest.mark.parametrize("body", COUNTED)
def test_which_are_counters(body):
    assert tallies(lift_text(f"for i in range(n):\n    {body}\n").loop) == COUNTED[body]


@pytest.mark.parametrize("body", [body for body, found in COUNTED.items() if found])
@pytest.mark.parametrize("start", [0, -(2**61), 2**61, 7])
def test_the_same_numbers(body, start, kernel_texts):
    source = f"for i in range(n):\n    {body}\n"
    ours, plain = (
        {"a": np.random.default_rng(1).random(700), "b": np.zeros(700), "c": start, "n": 700}
        for _ in "12"
    )
    _, found = harness.run(source, **ours)
    exec(compile(source, "<text>", "exec"), plain)
    assert found["c"] == plain["c"]
    assert type(found["c"]) is int
    assert ours["b"].tobytes() == plain["b"].tobytes()
    assert not any("checked_add(c, 1)" in text for text in kernel_texts)


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("start", [2**61 + 1, -(2**61) - 1, 2**63 - 10])
def test_what_may_come_to_the_end_is_left_to_python(start):
    source = "for i in range(n):\n    if a[i] > 0.5:\n        c += 1\n    b[i] = c % 7\n"
    a, b = np.random.default_rng(1).random(700), np.zeros(700)
    here, found = harness.run(source, a=a, b=b, c=start, n=700)
    assert found is None
    assert here.record.runs == 0
