"""Queues that a nest makes: deques, and lists of which the first item is taken."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
from collections import deque
import collections
import numpy as np
g = [[(i * 7 + j) % 20 for j in range(i % 4 + 1)] for i in range(20)]
x = [float((i * 7919) % 100) for i in range(40)]
"""
TAIL = """
res = [run(n) for n in (0, 1, 5, 30)]
"""

TAKEN = {
    "breadth first": """
def run(n):
    t = 0
    for s in range(min(n, 20)):
        dist = [-1] * 20
        dist[s] = 0
        queue = deque([s])
        while queue:
            u = queue.popleft()
            for v in g[u]:
                if dist[v] < 0:
                    dist[v] = dist[u] + 1
                    queue.append(v)
        t += sum(dist)
    return t
""",
    "the first item of a list": """
def run(n):
    t = 0
    for s in range(min(n, 20)):
        queue = [s]
        seen = [0] * 20
        while len(queue) > 0 and t < 500:
            u = queue.pop(0)
            t += u
            for v in g[u]:
                if not seen[v]:
                    seen[v] = 1
                    queue.append(v)
    return t
""",
    "in a function": """
def far(g, s):
    queue: deque = collections.deque()
    queue.append(s)
    seen = [False] * len(g)
    seen[s] = True
    steps = 0
    while queue:
        for _ in range(len(queue)):
            u = queue.popleft()
            for v in g[u]:
                if not seen[v]:
                    seen[v] = True
                    queue.append(v)
        steps += 1
    return steps
def run(n):
    t = 0
    for s in range(min(n, 20)):
        t += far(g, s) * (s + 1)
    return t
""",
    "tuples": """
def run(n):
    t = 0
    for s in range(n):
        queue = deque([(s, 0)])
        while queue:
            u, d = queue.popleft()
            t += u * d
            if d < 3:
                queue.append((u + 1, d + 1))
                queue.append((2 * u, d + 1))
    return t
""",
    "a window": """
def run(n):
    t = 0.0
    for r in range(n):
        win = deque()
        s = 0.0
        for v in x:
            win.append(v)
            s += v
            if len(win) > 5:
                s -= win.popleft()
            t += s / len(win) + win[0] - win[-1]
    return t
""",
    "a window of a length": """
def run(n, size=4):
    t = 0.0
    for r in range(n):
        win = deque(maxlen=size)
        last = deque(maxlen=3)
        for v in x:
            win.append(v)
            last.append(v * r)
            t += sum(win) / len(win) + max(last)
            for w in win:
                t -= w * 0.01
    return t
""",
    "both ends": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([1, 2, 3])
        q.append(r)
        last = q.pop()
        t += q.popleft()
        t -= last
        if q and q[0] == 3 and not len(q) > 1:
            t += 100
        q.clear()
        t += len(q)
    return t
""",
}

LEFT = {
    "nothing is left": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([1, 2])
        for k in range(r):
            t += k
            q.popleft()
    return t
""",
    "nothing is left at the end": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([1, 2])
        q.popleft()
        for k in range(r):
            t += q.pop()
    return t
""",
    "nothing to see": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([1, 2])
        q.popleft()
        if r > 3:
            q.popleft()
        t += q[-1] + q[0]
    return t
""",
    "seen afterwards": """
def run(n):
    q = deque()
    for r in range(n):
        q = deque([r])
        q.append(3)
        q.popleft()
    return q
""",
    "from before": """
def run(n):
    q = deque([1])
    t = 0
    for r in range(n):
        q.append(r)
        t += q.popleft()
        if r == 3:
            q = deque([7])
    return t, q
""",
    "a list from before": """
def run(n):
    q = [1]
    t = 0
    for r in range(n):
        q.append(r)
        t += q.pop(0)
        if r == 3:
            q = [7]
    return t, q
""",
    "as a value": """
def run(n):
    t = []
    for r in range(n):
        q = deque([r])
        q.append(1)
        q.popleft()
        p = q or 5
        t.append(p)
    return t
""",
    "by another name": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([r])
        p = q
        q.append(1)
        p.popleft()
        t += len(q)
    return t
""",
    "at the other end": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([r])
        q.appendleft(5)
        t += q.popleft()
    return t
""",
    "no length": """
def run(n, size=0):
    t = 0
    for r in range(n):
        q = deque(maxlen=size)
        q.append(5)
        t += len(q)
    return t
""",
    "a length below zero": """
def run(n, size=-1):
    t = 0
    for r in range(n):
        q = deque(maxlen=size)
        q.append(5)
        t += len(q)
    return t
""",
    "a length of none": """
def run(n, size=None):
    t = 0
    for r in range(n):
        q = deque(maxlen=size)
        q.append(5)
        t += len(q)
    return t
""",
    "a length that changes": """
def run(n, size=2):
    t = 0
    for r in range(n):
        q = deque(maxlen=size)
        size += 1
        for k in range(5):
            q.append(k)
        t += len(q)
    return t
""",
    "another len": """
def run(n, len=lambda x: 7):
    t = 0
    for r in range(n):
        q = deque([1, 2])
        t += q.popleft()
        t += len(q)
    return t
""",
    "words of the other kind": """
def run(n):
    t = 0
    try:
        for r in range(n):
            q = [r, 2]
            t += q.popleft()
    except AttributeError as error:
        t = str(error)
    try:
        for r in range(n):
            q = deque([r, 2])
            t = q.pop(0)
    except TypeError as error:
        t = t, str(error)
    return t
""",
    "a length of NumPy's": """
def run(n, size=np.int64(3)):
    t = 0
    try:
        for r in range(n):
            q = deque(maxlen=size)
            q.append(r)
            t += len(q)
    except TypeError as error:
        t = str(error)
    return t
""",
    "changed on the way": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([1, 2, 3])
        for v in q:
            t += v
            if r == 4:
                q.append(7)
    return t
""",
    "another function of that name": """
def run(n):
    t = 0
    for r in range(n):
        q = other([1, 2, 3])
        t += q.popleft()
    return t
def other(items):
    return deque(items[1:])
deque, other = other, deque
""",
    "no number": """
def run(n):
    t = 0
    for r in range(n):
        q = deque([1, 2, 3])
        q.popleft()
        t += q[0.0]
    return t
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
