"""None as one of the values of a scalar, and what a function returns that returns nothing."""

from __future__ import annotations

import linecache
import random

import pytest
from outcome import FILE, plain, same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
n = 40
a = np.linspace(-1.0, 2.0, n)
b = np.arange(n)
c = np.zeros(n)
x = [0.5 * i for i in range(n)]
def first(v):
    for j in range(6):
        if j > v * 4:
            return j
def nearest(v):
    best, which = math.inf, None
    for j in range(1, 5):
        t = abs(0.4 * j - v)
        if t < best and t < 0.3:
            best, which = t, j
    return best, which
def half(v):
    if v > 0.5:
        return v / 2
    return None
def early(v):
    if v > 0.5:
        return
    if v < 0.0:
        return v - 1
"""

TAKEN = {
    "a function that may return nothing": """
for i in range(n):
    t = first(a[i])
    if t is not None:
        c[i] = t
""",
    "None in a tuple": """
for i in range(n):
    d, at = nearest(a[i])
    if at is None:
        c[i] = -1.0
    else:
        c[i] = d + x[at]
""",
    "one of two ways": """
for i in range(n):
    t = half(a[i])
    c[i] = 1.0 if t is None else t
""",
    "none of three": """
for i in range(n):
    t = early(a[i])
    u = t
    if not (u is None or u > -1.5):
        c[i] += u
    elif u is None and i > 3:
        c[i] = i
""",
    "a conditional expression": """
for i in range(n):
    t = None if a[i] < 0.0 else (a[i] if b[i] % 3 else None)
    if t is not None:
        c[i] = t * 2
    t = 0.5 * i
    c[i] += t
""",
    "the last one that was found": """
def f():
    best = None
    for i in range(n):
        if best is None or a[i] * (i % 7) > best:
            best = a[i] * (i % 7)
        c[i] = best
    return c.sum()
def g():
    for k in range(3):
        best = None
        for i in range(n):
            if i > k and (best is None or x[i] * (i % 7) > best):
                best = x[i] * (i % 7)
        c[k] = best
    return c.sum()
r = g()
""",
    "used where it is a number for sure": """
for i in range(n):
    t = half(a[i] + 2.0)
    c[i] = t * 2
""",
    "handed to another function": """
def g(v):
    return 0.0 if v is None else v + 1.0
for i in range(n):
    c[i] = g(half(a[i])) + g(None) + g(2.0)
""",
    "of several types": """
def g(v):
    if v > 1.0:
        return v
    if v > 0.0:
        return 1.5
for i in range(n):
    t = g(a[i])
    c[i] = 0.0 if t is None else t * 3
""",
    "behind the loop": """
t = 1.0
for i in range(n):
    t = half(a[i])
u = t
for i in range(n):
    t = half(a[n - 1 - i])
""",
    "behind the loop, in a tuple": """
for i in range(n):
    t = nearest(a[i])
u = t
for i in range(n):
    p = q = nearest(a[n - 1 - i])
    r = p[1]
""",
    "before the loop": """
best = where = None
for i in range(n):
    if best is None or a[i] * (i % 7) > best:
        best, where = a[i] * (i % 7), i
""",
    "before the loop, of two types": """
def least(x, start):
    low = start
    for i in range(len(x)):
        if low is None or x[i] < low:
            low = x[i]
    return low
r = [least(y, s) for y in (a, a[3:], a[:0]) for s in (None, 0.5, -7.0, np.float64(3.0))]
for k in range(3):
    r += [least(a * k, None), least(a, k * 1.0)]
""",
    "lost again": """
def f():
    last = 1.0
    for i in range(n):
        if last is None and i % 3:
            last = a[i]
        elif last is not None:
            c[i] = last
            if i % 5 == 0:
                last = None
    return last
r = [f() for k in range(3)]
""",
    "an option that is not given": """
def f(every, low):
    s = 0.0
    for i in range(n):
        if every and i % every == 0:
            c[i] += 1
        if low is not None and a[i] < low:
            continue
        s += a[i] if low is None else a[i] - low
    return s
r = [f(every, low) for every in (3, 0) for low in (None, 0.25)]
def g(x, scale=None):
    return x if scale is None else x * scale
def h():
    for i in range(n):
        c[i] += g(a[i]) + g(a[i], 2.0)
h()
""",
    "a number is not None": """
for i in range(n):
    c[i] = 1.0 if a is None else 2.0
    if k is not None and i is not None:
        c[i] += k
