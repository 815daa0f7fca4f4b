"""`random.choice` of lists, tuples in them, what is written out, and lists that a nest makes."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import random
moves = [(1, 0), (-1, 0), (0, 1), (0, -1)]
rows = [[1.5, 2.5], [3.5, 4.5], [0.5, 0.25]]
"""
TAIL = """
res = []
for n in (0, 1, 7, 40):
    random.seed(n)
    rng = random.Random(n + 1)
    res.append((run(n, rng), random.random(), rng.random()))
del rng
"""

TAKEN = {
    "tuples that are written out": """
def run(n, rng):
    x = y = 0
    for i in range(n):
        dx, dy = random.choice([(1, 0), (-1, 0), (0, 1), (0, -1)])
        x += dx
        y += dy * i
    return x, y
""",
    "tuples in a list": """
def run(n, rng):
    x = y = 0
    for i in range(n):
        dx, dy = rng.choice(moves)
        x += dx
        y += dy * i
    return x, y
""",
    "a tuple with a name": """
def run(n, rng):
    s = 0
    for i in range(n):
        m = random.choice(moves)
        s += m[0] * 2 + m[1]
    return s
""",
    "numbers that are written out": """
def run(n, rng):
    s, h = 0, 0.5
    for i in range(n):
        s += rng.choice((-1, 1)) * i
        h *= random.choice([h, 0.75, 1.5])
    return s, h
""",
    "rows": """
def run(n, rng):
    s = 0.0
    for i in range(n):
        row = rng.choice(rows)
        s += row[0] * row[1]
    return s
""",
    "a list that grows": """
def run(n, rng):
    s = 0
    for i in range(n):
        options = []
        for k in range(i % 5 + 1):
            if k != 2:
                options.append(k * i)
        s += rng.choice(options)
    return s
""",
}

LEFT = {
    "nothing": """
def run(n, rng):
    s = 0
    try:
        for i in range(n):
            options = list(range(5 - i))
            s += rng.choice(options)
    except IndexError as error:
        return s, str(error)
    return s
""",
    "numbers of several types": """
def run(n, rng):
    s = []
    for i in range(n):
        s.append(rng.choice((1, 2.5, True)))
    return s
""",
    "tuples of several lengths": """
def run(n, rng):
    s = []
    for i in range(n):
        s.append(rng.choice(((1, 2), (3, 4, 5))))
    return s
""",
    "what may raise": """
def run(n, rng):
    s = 0
    try:
        for i in range(n):
            s += rng.choice((1, 2, 1 // (i - 5)))
    except ZeroDivisionError as error:
        return s, str(error)
    return s
""",
    "characters": """
def run(n, rng):
    s = ""
    for i in range(n):
        s += rng.choice("ACGT") + random.choice(["x", "y"])
    return s
""",
    "a row that is changed": """
def run(n, rng):
    t = [list(row) for row in rows]
    for i in range(n):
        row = rng.choice(t)
        row[0] += i
    return t
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
