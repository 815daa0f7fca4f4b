"""Names that are read only around the loop: after an event that goes on, or a ``finally``."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

EVENTS = {
    "the loop is left behind the event": """
def f(n):
    x = 1
    y = 0
    for t in range(n):
        y += x
        x = t * 2
        if t % 7 < 6:
            print(t)
            continue
        {leave}
    return y
""",
    "a while": """
def f(n):
    x = 1
    y = t = 0
    while t < n:
        y += x
        x = t * 2
        t += 1
        if t % 7 < 6:
            print(t)
            continue
        {leave}
    return y
""",
}
FINALLY = {
    "break": """
def f(n):
    for i in range(n):
        x = 0
        try:
            if i == 7:
                break
        finally:
            x = 0
            for j in range(i + 5):
                x += j
    else:
        return 0
    return x
""",
    "break in a handler": """
def f(n):
    s = x = 0
    for i in range(n):
        x = 0
        try:
            s += 1 // (i - 7)
        except ZeroDivisionError:
            break
        finally:
            for j in range(i + 5):
                x += j
    else:
        x = 3
    return s + x
""",
    "continue": """
def f(n):
    x = s = 0
    for i in range(n):
        s += x
        try:
            if i % 3 == 1:
                continue
            x = 5
        finally:
            x = 9
            for j in range(i + 5):
                x += j
        x = 1
    return s
""",
}
CALLS = "z = [f(3), f(20), f(50)]\n"


@pytest.mark.parametrize("leave", ["return y", "break", "x = 0\n        break"])
@pytest.mark.parametrize("title", EVENTS)
def test_an_event_that_goes_on(title: str, leave: str) -> None:
    found = both(EVENTS[title].format(leave=leave) + CALLS)
    assert "compiled" in found.loops.values()


@pytest.mark.parametrize("title", FINALLY)
def test_what_comes_through_a_finally(title: str) -> None:
    found = both(FINALLY[title] + CALLS)
    assert "compiled" in found.loops.values()


def test_a_yield_that_nobody_comes_to() -> None:
    both("""
import numpy as np
def f(n):
    u = np.arange(8.0)
    x = 1.0
    for i in range(n):
        u[i % 8] += 0.5
        if u[i % 8] % 3 > 2:
            print(i)
        continue
        yield x
z = list(f(60))
""")
