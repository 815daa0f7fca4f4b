"""Loops that go on until something is empty, taken from the statement on that makes it."""

from __future__ import annotations

import pytest
from outcome import both

from autopar.nest.text.neighbours import searches

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import heapq
from collections import deque
n = 30
g = [[(i * 7 + j) % n for j in range(i % 4 + 1)] for i in range(n)]
f = [[(v, v % 5 + 1) for v in row] for row in g]
grid = [[(i * 7 + j * 3) % 5 == 0 for j in range(12)] for i in range(12)]
"""

TAKEN = {
    "breadth first": """
def run(s):
    dist = [-1] * len(g)
    dist[s] = 0
    order = []
    queue = deque([s])
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in g[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return dist, order
""",
    "shortest paths": """
def run(s):
    dist = [float("inf")] * len(f)
    dist[s] = 0
    heap = [(0, s)]
    count = 0
    while heap:
        d, u = heapq.heappop(heap)
        count += 1
        if d > dist[u]:
            continue
        for v, w in f[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist, count
""",
    "a region": """
def run(s):
    h, w = 12, 12
    seen = [[False] * w for _ in range(h)]
    stack = [(s, 0)]
    seen[s][0] = True
    count = 0
    while stack:
        a, b = stack.pop()
        count += 1
        for c, d in ((a + 1, b), (a, b + 1), (a - 1, b), (a, b - 1)):
            if 0 <= c < h and 0 <= d < w and not seen[c][d] and not grid[c][d]:
                seen[c][d] = True
                stack.append((c, d))
    return count, seen
""",
    "events": """
def run(s):
    x, t, served, k = s, 0.0, 0, 1
    events = [(0.0, 0, s)]
    while events and served < 200:
        t, _, kind = heapq.heappop(events)
        x = (x * 1103 + 12345) % 65536
        if kind % 2 == 0:
            heapq.heappush(events, (t + x / 65536, k, kind + 1))
        else:
            served += 1
        heapq.heappush(events, (t + 1.0, k + 1, kind + 1))
        k += 2
    return t, served, k
""",
}

TAKEN |= {
    "found on the way": """
def run(s):
    dist = [[-1] * 12 for _ in range(12)]
    queue = deque([(0, 1)])
    dist[0][1] = 0
    while queue:
        i, j = queue.popleft()
        if i == s + 6 and j > 4:
            return dist[i][j], i
        for a, b in ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)):
            if 0 <= a < 12 and 0 <= b < 12 and dist[a][b] < 0 and not grid[a][b]:
                dist[a][b] = dist[i][j] + 1
                queue.append((a, b))
    return None
""",
    "an order": """
def run(s):
    left = [0] * n
    for row in g:
        for v in row:
            left[v] += v > s
    queue = deque()
    for u in range(n):
        if left[u] == s % 2:
            queue.append(u)
    order = []
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in g[u]:
            left[v] -= 1
            if left[v] == 0:
                queue.append(v)
    return order
""",
    "in order": """
def run(s):
    heap = []
    for i in range(20):
        heapq.heappush(heap, (i * 7 + s) % 11 * 0.5)
    found = []
    while heap:
        found.append(heapq.heappop(heap))
        if heap and len(found) % 5 == 4:
            found.append(-heapq.heappop(heap))
    return found
""",
    "too many": """
def run(s):
    stack = [s]
    count = 0
    try:
        while stack:
            u = stack.pop()
            count += 1
            if count > 40 + s:
                raise ValueError(u, count)
            stack.append(u + 2)
            stack.append(u * 2)
    except ValueError as error:
        return str(error)
""",
}

LEFT = {
    "made elsewhere": """
def run(s):
    queue = make(s)
    total = 0
    while queue:
        total += queue.pop()
    return total
def make(s):
    return [s, 2, 3]
""",
    "left in the middle": """
def run(s):
    stack = [s, 1, 2]
    while stack:
        u = stack.pop()
        if u == 1:
            return stack, len(stack)
""",
    "somebody else's as well": """
def run(s):
    stack = [s, 1, 2]
    kept = stack
    while stack:
        u = stack.pop()
        if u > 20:
            stack.append(u - 20)
    return kept
""",
    "an error on the way": """
def run(s):
    stack = [s, 1, 2]
    total = 0
    try:
        while stack:
            u = stack.pop()
            total += 10 // u
            stack.append(u - 1)
    except ZeroDivisionError as error:
        return total, stack, str(error)
    return total
""",
}

TAIL = "res = [run(s) for s in (0, 3, 5)]\nagain = run(4)\n"


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    found = both(HEAD + TAKEN[name] + TAIL)
    fared = {**found.loops_after(HEAD), **found.runs}
    assert "compiled" in fared.values(), fared


@pytest.mark.parametrize("name", LEFT)
def test_as_in_python(name: str) -> None:
    both(HEAD + LEFT[name] + TAIL)


def test_from_where_on() -> None:
    import ast

    text = "import a\nk = f(3)\nx = 0\nq = [1]\ny = [0] * 3\nwhile q:\n    x += q.pop()\nprint(x)\n"
    (found,) = searches(ast.parse(text).body)
    assert [node.lineno for node in found] == [4, 5, 6]
    assert not list(searches(ast.parse(text.replace("q = [1]", "q = f(1)")).body))
    assert not list(searches(ast.parse(text.replace("y =", "y = f(q) +")).body))
    assert not list(searches(ast.parse(text.replace("q.pop()", "q[0]")).body))
