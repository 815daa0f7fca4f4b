"""Sets, dictionaries, queues and heaps that a nest makes, and somebody looks at afterwards."""

from __future__ import annotations

from textwrap import indent

import pytest
from outcome import both

pytestmark = pytest.mark.usefixtures("lenient")

MADE = {
    "a set": """
seen = set()
x = 1
while x not in seen:
    seen.add(x)
    x = (x * x + 1) % 10007
""",
    "a set with items": """
seen = {3, n}
x = 1
while x not in seen and x != 0:
    seen.add(x)
    x = (x * 5 - 3) % 101 - 50
""",
    "a set of pairs": """
seen = {(0, 0)}
x = y = 0
for k in range(n):
    x, y = (x * 3 + k) % 11 - 5, (y + k * k) % 7
    if (x, y) not in seen:
        seen.add((x, y))
""",
    "a set of pairs in pairs": """
seen = set()
for k in range(n):
    seen.add(((k % 3, -k % 5), k % 7))
""",
    "a dictionary": """
first = {1: 0}
x, k = 1, 0
while k < 1 or x not in first:
    first[x] = k
    k += 1
    x = (x * x + 7) % 1009
""",
    "a dictionary of floats under pairs": """
found = {}
for k in range(n):
    found[k % 5, k % 3] = k * 0.5
""",
    "a dictionary of ints and floats": """
found = {(0, 0): 0}
for k in range(n):
    found[(k % 5, k % 3)] = k * 0.5
""",
    "counts under pairs": """
counts = {}
for k in range(n - 1):
    counts[(a[k], a[k + 1])] = counts.get((a[k], a[k + 1]), 0) + 1
""",
    "a Counter": """
from collections import Counter
counts = Counter()
for k in range(n - 1):
    counts[a[k] % 3, a[k + 1] % 3] += 1
""",
    "a defaultdict": """
from collections import defaultdict
sums = defaultdict(float)
for k in range(n - 1):
    sums[(a[k], k % 2)] += a[k + 1] * 0.25
""",
    "a queue": """
from collections import deque
q = deque([1])
t = 0
while q:
    x = q.popleft()
    t += x
    if t > 500:
        break
    q.append(x + 1)
    q.append(x * 2)
""",
    "a list that is a queue": """
q = [1]
t = 0
while len(q) > 0:
    x = q.pop(0)
    t += x
    if t > 500:
        break
    q.append(x + 1)
    q.append(x * 2)
""",
    "an empty queue": """
import collections
q = collections.deque()
q.append(n)
t = 0
while q:
    x = q.popleft()
    t += x
    if x > 1:
        q.append(x // 2)
""",
    "a heap": """
from heapq import heappush, heappop
h = []
for k in range(n):
    heappush(h, (a[k], k))
    if k % 3 == 2:
        d, u = heappop(h)
while len(h) > 5:
    heappop(h)
""",
    "a heap of numbers": """
import heapq
h = [2.5]
t = 0.0
while h:
    x = heapq.heappop(h)
    t += x
    if t > 300.0:
        break
    heapq.heappush(h, x + 0.5)
    heapq.heappush(h, x * 1.25)
""",
    "a dictionary that is made of a range": """
dist = {v: 0.5 * v for v in range(n) if v % 3}
q = [1]
while q:
    u = q.pop()
    if u < n and u % 3 != 0 and dist[u] >= 0:
        dist[u] = -1
        q.append(u * 2)
        q.append(u + 3)
""",
    "a dictionary of keys": """
found = dict.fromkeys(a, 0)
x = 1
seen = {k * k % 17 for k in range(n) if k % 3}
while x not in seen or x < 3:
    seen.add(x)
    x = (x * x + 1) % 1009
for k in range(n):
    found[a[k]] += 1
""",
    "a search": """
from collections import deque
dist = {1: 0}
q = deque([1])
while q:
    u = q.popleft()
    for v in (u * 2 % 97, u * 3 % 97, u + 1):
        if v < 97 and v not in dist:
            dist[v] = dist[u] + 1
            q.append(v)
""",
}
SEEN = "seen", "first", "found", "counts", "sums", "q", "h", "dist", "t", "x"
HEAD = """
a = [(k * 37 + 11) % 17 - 8 for k in range(200)]
n = 200
"""


