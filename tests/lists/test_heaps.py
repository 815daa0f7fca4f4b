"""Heaps that a nest makes: taken item by item as `heapq` would, or left to Python."""

from __future__ import annotations

import random

import pytest
from outcome import both, taken

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import heapq
import heapq as hq
from heapq import heappop, heappush
def row(u):
    return [((u * 7 + k * 3) % 20, (u * 5 + k * 11) % 9 + 1) for k in range(u % 4 + 1)]
g = [row(u) for u in range(20)]
f = [[(v, w * 0.25) for v, w in row] for row in g]
grid = [[(i * 7 + j * 5) % 9 + 1 for j in range(6)] for i in range(6)]
x = [(i * 37) % 41 for i in range(40)]
nan = float("nan")
"""
TAIL = """
res = []
for n in (0, 1, 2, 20):
    try:
        res.append(run(n))
    except IndexError as error:
        res.append(str(error))
"""

TAKEN = {
    "shortest paths": """
def run(n):
    total = 0
    for s in range(n):
        dist = [float("inf")] * 20
        dist[s] = 0
        heap = [(0, s)]
        while heap:
            d, u = heapq.heappop(heap)
            if d > dist[u]:
                continue
            for v, w in g[u]:
                if d + w < dist[v]:
                    dist[v] = d + w
                    heapq.heappush(heap, (dist[v], v))
        for d in dist:
            if d < float("inf"):
                total += d
    return total
""",
    "the same by a function": """
def paths(graph, s):
    dist = {}
    dist = [float("inf")] * len(graph)
    dist[s] = 0
    heap = []
    hq.heappush(heap, (0, s))
    while len(heap) > 0:
        d, u = hq.heappop(heap)
        if d <= dist[u]:
            for v, w in graph[u]:
                if d + w < dist[v]:
                    dist[v] = d + w
                    hq.heappush(heap, (d + w, v))
    return dist
def run(n):
    total = 0.0
    last = []
    for s in range(n):
        last = paths(f, s)
        for d in last:
            if d != float("inf"):
                total += d
    return total, last
""".replace("    dist = {}\n", ""),
    "the least tree": """
def run(n):
    total = 0
    for s in range(n):
        seen = [False] * 20
        heap = [(0, s)]
        while heap:
            w, u = heappop(heap)
            if seen[u]:
                continue
            seen[u] = True
            total += w
            for v, c in f[u]:
                if not seen[v]:
                    heappush(heap, (c, v))
    return total
""",
    "tuples in tuples": """
def run(n):
    total = 0
    for s in range(min(n, 6)):
        best = [[10**6] * 6 for _ in range(6)]
        heap = [(grid[s][0], (s, 0))]
        while heap:
            d, (i, j) = heappop(heap)
            if d >= best[i][j]:
                continue
            best[i][j] = d
            for a, b in ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)):
                if 0 <= a < 6 and 0 <= b < 6:
                    heappush(heap, (d + grid[a][b], (a, b)))
        total += best[5][5]
    return total
""",
    "numbers": """
def run(n):
    cost = 0
    for k in range(n):
        heap = []
        for v in x:
            heappush(heap, v * k % 23)
        while len(heap) > 1:
            a = heappop(heap)
            b = heappop(heap)
            cost += a + b
            heappush(heap, a + b)
    return cost
""",
    "two of them, and signs": """
def run(n):
    out = 0
    for k in range(n):
        low, high = [], []
        for v in x:
            heappush(low, -v)
            first = -heappop(low)
            heappush(high, first)
            if len(high) > len(low):
                heappush(low, -heappop(high))
            out += k - low[0]
    return out
""",
    "parts of items": """
def run(n):
    t = 0.0
    for k in range(n):
        events = [(0.0, 0, (k, 1))]
        for step in range(30):
            if not events:
                break
            item = heappop(events)
            t += item[0] + item[2][0]
            heappush(events, (item[0] + 1.0 / (step + 1), step, (item[2][1], step)))
            if step % 3 == 0:
                heappush(events, (item[0] + 0.5, -step, (step, k)))
            t += events[0][0] * events[0][1]
        t += heappop(events)[0]
        heappop(events)
        t += len(events)
    return t
""",
    "in an order of their own": """
