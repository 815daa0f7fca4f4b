"""Named tuples: their fields by name, one by one and in lists."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
from typing import NamedTuple
from collections import namedtuple
import math
class C(NamedTuple):
    s: float
    k: float
    n: int = 20
    def gap(self):
        return math.log(self.s / self.k)
P = namedtuple("P", "x y")
class Sub(P):
    def norm(self):
        return math.hypot(self.x, self.y)
    @property
    def twice(self):
        return 2 * self.x
class Own(P):
    def __getattribute__(self, name):
        return 7.0 if name == "x" else super().__getattribute__(name)
c = C(100.0, 95.0)
ps = [P(math.sin(k), math.cos(1.1 * k)) for k in range(40)]
subs = [Sub(*p) for p in ps]
"""

END = "del c, ps, subs\n"  # which are not equal to those of another class

TAKEN = {
    "fields of one": """
def run(c, m):
    t = 0.0
    for i in range(m):
        x = c.s
        for k in range(c.n):
            x *= 1.0 + 0.001 * ((i * 7 + k) % 11 - 5)
        t += max(x - c.k, 0.0)
    return t
res = run(c, 9), run(c._replace(s=90.0, n=3), 9), run(C(1, 2), 4)
""",
    "in a list": """
def run(ps):
    t = 0.0
    for p in ps:
        for q in ps:
            t += abs(p.x - q.y)
    return t
res = run(ps), run(ps[:1]), run(tuple(ps)), run([])
""",
    "by places": """
def run(ps):
    t = 0.0
    for i in range(len(ps)):
        for j in range(i):
            t += math.hypot(ps[i].x - ps[j].x, ps[i].y - ps[j].y)
    return t
res = run(ps)
""",
    "methods": """
def run(cs, n):
    t = 0.0
    for k in range(n):
        for c in cs:
            t += c.gap() * k
    return t
res = run([C(100.0 + k, 95.0) for k in range(40)], 5)
""",
    "of a class that inherits": """
def run(ps):
    t = 0.0
    for p in ps:
        for q in ps:
            if p is not q:
                t += p.norm() - q.x
    return t
res = run(subs), run(subs[:3] + subs[:3])
""",
}

LEFT = {
    "taken apart as well": """
def run(ps):
    t = 0.0
    for p in ps:
        x, y = p
        t += x * p.y + p[0]
    return t
res = run(ps), run(subs)
""",
    "a property": """
def run(ps):
    t = 0.0
    for p in ps:
        t += p.twice
    return t
res = run(subs)
""",
    "a class that answers itself": """
def run(ps):
    t = 0.0
    for p in ps:
        t += p.x
    return t
res = run([Own(*p) for p in ps]), run([*ps, Own(*ps[0])])
""",
    "one of these": """
def run(c, n):
    t = 0.0
    for k in range(n):
        t += c.x * k
    return t
res = run(Own(1.0, 2.0), 30), run(ps[1], 30)
""",
    "fields that are assigned": """
def run(ps):
    for p in ps:
        p.x = 3.0
try:
    run(ps)
except AttributeError as error:
    res = str(error)
""",
    "fields of several types": """
def run(ps):
    t = 0.0
    for p in ps:
        t += p.x
    return t
res = run([P(1, 2.0), P(2.0, 3), P(True, 1)]), run([P(1, 2), P(2, 3)])
try:
    run([P(1, 2), P("a", 3)])
except TypeError as error:
    res = res, str(error)
""",
    "a field that becomes something else": """
def run(c, n):
    t = 0.0
    for k in range(n):
        t += c.s * k
    return t
res = [run(c, 30)]
C.s = property(lambda self: 2.0)
res.append(run(c, 30))
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken(body: str) -> None:
    found = both(HEAD + body + END)
    fared = found.loops_after(HEAD)
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_as_in_python(body: str) -> None:
    both(HEAD + body + END)
