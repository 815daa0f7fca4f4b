"""Lists that a function makes, stores into, and returns a number of, or hands over: tables."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAIL = """
def run(g, n):
    t = 0
    for k in range(n):
        t += h(g, k)
    return t
res = [run(g, n) for n in (0, 1, 7, 30)]
"""

TAKEN = {
    "a table": """
g = [3, 1, 2, 3, 0, 1, 2, 2]
def h(a, k):
    n = len(a)
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if a[i - 1] == (a[j - 1] + k) % 4:
                best[i][j] = best[i - 1][j - 1] + 1
            else:
                best[i][j] = max(best[i - 1][j], best[i][j - 1])
    return best[n][n]
""",
    "a row of a table": """
g = [3, 1, 2, 5]
def h(a, cap):
    best = [0] * (cap + 1)
    for w in a:
        for c in range(cap, w - 1, -1):
            best[c] = max(best[c], best[c - w] + w * w)
    return best[cap]
""",
    "a copy that is changed": """
g = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 5.0]]
def h(m, k):
    a = [row[:] for row in m]
    d = k * 1.0
    for i in range(3):
        d *= a[i][i]
        for r in range(i + 1, 3):
            f = a[r][i] / a[i][i]
            for c in range(i, 3):
                a[r][c] -= f * a[i][c]
    return d
""",
    "breadth first": """
g = [[(i * 7 + j) % 20 for j in range(i % 4 + 1)] for i in range(20)]
def h(g, s):
    dist = [-1] * len(g)
    dist[s % 20] = 0
    queue = [s % 20]
    k = 0
    while k < len(queue):
        u = queue[k]
        k += 1
        for v in g[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return sum(dist)
""",
    "read by another name": """
g = [1, 2, 3]
def h(g, k):
    a = [0] * 5
    a[k % 5] = 7
    b = a
    return b[k % 5] * 10 + b[0]
""",
    "a live-in, and then others": """
g = [1, 2, 3]
def more(a):
    return [x + 1 for x in a]
def h(g, k):
    base = g
    for i in range(k % 5):
        base = more(base)
    return base[0] * 10 + base[2]
""",
}

LEFT = {
    "one of two": """
g = [1, 2, 3]
def h(g, k):
    a = [0] * 5
    b = [1] * 5
    if k % 2:
        c = a
    else:
        c = b
    c[0] = 9
    return a[0] * 10 + b[0]
""",
    "one in two places": """
g = [1, 2, 3]
def h(g, k):
    a = [0] * 5
    rows = [a, a]
    rows[0][1] = k
    return rows[1][1]
""",
    "in each iteration again": """
g = [1, 2, 3]
def h(g, k):
    a = [0] * 5
    s = 0
    for i in range(k):
        b = a
        b[i % 5] += i
        s += b[0] + b[3]
    return s
""",
    "changed by the other name": """
g = [1, 2, 3]
def h(g, k):
    a = [0] * 5
    b = a
    for i in range(k):
        b[i % 5] += i
        a[(i + 1) % 5] += 1
    return a[0] * 100 + b[1]
""",
    "a live-in that is changed": """
g = [1, 2, 3]
def more(a):
    return [x + 1 for x in a]
def h(g, k):
    base = g
    for i in range(k % 5):
        base = more(base)
        g[0] = i
    return base[0]
""",
    "a live-in that is one of them again": """
g = [1, 2, 3]
def more(a):
    return [x + 1 for x in a]
def h(g, k):
    base = g
    for i in range(k % 5):
        c = base
        c[1] = i
        base = more(base)
    return base[0] + base[1] + g[1]
""",
    "a live-in, under a condition": """
g = [1, 2, 3]
def more(a):
    return [x + 1 for x in a]
def h(g, k):
    base = g
    for i in range(k % 5):
        c = base if i % 2 else g
        c[1] += i
        base = more(base)
    return base[0] + base[1] + g[1]
""",
}


@pytest.mark.parametrize("head", TAKEN.values(), ids=TAKEN)
def test_taken(head: str) -> None:
    found = both(head + TAIL)
    fared = found.loops_after(head)
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("head", LEFT.values(), ids=LEFT)
def test_as_in_python(head: str) -> None:
    both(head + TAIL)