def run(n):
    got = t = 0.0
    for k in range(n):
        heap = [(1, 0.5), (1, 0.25)]
        for v in range(9):
            heappush(heap, (v % 3 * 1.0, v))
        while heap:
            a, b = heappop(heap)
            got = got + b
            t = t * 0.5 + a
    return got, t
""",
    "nothing in it": """
def run(n):
    t = 0
    for k in range(n):
        heap = []
        if k != 7:
            heappush(heap, k)
        t += heappop(heap)
    return t
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    found = both(HEAD + TAKEN[name] + TAIL).loops_after(HEAD)
    assert "compiled" in found.values(), found


LEFT = {
    "read afterwards": "heap = [k]\n        heappush(heap, 3)\n        kept = heap\n",
    "a place in it": "heap = [k]\n        heappush(heap, 3)\n        t += heap[1]\n",
    "changed otherwise": "heap = [k]\n        heappush(heap, 3)\n        heap[0] = 7\n",
    "tuples of two kinds": "heap = [(k, 1)]\n        heappush(heap, (k, 1, 2))\n"
    "        t += heappop(heap)[0]\n",
    "no list at first": "heap = list(x)\n        heappush(heap, 3)\n        t += heappop(heap)\n",
    "a nan in a tuple": "heap = [(nan, 2)]\n        heappush(heap, (nan, 1))\n"
    "        t += heappop(heap)[1]\n",
    "another function": "heap = [3]\n        mine(heap, 3)\n        t += len(heap)\n",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_to_python(name: str) -> None:
    text = f"def run(n):\n    t = 0\n    kept = None\n    for k in range(n):\n        {LEFT[name]}"
    text += "    return t, kept\n"
    mine = "def mine(heap, v):\n    heap.append(v)\n    heap.append(v)\n"
    found = both(HEAD + mine + text + TAIL).loops_after(HEAD + mine + "\n" * 3)
    assert next(iter(found.values())) != "compiled" or name == "another function", found


def test_functions_that_are_not_those_of_heapq() -> None:
    text = HEAD + "def heappush(heap, v):\n    heap.append(v)\n    heap.append(v)\n"
    text += "def run(n):\n    t = 0\n    for k in range(n):\n        heap = [k]\n"
    text += "        heappush(heap, 3)\n        t += len(heap)\n    return t\n"
    both(text + TAIL)


@pytest.mark.parametrize("seed", range(12))
def test_as_heapq_does_it(seed: int) -> None:
    """Whatever comes and goes: equal items of other types and zeros of other signs among them."""
    draw = random.Random(seed)
    forms = [("v", "a = heappop(heap)"), ("(v, k)", "a, b = heappop(heap)")]
    forms += [("(k % 3, v)", "b, a = heappop(heap)"), ("(v, (w, k))", "a, (c, b) = heappop(heap)")]
    put, get = draw.choice(forms)
    some = draw.choice(["v = vs[k]", "v = vs[k]\n    w = vs[-k]", "v = ints[k] * 0.5"])
    text = f"""
from heapq import heappop, heappush
import random
random.seed({seed})
vs = [random.choice([0.0, -0.0, 1.5, 2.0, 2.0, -3.0, 7.25]) for _ in range(200)]
ints = [random.randrange(6) for _ in range(200)]
def run(n):
    out = []
    w = 0.5
    a = b = 0
    for t in range(n):
        heap = []
        for k in range(200):
            {some.replace(chr(10), chr(10) + " " * 8)}
            heappush(heap, {put})
            if ints[k] > {draw.randrange(2, 5)}:
                {get}
                out.append(a)
        while heap:
            {get}
            out.append(a)
        out.append(b)
    return out
got = run(2)
"""
    found = both(text)
    assert "compiled" in found.loops.values(), found.loops


def test_more_than_there_is_room_for_at_first() -> None:
    text = """
from heapq import heappop, heappush
def run(n):
    t = 0
    for s in range(2):
        heap = []
        for k in range(n):
            heappush(heap, (k * 7919 % n, k))
        while heap:
            d, k = heappop(heap)
            t = (t * 3 + k) % 1000003
    return t
got = run(70_000)
"""
    assert "compiled" in taken(text).loops.values()
    both(text.replace("70_000", "700"))
