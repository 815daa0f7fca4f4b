"""Lists that each iteration makes anew and hands over, in some of them: integrators by hand."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
def run(n, h=0.25):
"""
TAIL = """
res = [run(n) for n in (0, 1, 2, 9)]
"""

TAKEN = {
    "after it was looked at": """
    y = [1.0, 0.0]
    err = 0.0
    for k in range(n):
        new = [y[i] + h * (i + 1) for i in range(2)]
        err = max(abs(new[i] - y[i]) for i in range(2))
        y = new
    return y, err
""",
    "where it is good enough": """
    y = [1.0, 0.0]
    z = y
    for k in range(n):
        new = [y[0] + h * y[1], y[1] - h * y[0]]
        if new[0] < 1.2:
            y = new
    return y, z, y is z
""",
    "in branches of branches": """
    y = [1.0, 0.0]
    best = [0.0, 0.0]
    s = 0.0
    for k in range(n):
        new = [y[0] + 1, y[1] + k]
        if new[0] > 3:
            if new[1] > 5:
                best = new
            else:
                y = new
        else:
            y = new
        s += best[0]
    return y, best, s
""",
    "with a step that is chosen": """
    t, y = 0.0, [1.0, 0.0]
    while t < n:
        new = [y[0] + h * y[1], y[1] - h * y[0]]
        if abs(new[0] - y[0]) < 0.1:
            y = new
            t += h
            h *= 1.1
        else:
            h /= 2
    return y, t, h
""",
    "a path of unknown length": """
    x, path = n + 2, []
    while x > 1:
        x = 3 * x + 1 if x % 2 else x // 2
        path.append(x)
    return path
""",
}

LEFT = {
    "changed by its own name": """
    y = [1.0, 0.0]
    for k in range(n):
        new = [y[0] + 1, y[1] + k]
        if k % 3 == 1:
            y = new
        new[0] = 7.0
    return y
""",
    "not made anew in all of them": """
    y = [1.0, 0.0]
    new = [5.0, 6.0]
    for k in range(n):
        if k % 2:
            new = [y[0] + 1, y[1] + k]
        if k % 3 == 1:
            y = new
        y[0] += 1
    return y, new
""",
    "in a loop in the iteration": """
    y = [1.0, 0.0]
    for k in range(n):
        new = [y[0] + 1, y[1] + k]
        for j in range(3):
            new[0] += j
            if j == 1:
                y = new
    return y
""",
    "to two names": """
    y, z = [1.0, 0.0], [2.0, 0.0]
    for k in range(n):
        new = [y[0] + 1, y[1] + k]
        if k % 2:
            y = new
        else:
            z = y
        y[1] += 1.0
    return y, z
""",
    "in the other branch as well": """
    y, z = [1.0, 0.0], [2.0, 0.0]
    for k in range(n):
        new = [y[0] + 1, y[1] + k]
        if k % 2:
            y = new
            z = new
        y[1] += 1.0
    return y, z
""",
    "and read after the loop": """
    y = [1.0, 0.0]
    new = y
    for k in range(n):
        new = [y[0] + 1, y[1] + k]
        if k % 2:
            y = new
    return y, new, y is new
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
