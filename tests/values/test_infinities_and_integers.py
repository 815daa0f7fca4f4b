"""What is an infinity at first and then an integer: the best so far, the nearest one."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
xs = [5, 3, 8, 1, 9, 2, 7, -4, 0]
"""
TAIL = """
res = [repr(run(xs[:n], s)) for n in (1, 2, 5, 9) for s in (0, 7, 10**15, 2**53 - 3, 2**53, -2**53)]
"""

TAKEN = {
    "the least": """
def run(xs, s):
    best, at = math.inf, -1
    for i in range(len(xs)):
        if xs[i] < best:
            best = xs[i]
            at = i
    return best, at
""",
    "the least of each": """
def run(xs, s):
    t = 0
    for r in range(4):
        best = float("inf")
        for x in xs:
            d = (x - r) * (x - r) % 101
            if d < best:
                best = d
                t += 1
    return t, best
""",
    "min and max": """
def run(xs, s):
    low, high = math.inf, -math.inf
    for x in xs:
        low = min(low, x)
        high = max(x, high)
    return low, high
""",
    "no number at first": """
def run(xs, s):
    b, t = float("nan"), 0
    for x in xs:
        if x < b or b != b:
            b = x
            t += 1
        if x == b:
            t += 10
    return b, t
""",
}

LEFT = {
    "sums that must not be rounded": """
def run(xs, s):
    b, t = math.inf, s
    for x in xs:
        if x < b:
            b = x
        c = b + 1
        d = c - x
        e = d - d
        t = t + d
    return b, c, d, e, t, math.atan2(e, -1.0)
""",
    "large ones": """
def run(xs, s):
    b, c = math.inf, 0
    for x in xs:
        if x < 4:
            b = x + s
        c = b + 2
        b = c
    return b, c, b > 2**53 + 1
""",
    "zeros with a sign": """
def run(xs, s):
    b, r = math.inf, []
    for x in xs:
        if x < b:
            b = x
        y = -b
        z = b * 0
        r.append((math.atan2(y, -1.0), math.copysign(1.0, z * -1)))
    return r, y, z
""",
    "quotients": """
def run(xs, s):
    b = math.inf
    for x in xs:
        if x < b:
            b = x
        y = 7 / (b + 0.5)
        z = b // 2 if b < 100 else 0
        w = b % 3 if b < 100 else 0
    return y, z, w
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken(body: str) -> None:
    found = both(HEAD + body + TAIL)
    fared = found.loops_after(HEAD)
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_as_in_python(body: str) -> None:
    both(HEAD + body + TAIL)
