"""What hash tables and searches of a nest's own must leave as Python has it."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAMS = {
    "the loop around goes on": """
def f(n, stop):
    seen = [0] * n
    count = 0
    for s in range(n):
        print(end="")
        q = [s]
        if seen[s] == 1 and s % 2:
            continue
        if s == stop:
            break
        while q:
            u = q.pop()
            if seen[u] == 0:
                seen[u] = 1
                count += 1
                q.append((u * 7 + 3) % n)
    return count, sum(seen), s
res = [f(30, 40), f(60, 40)]
""",
    "an else on the way": """
def f(n):
    t = 0
    q = [n]
    for i in range(n):
        if i == 150:
            break
        q.append(i)
    else:
        t = 7
    while q:
        u = q.pop()
        t += u
        if t % 1009 == 0:
            return u, t
    return t, u, i
res = [f(m) for m in (300, 100, 5)]
""",
    "a counter that is asked on the way": """
from collections import Counter, defaultdict
def f(n):
    t = 0
    for i in range(n):
        c, e = Counter(), defaultdict(int)
        for j in range(20):
            c[j * i % 7] += len(c)
            k = j * i % 5
            c[k] += 1 if k in c else 5
            e[k] += len(e)
        for k, v in c.items():
            t = (t * 3 + v * k) % 1000003
        for k, v in e.items():
            t = (t * 3 + v * k) % 1000003
    return t
res = [f(n) for n in (1, 9)]
""",
    "targets one after the other": """
def f(n):
    a, b = [0] * n, [0] * n
    for i in range(n):
        d = {}
        s = {1, 2, 3}
        for j in range(5):
            d[j] = (j * i + 1) % n
        k = 0
        k, a[d[k]] = 3, i
        k = b[d[k]] = i % 5
        k, a[i if k in s else 0] = i % 5, i
    return a, b
res = f(30)
""",
    "two heaps in a statement": """
from heapq import heappop, heappush
def f(n):
    out = [0] * 50
    for i in range(n):
        g, h, got = [i % 5, i % 5 + 9], [], []
        heappush(g, i % 7)
        for j in range(6):
            heappush(h, (j * 7 % 5, j))
        t = heappop(h)[1] + g[0] * 2
        out[g[0]] = heappop(h)[1]
        out[g[0] + 10] += heappop(g)
        got.append(heappop(h)[0] + g[0])
        out[len(g) + 20] = heappop(h)[0] - heappop(g)
        out[i % 10 + 30] = t + got[0] + len(h)
    return out
res = [f(3), f(20)]
""",
    "less than nothing to do": """
from heapq import heappop, heappush
def f(n):
    heap = [(0, n % 50)]
    best = [10**9] * 50
    best[n % 50] = 0
    k = 0
    while heap:
        c, u = heappop(heap)
        if c > best[u]:
            continue
        k += 1
        for m in (3, 5, 7):
            v = (u * m + 3) % 50
            nc = c + m * u % 11
            if nc < best[v]:
                best[v] = nc
                heappush(heap, (nc, v))
                if nc == 17:
                    return c, u, v, nc, m, best
        assert k < 20 or n != 5, (k, c, v)
    return k, best
res = []
for m in (300, 100, 5, 0, -3):
    try:
        res.append(f(m))
    except AssertionError as error:
        res.append(str(error))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_python(name: str) -> None:
    found = both(PROGRAMS[name])
    assert "internal" not in {**found.loops, **found.runs}.values(), found
