"""Results that a later statement of their block shows to be infinite or nan."""

from __future__ import annotations

import pytest

from autopar.cpu.sticky import carriers
from autopar.nest.ir import Assign, Name
from autopar.nest.text.lift import lift_text
from autopar.nest.walking import statements

CARRIED = {
    "a sum": ("t = a[i] * 2.0", "a[i] = t + 1.0"),
    "a product": ("t = a[i] * 2.0", "a[i] = 1.0 * (3.0 - t)"),
    "a square": ("t = a[i] * 2.0", "a[i] = 1.0 - t ** 2"),
    "a numerator": ("t = a[i] * 2.0", "a[i] = -t / n"),
    "after others": ("t = a[i] * 2.0", "u = 1.0", "b[i] = u", "a[i] = t + u"),
    "its own update": ("t = a[i] * 2.0", "t = t + 1.0", "a[i] = 1.0"),
    "after a loop": ("t = a[i] * 2.0", "for j in range(3):", "    b[j] = 1.0", "a[i] = t - n"),
    "after a branch": ("t = a[i] * 2.0", "if n > 3:", "    b[i] = t", "a[i] = t - n"),
}
NOT_CARRIED = {
    "nothing after it": ("t = a[i] * 2.0", "a[i] = 1.0"),
    "a divisor": ("t = a[i] * 2.0", "a[i] = 1.0 / t"),
    "a branch": ("t = a[i] * 2.0", "if n > 3:", "    a[i] = t + 1.0"),
    "one side of a choice": ("t = a[i] * 2.0", "a[i] = t + 1.0 if n > 3 else 2.0"),
    "the least of two": ("t = a[i] * 2.0", "a[i] = min(t, 1.0)"),
    "a power": ("t = a[i] * 2.0", "a[i] = t ** -1"),
    "a comparison": ("t = a[i] * 2.0", "c[i] = t > 1.0"),
    "another value": ("t = a[i] * 2.0", "t = 1.0", "a[i] = t + 1.0"),
    "another value at times": ("t = a[i] * 2.0", "if n > 3:", "    t = 1.0", "a[i] = t + 1.0"),
    "the next iteration at times": (
        "t = a[i] * 2.0",
        "if a[i] > 3:",
        "    continue",
        "a[i] = t + 1.0",
    ),
    "a loop that may be empty": ("t = a[i] * 2.0", "for j in range(n):", "    a[j] = t + 1.0"),
    "a subscript": ("t = a[i] * 2.0", "a[i] = b[int(t)] + 1.0"),
}


def found(lines):
    """Whether the first assignment of the block is carried on."""
    nest = lift_text("for i in range(n):\n" + "".join(f"    {line}\n" for line in lines))
    first = next(s for s in statements(nest.loop) if isinstance(s, Assign))
    assert first.target == Name("t")
    return carriers(nest.loop.body).get(first.id)


@pytest.mark.parametrize("lines", CARRIED.values(), ids=CARRIED)
def test_carried_on(lines):
    assert found(lines) is not None


@pytest.mark.parametrize("lines", NOT_CARRIED.values(), ids=NOT_CARRIED)
def test_looked_at_at_once(lines):
    assert found(lines) is None
