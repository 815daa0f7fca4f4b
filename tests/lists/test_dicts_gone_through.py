"""Dictionaries that a nest goes through: their keys, values and items, in their order."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
from collections import Counter, OrderedDict, defaultdict
d = {i * 7 % 31: i * 0.5 for i in range(20)}
g = {i: [(i * 7 + j) % 20 for j in range(i % 4 + 1)] for i in range(20)}
class Odd(dict):
    def items(self):
        return [(k, -v) for k, v in dict.items(self)]
class Plain(dict):
    pass
class Holder:
    def __init__(self):
        self.d = dict(d)
"""
TAIL = """
res = [run(n) for n in (0, 1, 2, 5)]
"""

TAKEN = {
    "items": """
def run(n):
    s = 0.0
    for r in range(n):
        for k, v in d.items():
            s += v * r - k
    return s
""",
    "values": """
def run(n):
    s = 0.0
    for r in range(n):
        for v in d.values():
            s += v * r
        s *= sum(d.values()) + max(d.values())
    return s
""",
    "keys": """
def run(n):
    s = 0
    for r in range(n):
        for k in d.keys():
            s += k ^ r
    return s
""",
    "themselves": """
def run(n):
    s = 0.0
    for r in range(n):
        for k in d:
            s += d[k] * r - k
    return s
""",
    "graphs": """
def run(n):
    s = 0
    for r in range(n):
        for u in g:
            for v in g[u]:
                s += v ^ r ^ u
    return s
""",
    "that get other values": """
def run(n):
    e = dict(d)
    for r in range(n):
        for k in e:
            e[k] = e[k] * 0.5 + k
    return e
""",
    "a counter": """
def run(n):
    c = Counter([3, 1, 3, 2, 7])
    s = 0
    for r in range(n):
        for k in c:
            s += c[k] * k + c[r]
    return s
""",
    "lists": """
def run(n):
    s = 0
    for r in range(n):
        for u, vs in g.items():
            for v in vs:
                s += v ^ r ^ u
    return s
""",
    "of an object": """
def run(n):
    h = Holder()
    s = 0.0
    for r in range(n):
        for k, v in h.d.items():
            s += v * r - k
    return s
""",
    "counted": """
def run(n):
    s = 0.0
    for r in range(n):
        for i, (k, v) in enumerate(d.items()):
            s += v * i - k
    return s
""",
    "a comprehension": """
def run(n):
    s = 0.0
    for r in range(n):
        s += sum(k * v for k, v in d.items() if k > r)
    return s
""",
    "in a function": """
def total(t, r):
    s = 0.0
    for k, v in t.items():
        s += v * r - k
    return s
def run(n):
    s = 0.0
    for r in range(n):
        s += total(d, r)
    return s
""",
    "others that are counted": """
def run(n):
    c = Counter([3, 1, 3, 2])
    e = defaultdict(int, {1: 2})
    p = Plain(d)
    s = 0.0
    for r in range(n):
        for k, v in c.items():
            s += k * v
        for k, v in e.items():
            s += k * v * r
        for k, w in p.items():
            s += k * w * r
    return s
""",
    "another one that changes": """
def run(n):
    out = {k: 0.0 for k in d}
    for r in range(n):
        for k, v in d.items():
            out[k] += v * r
    return out
""",
}

LEFT = {
    "values that change": """
def run(n):
    e = dict(d)
    s = 0.0
    for r in range(n):
        for k, v in e.items():
            e[k] = v + 1
            s += v
    return s, e
""",
    "that change by another name": """
def run(n):
    e = dict(d)
    f = e
    s = 0.0
    for r in range(n):
        for k, v in e.items():
            f[k] = v + 1
            s += v
    return s, e
""",
    "new keys": """
def run(n):
    e = {1: 2}
    f = e
    s = 0
    try:
        for r in range(n):
            for k, v in e.items():
                f[k + 1] = v + 1
                s += v
    except RuntimeError as error:
        s = str(error)
    return s, e
""",
    "new ones meanwhile": """
def run(n):
    e = {1: 2}
    s = 0
    try:
        for r in range(n):
            for k in e:
                e[k + 1] = r
                s += k
    except RuntimeError as error:
        s = str(error)
    return s, e
""",
    "read by number": """
def run(n):
    e = {1: 2, 0: 5}
    s = 0
    for r in range(n):
        for i in range(len(e)):
            s += e[i] * (i + r + 1)
    return s
""",
    "other keys": """
def run(n):
    s = []
    for e in ({True: 1}, {1.5: 2}, {"a": 3, "b": 4}, {(1, 2): 5}):
        for r in range(n):
            for k in e:
                s.append((k, e[k]))
    return s
""",
    "characters": """
def run(n):
    e = {"a": 3, "b": 4}
    s = 0
    for r in range(n):
        for k in e:
            s += e[k] * r
        s += e["a"]
    return s
""",
    "no dictionary": """
def run(n):
    s = 0
    e = [1, 2, 3]
    try:
        for r in range(n):
            for v in e.values():
                s += v
    except AttributeError as error:
        s = str(error)
    return s
""",
    "methods of its own": """
def run(n):
    e = Odd(d)
    c = Counter({1: 2})
    c.items = lambda: [(5, 6)]
    s = 0.0
    for r in range(n):
        for k, v in e.items():
            s += v * r - k
        for k, v in c.items():
            s += v * r - k
    return s
""",
    "an order of its own": """
def run(n):
    e = OrderedDict(d)
    e.move_to_end(7)
    s = 0.0
    for r in range(n):
        for k, v in e.items():
            s = s * 0.5 + v * r - k
    return s
""",
    "rows that change": """
def run(n):
    e = {i: [1, 2, 3] for i in range(4)}
    f = e[2]
    s = 0
    for r in range(n):
        for k, v in e.items():
            f[1] += 1
            s += v[1]
    return s, e
""",
    "other things": """
def run(n):
    e = {1: "a", 2: (1, 2), "x": None}
    s = []
    for r in range(n):
        for k, v in e.items():
            s.append((k, v))
    return s
""",
    "nothing": """
def run(n):
    e = {}
    s = 0
    for r in range(n):
        for k, v in e.items():
            s += v
        for v in e.values():
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
