"""Upward-exposed reads, of scalars and of elements."""

from __future__ import annotations

import pytest

from autopar.nest.flow import elements_read, exposed, written
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a[i] = 1.0\nx = a[i]", set()),
        ("a[i] = 1.0\nx = a[i - 1]", {"a"}),
        ("x = a[i]\na[i] = 1.0", {"a"}),
        ("a[i] = a[i] + 1.0", {"a"}),
        ("for j in range(m):\n    a[i, j] = y\n    y = a[i, j]", set()),
        ("for j in range(m):\n    y = a[i, j]\n    a[i, j] = y", {"a"}),
        ("for j in range(m):\n    a[i, j] = y\nfor j in range(m):\n    y = a[i, j]", {"a"}),
        ("a[i] = 1.0\nfor j in range(m):\n    y = a[i]", set()),
        ("j = 0\na[j] = 1.0\nfor j in range(m):\n    y = a[j]", {"a"}),
        ("a[k] = 1.0\nfor j in range(m):\n    y = a[k]\n    k = k + 1", {"a"}),
        ("a[k] = 1.0\nk = k + 1\ny = a[k]", {"a"}),
        ("if b[i] > 0:\n    a[i] = 1.0\ny = a[i]", {"a", "b"}),
        ("if b[i] > 0:\n    a[i] = 1.0\n    y = a[i]", {"b"}),
        ("a[k] = 1.0\nif b[i] > 0:\n    k = 1\ny = a[k]", {"a", "b"}),
        ("a[b[i]] = 1.0\ny = a[b[i]]", {"a", "b"}),
        ("a[i] = 1.0\nwhile a[i] < 3:\n    a[i] = a[i] + 1", set()),
        ("while y < 3:\n    a[i] = 1.0\n    y = a[i]", set()),
        ("while y < 3:\n    y = a[i]\n    a[i] = 1.0", {"a"}),
    ],
)
def test_elements_that_are_read_before_they_are_stored(text, expected):
    assert elements_read(body(text)) == expected
