"""What is read by the statement that leaves a loop: the interpreter is to find it as it was."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAM = """
from collections import deque
import heapq
def queue(n, lim):
    for s in range(n):
        q = deque([s])
        t = 0
        while q:
            u = q.popleft()
            t += 1
            if t > lim + s:
                return len(q), t
            q.append(u + 1)
            q.append(u + 2)
def heap(n, lim):
    for s in range(n):
        q = [s]
        t = 0
        while q:
            u = heapq.heappop(q)
            t += 1
            if t > lim + s:
                return len(q), t, q[0]
            heapq.heappush(q, u + 1)
            heapq.heappush(q, u + 2)
def items(n, lim):
    for s in range(n):
        q = set()
        t = 0
        while t < 50:
            q.add(t % 7)
            t += 1
            if t > lim + s:
                return len(q), 3 in q
def table(n, lim):
    for s in range(n):
        d = {}
        t = 0
        while t < 50:
            d[t % 7] = t
            t += 1
            if t > lim + s:
                return d[2], len(d)
def level(n, lim):
    for s in range(n):
        layer = [s]
        t = 0
        while layer:
            after = []
            for u in layer:
                if u < 40:
                    after.append(u + 3)
                    after.append(2 * u + 1)
            layer = after
            t += 1
            if t > lim:
                return len(layer), sum(layer), t
res = [f(n, lim) for f in (queue, heap, items, table, level) for n in (0, 3) for lim in (2, 9)]
"""


def test_as_in_python() -> None:
    both(PROGRAM)
