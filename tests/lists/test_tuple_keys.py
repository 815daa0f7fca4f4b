"""Tuples that stand under a name where sets, dictionaries, queues and heaps have them."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

GRID = """
from collections import deque, namedtuple
import heapq
import numpy as np
Point = namedtuple("Point", "x y")
grid = [[1 if (i * 7 + j * 13) % 5 else 0 for j in range(24)] for i in range(20)]
"""
BREADTH = """
def f(start, goal):
    q = deque([(start, 0)])
    seen = set()
    seen.add(start)
    while q:
        node, d = q.popleft()
        if node == goal:
            return d, seen, q
        x, y = node
        for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            nx, ny = x + dx, y + dy
            if 0 <= nx < 20 and 0 <= ny < 24 and grid[nx][ny]:
                near = (nx, ny)
                if near not in seen:
                    seen.add(near)
                    q.append((near, d + 1))
    return -1
"""
CAME = """
def f(start, goal):
    came = {start: None} if goal is None else {}
    came = {}
    q = deque([start])
    while q:
        node = q.popleft()
        if node == goal:
            break
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            near = (node[0] + dx, node[1] + dy)
            if 0 <= near[0] < 20 and 0 <= near[1] < 24 and grid[near[0]][near[1]]:
                if near not in came:
                    came[near] = node
                    q.append(near)
    return came
"""
STAR = """
def f(start, goal):
    h = []
    heapq.heappush(h, (0, start))
    came, cost = {}, {start: 0}
    while h:
        node = heapq.heappop(h)[1]
        if node == goal:
            break
        for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            near = (node[0] + dx, node[1] + dy)
            if not (0 <= near[0] < 20 and 0 <= near[1] < 24) or grid[near[0]][near[1]] == 0:
                continue
            new = cost[node] + 1
            if near not in cost or new < cost[near]:
                cost[near] = new
                heapq.heappush(h, (new + abs(near[0] - goal[0]) + abs(near[1] - goal[1]), near))
                came[near] = node
    return came, cost, h
"""
PROGRAMS = {"breadth first": BREADTH, "where it came from": CAME, "a heap": STAR}


@pytest.mark.parametrize("title", PROGRAMS)
def test_searches_through_pairs(title: str) -> None:
    out = both(GRID + PROGRAMS[title] + "out = f((0, 1), (19, 22)), f((3, 3), (0, 0))\n")
    assert "compiled" in out.runs.values(), out


@pytest.mark.parametrize("title", PROGRAMS)
@pytest.mark.parametrize(
    ("start", "goal"),
    [
        ("[0, 1]", "(3, 4)"),  # no key
        ("(0, 1)", "[3, 4]"),  # equal to no tuple
        ("(0, 1, 2)", "(3, 4)"),
        ("(0, 1)", "(3, 4, 5)"),
        ("(0,)", "(3, 4)"),
        ("np.array([0, 1])", "(3, 4)"),
        ("(0, 1)", "np.array([3, 4])"),
        ("(0.0, 1.0)", "(3, 4)"),
        ("(0, 1)", "(3.0, 4.0)"),
        ("(0, 1.5)", "(3, 4)"),
        ("(False, True)", "(3, 4)"),
        ("Point(0, 1)", "Point(3, 4)"),
        ("(np.int64(0), np.int64(1))", "(3, 4)"),
        ("('a', 'b')", "(3, 4)"),
        ("5", "(3, 4)"),
        ("(0, 1)", "5"),
        ("None", "None"),
        ("((0, 1), 2)", "(3, 4)"),
        ("(float('nan'), 1)", "(3, 4)"),
        ("(0, 1)", "(float('nan'), 1)"),
        ("(2**70, 1)", "(3, 4)"),
        ("(0, 1)", "(2**70, 1)"),
    ],
)
def test_whatever_comes(title: str, start: str, goal: str) -> None:
    text = f"""
try:
    out = repr(f({start}, {goal}))
except Exception as error:
    out = type(error).__name__, str(error)
"""
    both(GRID + PROGRAMS[title] + text)


LISTS = {
    "handed out": """
def f(n):
    for k in range(n):
        path = []
        for j in range(k):
            path.append((j, j * 0.5))
    return path
out = f(40), f(1)
""",
    "handed out of a loop that is left": """
def f(n, last):
    for k in range(n):
        path = []
        for j in range(k):
            path.append((j, (j * 0.5, k)))
        if k == last:
            return path
    return None
out = f(40, 30), f(40, 50)
""",
    "at a module": """
for k in range(30):
    path = []
    p = (k, 1)
    for j in range(k):
        path.append(p)
        path.append((j, 2))
""",
    "an item that is replaced": """
def f(n):
    t = 0
    for k in range(n):
        path = []
        for j in range(20):
            path.append((j, k))
        path[3] = (path[4][1], path[3][0])
        path[k % 20] = (k, k)
        for a, b in path:
            t += a * 3 + b
    return t, path
out = f(40)
""",
}


@pytest.mark.parametrize("title", LISTS)
def test_lists_of_tuples(title: str) -> None:
    out = both(LISTS[title])
    assert "compiled" in (*out.loops.values(), *out.runs.values()), out
