"""Upward-exposed reads."""

from __future__ import annotations

import pytest

from autopar.nest.flow import exposed, written
from autopar.nest.text.lift import lift_text


def body(text):
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    return lift_text(f"for i in range(n):\n{indented}").loop.body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s = a[i]\nb[i] = s", set()),
        ("b[i] = s\ns = a[i]", {"s"}),
        ("s = s + a[i]", {"s"}),
        ("if a[i] > 0:\n    s = 1\nb[i] = s", {"s"}),
        ("if a[i] > 0:\n    s = 1\nelse:\n    s = 2\nb[i] = s", set()),
        ("if a[i] > 0:\n    continue\nelse:\n    s = 2\nb[i] = s", set()),
        ("if a[i] > 0:\n    s = 1\n    break\nb[i] = s", {"s"}),
        ("for j in range(m):\n    s = 1\nb[i] = s", {"s", "m"}),
        ("for j in range(m):\n    s = j\n    b[s] = s", {"m"}),
        ("for j in range(m):\n    b[i] = s\n    s = 1", {"m", "s"}),
        ("for j in range(m):\n    b[j] = 1\nb[i] = j", {"m", "j"}),
        ("s = 3\nfor j in range(s):\n    b[j] = 1", set()),
        ("s = 0\nwhile s < 3:\n    t = s\n    s = s + 1\nb[i] = t", {"t"}),
    ],
)
def test_what_a_body_needs_from_before(text, expected):
    assert exposed(body(text)) - {"n", "i"} == expected


def test_written_counts_loop_variables():
    assert written(body("for j in range(m):\n    s = 1")) == {"j", "s"}