""",
}

RAISING = {
    "added": ("    c[i] = half(a[i]) + 1.0\n", TypeError),
    "compared": ("    c[i] = 1.0 if half(a[i]) > 0.25 else 2.0\n", TypeError),
    "a subscript": ("    c[i] = x[nearest(a[i])[1]]\n", TypeError),
    "an argument": ("    c[i] = math.exp(half(a[i]))\n", TypeError),
    "late": ("    t = half(2.0 - i * 0.1)\n    c[i] = t * 2\n", TypeError),
}

LEFT = {
    "of anything": "for i in range(n):\n    c[i] = 1.0 if a[i] is None else 2.0\n",
    "equal": "for i in range(n):\n    c[i] = 1.0 if half(a[i]) == None else 2.0\n",
    "true": "for i in range(n):\n    t = half(a[i])\n    c[i] = 1.0 if t else 2.0\n",
    "put into an array": "for i in range(n):\n    c[i] = half(a[i])\n",
    "put into a list": "for i in range(n):\n    x[i] = half(x[i])\n",
    "as an axis": "A = np.ones((n, 3))\nfor i in range(n):\n    c[i] = np.sum(A[i], axis=None)\n",
}


@pytest.fixture(autouse=True)
def texts(monkeypatch):
    """Programs have no file; where a console keeps their lines, helpers are found there."""

    def keep(source):
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, FILE, (len(source), None, lines, FILE))
        return same(source)

    return keep


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, texts):
    loops = texts(HEAD + "k = 3\n" + TAKEN[title])
    assert "compiled" in loops.values(), loops


@pytest.mark.parametrize("title", RAISING)
def test_raises_where_python_does(title, texts):
    body, error = RAISING[title]
    source = HEAD + "for i in range(n):\n" + body
    texts(source)
    found = plain(source).error
    assert found is not None
    assert found[0] is error


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title, texts):
    texts(HEAD + LEFT[title])


def test_a_branch_does_not_see_the_types_of_the_other(texts):
    loops = texts(
        HEAD
        + """
def f(i):
    p, q, r = 0.25, None, None
    for j in range(3):
        q = first(a[i]) if p > 0.5 else a[i]
        if p > 0.5:
            q = i
        else:
            if r is not None:
                c[i] += r
            p = 1.5
            r = q
        q = half(a[i])
    return r
r = [f(i) for i in range(n)]
"""
    )
    assert "compiled" in loops.values()


def test_a_copy_is_what_was_copied(texts):
    loops = texts(
        HEAD
        + """
def f(v, w):
    old = v
    v = v + w
    w = old
    return v - w * 0.5, old, w
def g(v):
    p = f(v, 1.0)
    q = p
    p = f(q[0], q[1])
    return p[0] * q[0] + q[2] - p[1]
for i in range(n):
    c[i] = g(a[i]) + g(2.0)
s = 0.0
for i in range(n):
    t = s
    for j in range(3):
        u = t
        t = s + x[i] * j
        s = u + 1.0
    c[i] += s - t
"""
    )
    assert "compiled" in loops.values()


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed, texts):
    texts(_program(random.Random(seed)))


def _program(rng: random.Random) -> str:
    """Names that are None here and there, in branches and loops."""
    names = ["p", "q", "r"]

    def value(depth: int = 0) -> str:
        ways = ["None", "a[i]", "i", "1.5", rng.choice(names), "half(a[i])", "first(a[i])"]
        if depth < 2:
            ways.append(f"({value(depth + 1)} if {test()} else {value(depth + 1)})")
        return rng.choice(ways)

    def test() -> str:
        name = rng.choice(names)
        return rng.choice(
            [
                f"{name} is None",
                f"{name} is not None",
                f"{name} is None or {name} > 0.5",
                f"{name} is not None and {name} < 1",
                "i % 3",
            ]
        )

    def block(depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(rng.randint(1, 3)):
            match rng.randrange(5 if depth < 3 else 3):
                case 0 | 1:
                    lines.append(f"{rng.choice(names)} = {value()}")
                case 2:
                    name = rng.choice(names)
                    lines += [f"if {name} is not None:", f"    c[i] += {name}"]
                case 3:
                    lines.append(f"if {test()}:")
                    lines += ["    " + line for line in block(depth + 1)]
                    lines.append("else:")
                    lines += ["    " + line for line in block(depth + 1)]
                case 4:
                    lines.append(f"for j{depth} in range(3):")
                    lines += ["    " + line for line in block(depth + 1)]
        return lines

    start = [f"{name} = {rng.choice(['None', '0.25', 'None'])}" for name in names]
    inside = "\n".join("        " + line for line in [*start, *block(0)])
    return f"{HEAD}def run():\n    for i in range(n):\n{inside}\nrun()\n"
