"""Lists in which Python's numbers and NumPy's stand side by side: each keeps its type."""

from __future__ import annotations

import random

import pytest
from outcome import plain, same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
n = 300
a = np.linspace(-1.0, 2.0, n)
x = [max(v, 0.0) for v in a]
y = [0.25 * i for i in range(n)]
k = [i if i % 3 else np.int64(i) for i in range(n)]
"""

TAKEN = {
    "one of both is stored": """
for i in range(n):
    y[i] = max(a[i], 0.0)
""",
    "only some are stored": """
for i in range(n):
    if i % 3 == 0:
        y[i] = a[i]
""",
    "both are read": """
s = 0.0
for i in range(n):
    s += x[i] * 0.5
    y[i] = x[i]
t = s
""",
    "a neighbour's": """
for t in range(5):
    for i in range(n - 1):
        x[i] = 0.5 * (x[i] + x[i + 1])
""",
    "a tree": """
def tree(strike, american):
    v = [max(2.0 * i - strike, 0.0) for i in range(n)]
    d = 0.0
    for step in reversed(range(n - 1)):
        price = 1.0 + step
        for j in range(step + 1):
            w = 0.5 * v[j + 1] + 0.5 * v[j]
            if american:
                w = max(w, price - strike)
            v[j] = w
            price *= 1.001
        if step == 1:
            d = v[1] - v[0]
    return v[0], d, v
r = [tree(s, b) for s in (np.float64(100.0), 90.0, np.float64(700.0)) for b in (True, False)]
""",
    "swapped": """
for t in range(7):
    for i in range(n - 1):
        if x[i] > x[i + 1]:
            x[i], x[i + 1] = x[i + 1], x[i]
""",
    "in place": """
for i in range(n):
    x[i] += i
    y[i] *= a[0]
    if i > 4:
        y[i] = 1.0
""",
    "the largest, and where": """
best, at = x[0], 0
for i in range(n):
    if x[i] > best:
        best, at = x[i], i
    last = x[i]
""",
    "ints": """
for i in range(n):
    k[i] = k[n - 1 - i]
""",
    "negative zeros and infinities": """
for i in range(n):
    y[i] = min(-0.0 * a[i], 0.0)
    x[i] = -x[i]
    if i == 7:
        x[i] = math.inf
""",
    "rows": """
A = [[0.0] * 20 for _ in range(20)]
for i in range(20):
    for j in range(20):
        A[i][j] = max(a[i + j] - 0.2, 0.0)
for i in range(1, 20):
    for j in range(20):
        A[i][j] = A[i - 1][j] * 2
""",
    "made by the loop": """
for t in range(3):
    z = [max(v * t, 0.0) for v in a]
    q = []
    for i in range(n):
        q.append(z[i] if i % 2 else 0.5)
    s = q[t] + z[t]
""",
    "made by statements": """
def run(k):
    z = [1.5] * n
    for i in range(n):
        z[i] = max(a[i], k)
        if i % 7 == 0:
            z[i] = z[i - 1] * 0.5
    return z
r = [run(v) for v in (0.5, np.float64(0.25), -1.0)]
""",
    "appended to": """
z, w = [1.5], []
def run(z, w, k):
    for i in range(n):
        s = 0
        for j in range(2, 4):
            s -= np.int64(j) * i
        z.append(s / n)
        if i % 3:
            w.append(max(a[i], k))
run(z, w, 0.5)
run(z, w, -0.5)
""",
    "through a function": """
def f(z, p):
    for i in range(1, n):
        z[i] = max(z[i - 1], p[i])
    return z[n - 1]
for t in range(4):
    r = f(y, a)
    q = f(x, y)
""",
}

LEFT = {
    "another type among them": "y[9] = 3\nfor i in range(n):\n    y[i] = max(a[i], 0.0)\n",
    "text among them": "x[9] = 'a'\nfor i in range(n):\n    y[i] = 2.0\n    y[i] = x[0]\n",
    "of another width": "for i in range(n):\n    y[i] = np.float32(i)\n",
    "too large": "k[7] = 1 << 70\nfor i in range(n):\n    k[i] = k[n - 1 - i]\n",
    "an exception midway": """
try:
    for i in range(n):
        y[i] = max(a[i], 0.0)
        x[i] = 1.0 / (x[i] - x[250])
except ZeroDivisionError as error:
    said = str(error)
""",
    "nan": """
x[4] = math.nan
x[5] = np.float64('nan')
for i in range(n):
    x[i] = x[n - 1 - i]
""",
    "two names": """
z = y
for i in range(1, n):
    y[i] = max(a[i], 0.0)
    z[i - 1] = z[i] + 1
""",
    "a tuple": """
z = tuple(x)
for i in range(n):
    y[i] = z[i]
""",
    "copied": """
for i in range(n):
    z = list(x)
    y[i] = z[i]
""",
    "large ints": """
k[3] = (1 << 62) + 5
for i in range(n):
    k[i] = k[i] + k[3]
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = same(HEAD + TAKEN[title])
    assert "compiled" in loops.values(), loops


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title):
    same(HEAD + LEFT[title])


def test_what_is_not_stored_stays_the_very_object():
    source = (
        HEAD
        + """
before = y[:]
for i in range(n):
    if i % 2:
        y[i] = max(a[i], 0.0)
unchanged = [v is w for v, w in zip(y, before)]
"""
    )
    assert "compiled" in same(source).values()
    assert plain(source).names["unchanged"][1].count((bool, "True")) == 150


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed):
    rng = random.Random(seed)
    terms = ["x[i]", "y[i]", "a[i]", "0.5", "x[i - 1]", "y[i + 1]", "x[-i]", "w", "i"]

    def value(depth=0):
        if depth > 2 or rng.random() < 0.3:
            return rng.choice(terms)
        one, other = value(depth + 1), value(depth + 1)
        return rng.choice(
            [
                f"max({one}, {other}, 0.0)",
                f"min({one}, {other} * 1.0)",
                f"({one} + {other} * 0.5)",
                f"({one} if {other} > 0.25 else 1.0 * {other})",
                f"(-{one} - 0.25)",
            ]
        )

    lines = []
    for _ in range(rng.randint(1, 4)):
        name = rng.choice(["x[i]", "y[i]", "x[i - 1]", "y[n - 1 - i]", "w"])
        lines.append(
            f"        {name} = 1.0 * {value()}"
            if rng.random() < 0.3
            else f"        {name} = {value()}"
        )
        if rng.random() < 0.4:
            lines[-1] = f"        if {value()} > 0.3:\n    {lines[-1]}"
    body = "\n".join(lines)
    same(
        f"{HEAD}def run():\n    w = 0.5\n    for i in range(1, n - 1):\n{body}\n    return w\n"
        "r = [run() for t in range(3)]\n"
    )
