"""Lists that a loop goes through and appends to: it comes to what it appends."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
from collections import deque
g = [[(i * 7 + j) % 30 for j in range(i % 5 + 1)] for i in range(30)]
"""
TAIL = """
res = [run(n) for n in (0, 1, 5, 30)]
"""

TAKEN = {
    "in a loop": """
def run(n):
    t = 0
    for r in range(n):
        seen = [False] * len(g)
        seen[r] = True
        q = [r]
        for u in q:
            for v in g[u]:
                if v == 17:
                    continue
                if not seen[v]:
                    seen[v] = True
                    q.append(v)
            t += u
            if t % 100 == 99:
                break
        t += len(q)
    return t
""",
    "in a function": """
def reach(g, s):
    seen = [0] * len(g)
    seen[s] = 1
    q = [s]
    for u in q:
        for v in g[u]:
            if not seen[v]:
                seen[v] = 1
                q.append(v)
    return len(q)
def run(n):
    t = 0
    for r in range(n):
        t += reach(g, r)
    return t
""",
    "tuples": """
def run(n):
    t = 0
    for r in range(n):
        q = [(r, 0)]
        for u, d in q:
            if d < 4:
                q.append((u * 2 % 31, d + 1))
                q.append((u + 1, d + 1))
            t += u * d
    return t
""",
}

LEFT = {
    "another list meanwhile": """
def run(n):
    t = 0
    for r in range(n):
        q = [r, r + 1]
        for u in q:
            if u < 5:
                q.append(u + 2)
            if u == 3:
                q = [100]
            t += u
        t += q[0]
    return t
""",
    "no list": """
def run(n):
    t = 0
    try:
        for r in range(n):
            q = deque([r, r + 1])
            for u in q:
                if u < 5:
                    q.append(u + 2)
                t += u
    except RuntimeError as error:
        return str(error), t
    return t
""",
    "from before": """
def run(n):
    t = 0
    q = [1]
    for r in range(n):
        for u in q:
            if len(q) < 10:
                q.append(u + r)
            t += u
    return t, q
""",
    "by another name": """
def run(n):
    t = 0
    for r in range(n):
        q = [1, 2]
        p = q
        for u in q:
            if u < 6:
                p.append(u + 2)
            t += u
    return t
""",
    "an else": """
def run(n):
    t = 0
    for r in range(n):
        q = [1, 2]
        for u in q:
            if u < 6:
                q.append(u + 2)
            if t > 90:
                break
            t += u
        else:
            t += 1000
    return t, u if n else 0
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
