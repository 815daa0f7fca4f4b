"""Lists of tuples whose items have several types, such as edges with weights."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 9
edges = [((3 * k) % n, (5 * k + 2) % n, 0.25 * k + 0.5) for k in range(20)]
items = ((1, 2.5, True), (2, 0.5, False), (0, 4.0, True))
dist = [1e9] * n
dist[0] = 0.0
u = np.zeros(n)
s, c = 0.0, 0
"""
TAKEN = {
    "edges": """
for _ in range(n):
    for i, j, w in edges:
        if dist[i] + w < dist[j]:
            dist[j] = dist[i] + w
""",
    "a tuple": """
for i, x, flag in items:
    if flag:
        u[i] += x
    s += x
""",
    "items of one": """
def cost(e):
    return e[2] * e[0]
def total(s):
    for k in range(len(edges)):
        e = edges[k]
        u[e[1]] += e[2] + len(e)
        s += cost(e) + edges[k][-1]
    return s
s = total(s)
""",
    "a name for the tuple": """
def total():
    c = 0
    for t in range(3):
        for e in edges:
            f = e
            i, j, w = f
            u[j] += w * t - f[0]
            c += i
    return c
s = total()
""",
    "numbered, backwards, beside another": """
for k, (i, j, w) in enumerate(edges):
    u[j] += w * k
for i, j, w in reversed(edges):
    u[i] = u[j] - w
for (i, j, w), x in zip(edges, u):
    s += w * x
""",
    "at a place": """
for k in range(-5, len(edges) - 5):
    i, j, w = edges[k]
    s = s * 0.5 + w * edges[k][0]
""",
    "two lists": """
for i, j, w in edges:
    for k, x, flag in items:
        u[(j + k) % n] += x * w
""",
    "of NumPy's numbers": """
pairs = [(np.int32(k), 0.5 * k) for k in range(n)]
for k, x in pairs:
    u[k] += x
""",
}
LEFT = {
    "the tuple lives on": "for e in edges:\n    s += e[2]\nsame = e is edges[-1]\n",
    "several lengths": "edges[7] = (1, 2)\nfor e in edges:\n    s += e[1]\n",
    "other types": "edges[7] = (1, 2.0, 3)\nfor i, j, w in edges:\n    s += w * j\n",
    "a list among them": "edges[7] = [1, 2, 3.0]\nfor i, j, w in edges:\n    s += w\n",
    "text among them": "edges[7] = (1, 2, 'x')\nfor i, j, w in edges:\n    s += i\n",
    "text in all": "edges = [('x', 1.5)] * n\nfor name, x in edges:\n    s += x\n",
    "large integers": "edges[7] = (2**70, 2, 1.0)\nfor i, j, w in edges:\n    s += i\n",
    "too many names": "for i, j, w, x in edges:\n    s += w\n",
    "too few": "for i, j in edges:\n    s += i\n",
    "a place that is not there": "for k in range(30):\n    u[k % n] += edges[k][2]\n",
    "an item that is not there": "for k in range(9):\n    u[k] += edges[k][3]\n",
    "an item at a place": "for k in range(9):\n    u[k] += edges[k][k % 3]\n",
    "compared": "for e in edges:\n    c += e == edges[0]\n",
    "the least": "for t in range(4):\n    s += min(edges)[2]\n",
    "stored": "for k in range(5):\n    edges[k] = (k, k, 1.0)\n    s += edges[k][2]\n",
    "kept": "kept = []\nfor e in edges:\n    kept.append(e)\nsame = kept[0] is edges[0]\n",
    "appended to": "for k in range(5):\n    edges.append((k, k, 1.5))\n    s += edges[k][2]\n",
    "appended to by another name": (
        "more = edges\nfor i, j, w in edges[:5]:\n    more.append((i, j, w))\n"
    ),
    "swapped": "for k in range(5):\n    edges[k], edges[k + 1] = edges[k + 1], edges[k]\n",
    "cut": "for k in range(5):\n    for i, j, w in edges[k:]:\n        s += w\n",
    "assigned": "for k in range(5):\n    edges = [(k, k, 1.5)]\n    s += edges[0][2]\n",
    "other lists the next time": """
def run(edges, s):
    for i, j, w in edges:
        s += w * j
    return s
s = run(edges, s), run(items, s), run([(1, 2, 3)], s), run([(1, 2.5), (1, 2.5)][:0], s)
s = s, run(edges, 0.5), run([(1.5, 2, 3), (2.5, 4, 5)], 0), run(edges[:1], 0)
try:
    run([(1, 2.5), (1, 2.5)], 0)
except ValueError as error:
    caught = repr(error)
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    found = both(HEAD + TAKEN[title])
    loops = found.loops_after(HEAD)
    assert "compiled" in loops.values(), loops
    assert "mixed-type" not in loops.values(), loops


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title: str) -> None:
    body = LEFT[title].strip().replace("\n", "\n    ")
    both(f"{HEAD}try:\n    {body}\nexcept Exception as error:\n    caught = repr(error)\n")
