"""Dictionaries of lists: graphs, of which a nest goes through the neighbours of a node."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
g = {i: [(i * 7 + j) % 20 for j in range(i % 4 + 1)] for i in range(20)}
square = {i: [(i + 1) % 20, (i + 5) % 20] for i in range(-3, 20)}
fixed = {i: tuple((i + j) % 20 for j in range(i % 3)) for i in range(20)}
rows = [g[i] for i in range(20)]
order = [(i * 3) % 20 for i in range(20)]
"""
TAIL = """
res = [run(n) for n in (0, 1, 2, 5)]
"""

TAKEN = {
    "neighbours": """
def run(n):
    s = 0
    for r in range(n):
        for u in range(20):
            for v in g[u]:
                s += v ^ r ^ u
    return s
""",
    "as many of each": """
def run(n):
    s = 0
    for r in range(n):
        for u in range(-3, 20):
            for v in square[u]:
                s += v ^ r ^ u
    return s
""",
    "tuples": """
def run(n):
    s = 0
    for r in range(n):
        for u in range(20):
            for v in fixed[u]:
                s += v ^ r ^ u
    return s
""",
    "through another list": """
def run(n):
    s = 0
    for r in range(n):
        for u in order:
            for v in rows[order[u]]:
                s += v ^ r ^ u
    return s
""",
    "ranks": """
def run(n):
    rank = [1.0 / 20] * 20
    for r in range(n):
        new = [0.15 / 20] * 20
        for u in range(20):
            part = 0.85 * rank[u] / len(g[u])
            for v in g[u]:
                new[v] += part
        rank = new
    return rank
""",
    "breadth first": """
from collections import deque
def far(g, s):
    dist = [-1] * 20
    dist[s] = 0
    queue = deque([s])
    while queue:
        u = queue.popleft()
        for v in g[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return max(dist)
def run(n):
    t = 0
    for r in range(n):
        t += far(g, r)
    return t
""",
}

ONE = """
def of_one(g, u):
    s = 0
    for v in g[u]:
        s += v ^ u
    return s
def run(n):
    return [of_one(g, u) for u in map(int, range(n))]
"""

LEFT = {
    "no such node": """
def run(n):
    s = 0
    try:
        for r in range(n):
            for u in range(18 + r):
                for v in g[u]:
                    s += v ^ r ^ u
    except KeyError as error:
        return s, error.args
    return s
""",
    "that change": """
def run(n):
    h = {k: list(v) for k, v in g.items()}
    s = 0
    for r in range(n):
        for u in range(20):
            for v in h[u]:
                h[v][0] += 1
                s += v ^ u
                if s > 10**6:
                    return s, h
            h[(u + 3) % 20] = [0, 1]
    return s, h
""",
    "that grow": """
def run(n):
    h = {k: list(v) for k, v in g.items()}
    s = 0
    for r in range(n):
        for u in range(20):
            for v in h[u]:
                s += v ^ u
            h[(u + 3) % 20].append(r)
    return s, h
""",
    "one list twice": """
def run(n):
    one = [1, 2, 3]
    h = {0: one, 1: one, 2: [5]}
    s = 0
    for r in range(n):
        for u in range(3):
            for v in h[u]:
                one[1] += v
                s += v
    return s, h
""",
    "the next node meanwhile": """
def run(n):
    s = 0
    for r in range(n):
        u = r
        for v in g[u]:
            u = v
            s += v * (u + 1)
            for w in g[u]:
                s += w
    return s
""",
    "other things": """
def run(n):
    h = {0: [1, 2], 1: "ab", 2: [3]}
    s = []
    for r in range(n):
        for u in range(3):
            for v in h[u]:
                s.append(v)
    return s
""",
    "of several types": """
def run(n):
    h = {0: [1, 2.5], 1: [], 2: [True]}
    s = 0
    for r in range(n):
        for u in range(3):
            for v in h[u]:
                s += v
    return s
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken(body: str) -> None:
    found = both(HEAD + body + TAIL)
    fared = found.loops_after(HEAD + body.partition("def run")[0])
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_as_in_python(body: str) -> None:
    both(HEAD + body + TAIL)


def test_one_of_them() -> None:
    found = both(HEAD + ONE + TAIL)
    assert set(found.loops_after(HEAD).values()) == {"compiled"}, found.loops
