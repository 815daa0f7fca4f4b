"""``list(accumulate(…))``: running sums, or what a function makes of them, one by one."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import itertools, random
import numpy as np
from itertools import accumulate
n = 9
x = [0.5 * k - 1.0 for k in range(n)]
k = [3, 1, 2, 2**40, 5]
a = np.linspace(0.0, 1.0, n)
def blend(p, q):
    return p * 0.5 + q
"""
TAKEN = {
    "sums": "r = list(accumulate(x))",
    "sums of integers": "r = list(accumulate(k))",
    "by the name of the module": "r = list(itertools.accumulate(x))",
    "a function": "r = list(accumulate(x, blend))",
    "a lambda": "r = list(accumulate(x, lambda p, q: p if p > q else q))",
    "a built-in function": "r = list(accumulate(x, max))",
    "of a generator": "r = list(accumulate(t * t for t in x if t > 0))",
    "of a list that is made": "r = list(accumulate([t + 1.0 for t in x], blend))",
    "of map": "r = list(accumulate(map(abs, x)))",
    "of an array": "r = list(accumulate(a))",
    "none": "x = [t for t in x if t > 99.0]\nr = list(accumulate(t + 1.0 for t in x))",
    "in a loop": "r = [0.0] * n\nfor i in range(n):\n    r[i] = list(accumulate(x, blend))[i]",
    "negative zero": "r = list(accumulate([-0.0 * t for t in x]))",
    "its name lives on": "r = list(accumulate(x))\nr.append(1.0)\ns = sum(r)",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name):
    found = both(HEAD + TAKEN[name])
    assert "compiled" in {**found.loops_after(HEAD), **found.runs}.values()


SAME = {
    "the first item has another type": "r = list(accumulate([1, 2, 3], blend))",
    "bools": "r = list(accumulate([True, True, False]))",
    "large": "r = list(accumulate([2**62, 2**62, 5]))",
    "text": "r = list(accumulate(['a', 'b']))",
    "from a start": "r = list(accumulate(x, initial=100.0))",
    "a start by its place": "r = list(accumulate(x, blend, 5))",
    "an empty list": "r = list(accumulate([]))",
    "another function": "def accumulate(v):\n    return v[::-1]\nr = list(accumulate(x))",
    "another list": "list = tuple\nr = list(accumulate(x))",
    "draws": "random.seed(3)\nr = list(accumulate(x, lambda p, q: p + random.random() * q))",
    "fails": """
try:
    r = list(accumulate(x, lambda p, q: p / q))
except ZeroDivisionError as e:
    said = str(e)
""",
    "of NumPy": "r = list(np.add.accumulate(a))",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_the_same_in_any_case(name):
    both(HEAD + SAME[name])
