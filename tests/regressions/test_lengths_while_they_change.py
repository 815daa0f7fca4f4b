"""What is read of a list, a set or a heap is read before a statement changes it."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAMS = {
    "an item that says how many there are": """
def f(n):
    seen = set(); e = []
    for i in range(n):
        seen.add(i % 100)
        e.append((0, len(e)))
    return e[:3], e[-1]
res = f(3000)
""",
    "of a stack": """
def f():
    s = [(1, 2)]; t = 0
    while s:
        a, b = s.pop(); t += b
        if a < 5: s.append((a + 1, len(s)))
    return t
res = f()
""",
    "of a queue": """
from collections import deque
def f():
    s = deque([(1, 2)]); t = 0
    while s:
        a, b = s.popleft(); t += b
        if a < 5: s.append((a + 1, 7 if s else 9))
    return t
res = f()
""",
    "three items": """
def f(n):
    e = []
    for i in range(n):
        e.append((len(e), (len(e), len(e) * 0.5)))
    return e
res = f(60)
""",
    "a row under the length of a list": """
g = [[(i * 7 + j * 3) % 30 for j in range(i % 4 + 1)] for i in range(30)]
out = [1, 2, 3]
for a in g[len(out)]:
    out.append(a)
""",
    "a row under the length of a set": """
g = [[(i * 7 + j * 3) % 30 for j in range(i % 4 + 1)] for i in range(30)]
def f():
    seen = set()
    for i in range(30):
        for a in g[len(seen)]: seen.add(a)
        if len(seen) > 25: break
    return seen
res = f()
""",
    "a row under the length of a heap": """
import heapq
g = [[(i * 7 + j * 3) % 30 for j in range(i % 4 + 1)] for i in range(60)]
def f():
    h = [5]; t = 0
    for i in range(30):
        for a in g[len(h)]: heapq.heappush(h, a)
        t = t * 3 % 1009 + heapq.heappop(h)
        if len(h) > 50: break
    return t, h
res = f()
""",
    "a row under the length of a list of its own": """
g = [[(i * 7 + j * 3) % 30 for j in range(i % 4 + 1)] for i in range(60)]
def f():
    t = 0
    for i in range(20):
        own = []
        for k in range(3):
            for a in g[len(own)]: own.append(a)
        t = t * 3 % 1009 + sum(own)
    return t
res = f()
""",
}


@pytest.mark.parametrize("title", PROGRAMS)
def test_as_python_does(title: str) -> None:
    both(PROGRAMS[title])
