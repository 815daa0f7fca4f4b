"""Results that a later statement of their block shows to be infinite or nan."""

from __future__ import annotations

import pytest

from autopar.cpu.sticky import carriers
from autopar.nest.ir import Assign
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
CELLS = {
    "a cell": ("b[i] = a[i] * 2.0", "a[i] = b[i] + 1.0"),
    "a cell and a sum": ("b[i] = a[i] * 2.0", "t = n", "t += b[i] * a[i]"),
    "a cell with its own update": ("b[i] = a[i] * 2.0", "b[i] = 0.5 * b[i] - 1.0"),
}
OTHER_CELLS = {
    "another cell": ("b[i] = a[i] * 2.0", "a[i] = b[i + 1] + 1.0"),
    "another array": ("b[i] = a[i] * 2.0", "a[i] = c[i] + 1.0"),
    "a cell behind a store": ("b[i] = a[i] * 2.0", "c[n] = 1.0", "a[i] = b[i] + 1.0"),
    "a cell behind a store at times": (
        "b[i] = a[i] * 2.0",
        "if n > 3:",
        "    c[i] = 1.0",
        "a[i] = b[i] + 1.0",
    ),
    "another place by now": ("b[k] = a[i] * 2.0", "k = n", "a[i] = b[k] + 1.0"),
    "a cell that divides": ("b[i] = a[i] * 2.0", "a[i] = 1.0 / b[i]"),
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
    return carriers(nest.loop.body).get(first.id)


@pytest.mark.parametrize("lines", (CARRIED | CELLS).values(), ids=CARRIED | CELLS)
def test_carried_on(lines):
    assert found(lines) is not None


@pytest.mark.parametrize(
    "lines", (NOT_CARRIED | OTHER_CELLS).values(), ids=NOT_CARRIED | OTHER_CELLS
)
def test_looked_at_at_once(lines):
    assert found(lines) is None
