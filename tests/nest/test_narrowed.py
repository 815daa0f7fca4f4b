"""Scalars that have another type after a loop than before it."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
a = np.linspace(-1.0, 2.0, 24).reshape(4, 6)
d = 6
x = [0.5, 1.5, -2.0, 4.0]
r = []
"""

TAKEN = {
    "a loop that is not gone through at first": """
for i in range(4):
    s = 0.0
    for j in range(i):
        s += a[i, j]
    r.append(s)
""",
    "a loop that may be left": """
for i in range(4):
    s = 0.0
    for j in range(d):
        if a[i, j] > 1.0:
            break
        s += a[i, j]
    r.append(s)
""",
    "under a condition": """
for i in range(4):
    s = 0.0
    for j in range(d):
        if a[i, j] > 0:
            s += a[i, j]
    r.append(s)
""",
    "a list of sums": """
for i in range(4):
    s = 0.0
    for j in range(d):
        s += a[i, j]
    r.append(-0.5 * s)
""",
    "a list in a comprehension": """
def total(u):
    s = 1.0
    for v in u:
        s += v
    return s
for i in range(4):
    y = [total(a[i]) * k for k in range(3)]
    x[i] = float(y[2])
""",
}

LEFT = {}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    assert "compiled" in same(HEAD + TAKEN[title]).values()


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title: str) -> None:
    assert same(HEAD + LEFT[title])[HEAD.count("\n") + 2] != "compiled"


def test_a_loop_that_is_gone_through_no_more() -> None:
    code = "for d in (6, 3, 0, 6):\n    for i in range(4):\n        s = 0.0\n"
    code += "        for j in range(d):\n            s += a[i, j]\n        r.append(s)\n"
    same(HEAD + code)
