"""Sets and dictionaries that a nest makes: of integers, and of tuples of these."""

from __future__ import annotations

import random
import textwrap

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import collections
from collections import Counter, defaultdict, deque
import numpy as np
g = [[(i * 7 + j) % 30 for j in range(i % 4 + 1)] for i in range(30)]
grid = [[(i * 7 + j * 3) % 5 == 0 for j in range(12)] for i in range(12)]
xs = [(i * 37) % 101 - 20 for i in range(300)]
"""
TAIL = """
res = []
for n in (0, 1, 2, 9):
    try:
        res.append(run(n))
    except KeyError as error:
        res.append(str(error))
"""

TAKEN = {
    "what has been visited": """
def run(n):
    t = 0
    for s in range(n):
        seen = set()
        seen.add(s)
        queue = deque([s])
        while queue:
            u = queue.popleft()
            for v in g[u]:
                if v not in seen:
                    seen.add(v)
                    queue.append(v)
        t += len(seen) * (7 in seen)
    return t
""",
    "pairs": """
def run(n):
    t = 0
    for s in range(n):
        seen = {(s, 0)}
        stack = [(s, 0)]
        while stack:
            a, b = stack.pop()
            t += 1
            for da, db in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                c, d = a + da, b + db
                if 0 <= c < 12 and 0 <= d < 12 and (c, d) not in seen and not grid[c][d]:
                    seen.add((c, d))
                    stack.append((c, d))
    return t
""",
    "what is known by now": """
def run(n):
    best = 0
    for r in range(n):
        known = {}
        known[1] = 0
        for i in range(2, 40 * r):
            k, steps = i, 0
            while k not in known:
                k = 3 * k + 1 if k % 2 else k // 2
                steps += 1
            known[i] = steps + known[k]
            best = max(best, known[i])
    return best
""",
    "counted": """
def run(n):
    t = 0
    for r in range(n):
        count = Counter()
        sums = defaultdict(int)
        last = dict()
        parts = collections.defaultdict(float)
        for x in xs:
            count[x + r] += 1
            sums[x % 7] += x
            last[x] = last.get(x, -r) + 2
            parts[x // 10, x % 3] += 0.5
        for k, v in last.items():
            t = (t * 3 + k * v) % 1000003
        for k in count:
            t += k
        for v in sums.values():
            t = t * 2 % 1009 + v
        for (a, b), v in parts.items():
            t = t * 2 % 1009 + a - b + int(v)
        t += len(count)
    return t
""",
    "no such key": """
def run(n):
    t = 0
    for r in range(n):
        d = {}
        d[r] = 1
        d[5 * (r < 7)] += 1
        t += d[r]
    return t
""",
    "in the second place": """
def run(n):
    t = 0
    for r in range(n):
        d = {}
        for x in xs:
            if x > 3 and x in d and d[x] > r:
                t += d[x]
            elif x not in d or x < 0:
                d[x] = x % 5
            else:
                d[x] = d[x] + 1 if d[x] < 9 else 0
    return t
""",
    "made with items": """
def run(n):
    t = 0
    for r in range(n):
        few = {1, 5, r}
        more = set([2, r + 1, 5])
        for x in xs:
            t += (x in few) + 2 * (x % 7 in more) - (x not in few)
        few.add(100 + t)
        t += len(few) + len(more)
    return t
""",
    "larger and larger": """
def run(n):
    t = 0
    for r in range(n):
        seen = set()
        x = r + 1
        while x not in seen:
            seen.add(x)
            x = (x * 1103 + 12345) % 5003
        t += len(seen)
    return t
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    found = both(HEAD + TAKEN[name] + TAIL).loops_after(HEAD)
    assert "compiled" in found.values(), found


BODIES = {
    "floats": "s = set()\n        s.add(n * 0.5)\n        t += len(s)",
    "texts": "s = set()\n        s.add('a')\n        t += len(s)",
    "read afterwards": "s = set()\n        s.add(k)\n        kept = s",
    "taken away": "s = {k, 3}\n        s.discard(3)\n        t += len(s)",
    "in Python's order": "s = {k, 300, 5}\n        for x in s:\n            t = t * 3 + x",
    "changed on the way": "d = {}\n        d[k] = 1\n        for x in d:\n            d[x + 1] = 2",
    "no such key": "d = {}\n        t += d[k]",
    "nothing for a default": "d = {}\n        t += d.get(k, None) is None",
    "keys of several kinds": "d = {}\n        d[k] = 1\n        d[k, k] = 2\n        t += len(d)",
    "bools and ints": "s = {True, k}\n        s.add(False)\n        t += len(s) + (1 in s)",
    "ints of NumPy's": "s = set()\n        s.add(np.int64(k))\n        t += k in s",
    "large ones": "s = set()\n        s.add(10**18 * k)\n        s.add(2**70)\n        t += len(s)",
    "another function": "s = dict()\n        s[k] = 1\n        t += len(s)",
    "in a comprehension": "s = {k}\n        t += sum([x in s for x in xs])",
    "handed on": "s = {k}\n        s.add(2)\n        t += len(sorted(s))",
}


@pytest.mark.parametrize("name", BODIES)
def test_as_in_python(name: str) -> None:
    text = (
        f"def run(n):\n    t = 0\n    kept = None\n    for k in range(n):\n        {BODIES[name]}\n"
    )
    first = "dict = mine\n" if name == "another function" else ""
    mine = "class mine(dict):\n    def __len__(self):\n        return 7\n"
    both(HEAD + mine + first + text + "    return t, kept\n" + TAIL)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    draw = random.Random(seed)
    keys = draw.choice(
        [["x", "y", "x + y", "x * 3 - y", "7"], ["(x, y)", "(y, x)", "(x, 3)", "(x + y, x - y)"]]
    )

    def key() -> str:
        return draw.choice(keys)

    def value() -> str:
        return draw.choice(
            [
                "x", "t % 97", f"d.get({key()}, y)", f"({key()} in d)", f"({key()} not in s)",
                "len(s)", "len(d)", "y", "x * y", "t % 7",
            ]
        )  # fmt: skip

    def statement(depth: int = 0) -> str:
        form = draw.randrange(8)
        one = key()
        if form == 0:
            return f"s.add({one})"
        if form == 1:
            return f"d[{one}] = {value()}"
        if form == 2:
            return f"c[{one}] += {value()}"
        if form == 3:
            return f"if {one} in d:\n    d[{one}] += {value()}\n    t += d[{one}]"
        if form == 4:
            return f"t = (t * 3 + {value()}) % 100003"
        if depth < 2:
            test = draw.choice([f"{one} in s", f"x > y and {one} not in s", f"{one} in c or x < 2"])
            inner = textwrap.indent(statement(depth + 1), "    ")
            other = textwrap.indent(statement(depth + 1), "    ")
            return f"if {test}:\n{inner}\nelse:\n{other}"
        return f"t += {one} not in s"

    body = textwrap.indent("\n".join(statement() for _ in range(4)), "            ")
    text = f"""
def run(n):
    t = 0
    for r in range(n):
        s, d = set(), {{}}
        c = {draw.choice(["Counter()", "defaultdict(int)"])}
        for k in range({draw.choice([5, 40, 150])}):
            x, y = xs[k] % (r + 5), xs[-k] // 9
{body}
        for k, v in d.items():
            t = (t * 5 + v) % 100003
        for v in c.values():
            t = (t * 5 + v) % 100003
        t += len(s) + len(c)
    return t
"""
    both(HEAD + text + TAIL)
