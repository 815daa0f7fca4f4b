"""What a `Counter` has under ``items`` is the user's, and is not asked for what it counts."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
from collections import Counter
asked = []
def other():
    asked.append(1)
    return [(1, 1), (3, 0)]
def f(d, n):
    t = 0
    for i in range(n):
        t += d[1] + i % 3 + d[3]
    return t
c = Counter({1: 5, 2: 6, 3: 7})
c.items = other
c.values = other
res = [f(c, n) for n in (1, 5, 50)]
del c
"""


def test_as_in_python() -> None:
    both(PROGRAM)
