"""Which cells a strip of iterations reads again and again."""

from __future__ import annotations

import pytest

from autopar.nest.ir import For
from autopar.nest.text.lift import lift_text
from autopar.sched.boxes import boxes


def found(inner, n="n"):
    """Arrays and axes of the boxes for a strip of `j` around `inner`, with `i` in it."""
    body = "".join(f"        {line}\n" for line in inner.splitlines())
    loop = lift_text(f"for i in range(n):\n    for j in range({n}):\n{body}").loop
    (strip,) = loop.body
    assert isinstance(strip, For)
    return [(box.load.array, box.axes) for box in boxes(strip, (loop,), strip.body)]


LOOP = "for k in range({}):\n    s = s + {}"


@pytest.mark.parametrize(
    ("cell", "axes"),
    [
        ("b[j, k]", (("j",), ("k",))),
        ("b[k, j]", (("k",), ("j",))),
        ("b[j + k, m]", (("j", "k"), ())),
        ("b[2 + j - m, k + 1]", (("j",), ("k",))),
    ],
)
def test_sums_of_variables_fill_a_box(cell, axes):
    assert found(LOOP.format("p", cell)) == [("b", axes)]


@pytest.mark.parametrize(
    "cell",
    [
        "b[i, j]", "b[k, m]", "b[j, j + k]", "b[j, m - k]", "b[2 * j, k]", "b[j, h[k]]",
        "b[j + k, k]", "b[j, k // 2]",
    ],
)  # fmt: skip
def test_what_fills_none_or_is_read_once(cell):
    assert not [one for one in found(LOOP.format("p", cell)) if one[0] == "b"]


@pytest.mark.parametrize("stop", ["j", "i", "z[0]", "s"])
def test_not_where_a_range_is_not_known_before(stop):
    assert not found(LOOP.format(stop, "b[j, k]"))


def test_not_what_is_stored_or_read_under_a_test():
    assert not found(LOOP.format("p", "b[j, k]") + "\nb[j, 0] = s")
    assert not found("for k in range(p):\n    if s > 0.0:\n        s = s + b[j, k]")
    assert found("if m > 0:\n    " + LOOP.format("p", "b[j, k]").replace("\n", "\n    "))
