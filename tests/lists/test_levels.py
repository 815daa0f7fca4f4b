"""Lists that are gone through to make the next one: levels of a search, what is still alive."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
g = [[(i * 7 + j) % 30 for j in range(i % 5 + 1)] for i in range(30)]
"""
TAIL = """
res = [run(n) for n in (0, 1, 5, 30)]
"""

TAKEN = {
    "breadth first": """
def run(n):
    t = 0
    for r in range(n):
        seen = [False] * len(g)
        seen[r] = True
        layer = [r]
        depth = 0
        while layer:
            after = []
            for u in layer:
                for v in g[u]:
                    if not seen[v]:
                        seen[v] = True
                        after.append(v)
            layer = after
            depth += 1
        t = t * 3 % 1000003 + depth
    return t
""",
    "in a function": """
def depth(g, s):
    seen = [False] * len(g)
    seen[s] = True
    steps = 0
    layer = [s]
    while len(layer) > 0:
        after = []
        for u in layer:
            for v in g[u]:
                if not seen[v]:
                    seen[v] = True
                    after.append(v)
        if not after:
            break
        layer = after
        steps += len(layer)
    return steps
def run(n):
    t = 0
    for r in range(n):
        t += depth(g, r) * (r + 1)
    return t
""",
    "tuples": """
def run(n):
    t = 0
    for r in range(n):
        layer = [(r, 1), (r + 1, 2)]
        for step in range(4):
            after = []
            for x, y in layer:
                if (x + y) % 3:
                    after.append((x + 1, y))
                    after.append((y, x * 2))
            layer = after
            t += len(layer)
        for x, y in layer:
            t += x * y
    return t
""",
    "what is still alive": """
def run(n):
    t = 0.0
    for r in range(n):
        alive = [0.5, 1.5, 2.5, 3.5, r + 0.25]
        while len(alive) > 1:
            left = []
            for x in alive:
                if x * 7 % 3 > 0.9:
                    left.append(x * 0.75)
            alive = left
            t += sum(alive) + len(alive)
    return t
""",
    "what is chosen": """
def run(n):
    t = 0.0
    for r in range(n):
        alive = [0.5, 1.5, 2.5, 3.5, r + 0.25]
        x = 7.0
        while len(alive) > 1:
            alive = [x * 0.75 for x in alive if x * 7 % 3 > 0.9]
            t += sum(alive) + len(alive) * x
    return t
""",
    "pairs that are chosen": """
def run(n):
    t = 0
    for r in range(n):
        ps = [(r, 1), (r + 1, 2), (5, r)]
        for step in range(4):
            ps = [(y, x + 1) for x, y in ps if (x + y) % 4]
            for x, y in ps:
                t += x * y + step
    return t
""",
}

LEFT = {
    "the last one has two names": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r]
        for step in range(3):
            after = []
            for u in layer:
                after.append(u + 1)
                after.append(u + 2)
            layer = after
            after.append(100)
            t += sum(layer)
    return t
""",
    "another list in between": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r]
        for step in range(3):
            after = []
            for u in layer:
                after.append(u + 1)
            layer = [7]
            after.append(5)
            layer = after
            t += sum(layer)
    return t
""",
    "in a branch": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r]
        for step in range(4):
            after = []
            for u in layer:
                after.append(u + 1)
                after.append(u * 2)
            if step % 2:
                layer = after
                after.append(1)
            t += sum(layer)
    return t
""",
    "left behind": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r]
        for step in range(5):
            after = []
            for u in layer:
                after.append(u + 1)
                after.append(u * 2)
            if step % 2:
                continue
            layer = after
            t += sum(layer)
    return t
""",
    "seen afterwards": """
def run(n):
    layer = [1]
    after = []
    for r in range(n):
        after = []
        for u in layer:
            after.append(u + r)
        layer = after
    return layer, layer is after
""",
    "from before": """
def run(n):
    layer = [1, 2]
    t = 0
    for r in range(n):
        after = []
        for u in layer:
            after.append(u + r)
        layer = after
        t += sum(layer)
    return t
""",
    "the next one around it": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r]
        d = 0
        while layer and d < 3:
            after = []
            for u in layer:
                for v in g[u % 30]:
                    after.append(v)
            layer = after
            d += 1
        else:
            t += 1000 * len(after)
        layer, d = [r], 0
        layer = [r]
        while d < 4:
            if d % 2 == 0:
                other = []
                for u in layer:
                    other.append(u + 1)
                layer = other
            elif other:
                t += 100 * len(other)
            d += 1
    return t
""",
    "asked before it begins": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r]
        first = True
        while first or after:
            first = False
            after = []
            for u in layer:
                if u < 20:
                    after.append(u * 2 + 1)
            layer = after
            t += 1
    return t
""",
    "another len": """
def run(n, len=lambda x: 7):
    t = 0
    for r in range(n):
        layer = [r, 1, 2, 3]
        for step in range(4):
            layer = [x + 1 for x in layer if x % 3]
            t += len(layer)
    return t
""",
    "chosen twice": """
def run(n):
    t = 0
    for r in range(n):
        layer = [r, 1, 2, 3]
        for step in range(4):
            layer = [x + 1 for x in layer if x % 3]
            layer = [y for y in layer if y != 5]
            t += sum(layer)
    return t
""",
    "two of them": """
def run(n):
    t = 0
    for r in range(n):
        a, b = 1, 2
        one = [r]
        two = [r + 1]
        for step in range(3):
            after = []
            for u in one:
                after.append(u + 1)
            for u in two:
                after.append(u + 2)
            two = one
            one = after
            t += sum(one) * 3 + sum(two)
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