@pytest.mark.parametrize("title", MADE)
@pytest.mark.parametrize("place", ["module", "function"])
def test_whatever_is_made_is_there(title: str, place: str) -> None:
    text = MADE[title]
    if place == "function":
        names = "', '".join(
            ("seen", "first", "found", "counts", "sums", "q", "h", "dist", "t", "x")
        )
        last = f"return [(k, v) for k, v in locals().items() if k in {{'{names}'}}]"
        text = f"def f(a, n):\n{indent(text + last, '    ')}\nout = f(a, n)\n"
    out = both(HEAD + text)
    assert "compiled" in (*out.loops_after(HEAD).values(), *out.runs.values()), out


@pytest.mark.parametrize(
    "last", ["return seen, u", "return len(seen)", "return sorted(seen), q", "raise KeyError(q)"]
)
def test_what_is_read_where_it_is_left(last: str) -> None:
    text = f"""
from collections import deque
def f(n):
    q, t = deque([1]), 0
    seen = {{1}}
    while q:
        u = q.popleft()
        if u > 60:
            {last}
        for v in (u + 3, u * 2):
            if v not in seen:
                seen.add(v)
                q.append(v)
out = f(60)
"""
    out = both(text)
    assert "compiled" in out.runs.values(), out


def test_nothing_is_there_where_nothing_was_made() -> None:
    text = """
seen = "before"
for k in range(m):
    seen = set()
    for j in range(50):
        seen.add(j * k % 7)
for k in range(n):
    if k > limit:
        found = {}
        for j in range(9):
            found[j, k] = 0.5 * j
"""
    for m, limit in ((0, 300), (20, 3)):
        both(f"n, m, limit = 60, {m}, {limit}\n" + text)


class TestLeftToPython:
    """What is handed out is what the interpreter makes, or the interpreter makes it."""

    @pytest.mark.parametrize(
        ("begin", "step"),
        [
            ("seen = {1, 2, 3, 70000}", "seen.add(k * k)"),  # Python makes a frozenset of these
            ("seen = set()", "seen.add(k * 0.5)"),
            ("seen = set()", "seen.add(str(k))"),
            ("seen = frozenset()", "seen = seen | {k}"),
            ("seen = set()", "seen.add(k)\n    other = seen"),
            ("v = 5\nseen = {v: v for v in range(v)}", "seen[k] = v"),
            ("key = 7\nseen = dict.fromkeys(range(9), key)", "seen[k, 1] = 1"),
            ("seen = dict.fromkeys(range(9))", "seen[k] = 1"),
            ("seen = {j: [] for j in range(9)}", "seen[k % 9].append(k)"),
            ("seen = {(j, j): j for j in range(9)}", "seen[k] = 1"),
            ("seen = {str(j): j for j in range(9)}", "seen['1'] = k"),
        ],
    )
    def test_other_ones(self, begin: str, step: str) -> None:
        both(f"{begin}\nfor k in range(60):\n    {step}\n")

    def test_an_annotation_of_a_module(self) -> None:
        text = """
seen: set[int] = set()
x = 1
while x not in seen:
    seen.add(x)
    x = (x * x + 1) % 10007
found = dict(__annotations__)
"""
        out = both(text)
        assert "found" in out.names

    def test_a_function_that_reads_the_same_name(self) -> None:
        text = """
import numpy as np
seen = {99}
def size(k):
    return len(seen) + k
out = np.zeros(50)
seen = set()
for k in range(50):
    seen.add(k)
    out[k] = size(k)
"""
        both(text)

    def test_a_queue_of_a_greatest_length(self) -> None:
        text = """
from collections import deque
q = deque([], maxlen=3)
t = 0
for k in range(100):
    q.append(k)
    if len(q) == 3:
        t += q[0]
"""
        both(text)
