"""A list of ints and floats that is stored to under one name and read under another."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
def f(d, e):
    for i in range(3):
        x = d[i] if d[i] > d[i] else 2.5
        e[i] = x
def g(e, d):
    for i in range(3):
        x = d[i] if d[i] > 1.5 else 2.5
        e[i] = x
a = [1, 2.0, 3, 0]
f(a, a)
b = [1, 2.0, 3, 0]
g(b, b)
c = [1, 2.0, 3, 0]
f(c, b)
"""


def test_as_in_python() -> None:
    found = both(PROGRAM).loops
    assert "internal" not in found.values(), found
