"""Names that several loops give to items, each for itself, of several types."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
xs, ys = [3, 1, 2], [0.5, 1.5, 2.5, 3.5]
d, e = {1: 2, 3: 4}, {1: 0.25, 5: 0.75}
a = np.arange(4, dtype=np.float32)
"""
TAIL = """
res = [run(n) for n in (0, 1, 5)]
"""

TAKEN = {
    "items": """
def run(n):
    s = 0.0
    for r in range(n):
        for v in xs:
            s += v * r
        for v in ys:
            s += v * r
        for v in a:
            s += float(v)
    return s
""",
    "pairs": """
def run(n):
    s = 0.0
    for r in range(n):
        for k, v in d.items():
            s += k * v // 3
        for k, v in e.items():
            s += k * v
    return s
""",
    "numbered": """
def run(n):
    s = 0.0
    for r in range(n):
        for i, v in enumerate(xs):
            s += v * i
        for v, w in zip(ys, xs):
            s += v * w
            v = v * 2
            s += v
    return s
""",
}

LEFT = {
    "read in between": """
def run(n):
    s = 0.0
    for r in range(n):
        for v in xs:
            s += v * r
        s += v
        for v in ys:
            s += v * r
    return s
""",
    "read before": """
def run(n):
    s = []
    try:
        for r in range(n):
            if r > 1:
                s.append(v)
            for v in xs:
                s.append(v)
            for v in ys[:r]:
                s.append(v)
    except UnboundLocalError as error:
        return str(error)
    return s
""",
    "seen afterwards": """
def run(n):
    s, v = 0.0, None
    for r in range(n):
        for v in xs:
            s += v * r
        for v in ys:
            s += v * r
    return s, v
""",
    "in one another": """
def run(n):
    s = 0.0
    for r in range(n):
        for v in xs:
            s += v * r
            for v in ys:
                s += v * r
            s += v
    return s
""",
    "places": """
def run(n):
    s = 0.0
    for r in range(n):
        for v in range(len(e)):
            s += e.get(v, 7) * r
        for v in range(len(xs)):
            s += xs[v] * r
        for v in ys:
            s += v
    return s
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
