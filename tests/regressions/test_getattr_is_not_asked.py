"""Attributes that an object has not, and answers for itself: each question may be counted."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
class Counts:
    def __init__(self):
        self.asked = 0
    def __getattr__(self, name):
        if name != "x":
            raise AttributeError(name)
        self.asked += 1
        return self.asked
def written(o, n):
    for i in range(n):
        o.x = o.x + i
    return o.x
def read(o, n):
    t = 0
    for i in range(n):
        t += o.x * i
    return t
def late(o, n):
    for i in range(n):
        if i > 2:
            o.x = i
    return o.x
found = []
for n in (6, 50, 0, 2):
    for f in (written, read, late):
        o = Counts()
        found.append((f(o, n), o.asked, sorted(vars(o))))
"""


def test_as_often_as_in_python() -> None:
    both(PROGRAM)
