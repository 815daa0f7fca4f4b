"""Tuples of numbers as values inside nests."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
n, m = 12, 5
x = [0.5 * i for i in range(n)]
k = [(i * 7) % n for i in range(n)]
a = np.arange(n) * 0.5
b = np.zeros(n)
A = np.arange(n * 2).reshape(n, 2) * 0.25
points = [(0.5 * i, 1.0 - i) for i in range(n)]
pairs = [(i, (i * 5) % n) for i in range(n)]
rows = [[0.5 * i, 1.0 * i] for i in range(n)]
LEFT, RIGHT = (1.0, 0.0, 2.0), (0.125, 3.0, 0.1)
def both(u, v):
    return u + v, u * v
def add(p, q):
    return (p[0] + q[0], p[1] + q[1])
def scale(p, s):
    return (p[0] * s, p[1] * s)
def dot(p, q):
    return p[0] * q[0] + p[1] * q[1]
"""

TAKEN = {
    "compared": """
count = 0
for i in range(n):
    p = (a[i], i % 3)
    if p == (a[2], 2) or (i, 1.0) == (3, 1) or (i % 2, (i, 4)) != (0, (i, i)):
        b[i] = 2
        count += p != (a[0], 0)
""",
    "what a function returns": """
for i in range(n):
    u, v = both(a[i], x[i])
    b[i] = u - v
""",
    "functions of functions": """
def rotated(p, q, t):
    c, s = math.cos(t), math.sin(t)
    u, v = both(p, q)
    return c * u - s * v, s * u + c * v
for i in range(n):
    u, v = rotated(a[i], x[i], 0.1 * i)
    b[i] = u + v * i
""",
    "several ways to return": """
def roots(p, q):
    d = p * p - q
    if d < 0:
        return 0.0, 0.0
    elif d == 0:
        return p, p
    r = math.sqrt(d)
    return p - r, p + r
for i in range(n):
    low, high = roots(a[i], x[i] + 1)
    b[i] = low * 2 + high
""",
    "a name": """
for i in range(n):
    p = (a[i], x[i], i)
    q = p
    b[i] = p[0] + q[-1] + len(p)
""",
    "vectors": """
for i in range(n):
    p = (a[i], x[i])
    q = add(p, scale(p, 2.0))
    b[i] = dot(q, add(q, p))
""",
    "a tuple in place of itself": """
for i in range(n):
    p = (a[i], x[i])
    p = (p[1], p[0])
    p = p[1] + p[0], p[0]
    b[i] = p[0] - p[1]
""",
    "one of two from before": """
for i in range(n):
    rho, u, p = LEFT if x[i] < 2.5 else RIGHT
    b[i] = rho * u + p
""",
    "one of two that are made": """
for i in range(n):
    p = (a[i], 1.0) if i % 2 else both(a[i], 2.0)
    b[i] = p[0] - p[1]
""",
    "one of both kinds": """
for i in range(n):
    p = LEFT if i % 2 else (a[i], 1.0, 2.0)
    b[i] = p[0] - p[1] + p[2]
""",
    "rows of an array": """
for i in range(n):
    u, v = A[i]
    b[i] = u * v
""",
    "rows of lists": """
for i in range(n):
    u, v = rows[i]
    s, t = points[i]
    b[i] = u * v + s * t
""",
    "columns": """
C = A.T.copy()
for i in range(n):
    u, v = C[:, i]
    b[i] = u * v
""",
    "indices": """
for t in range(n):
    i, j = pairs[t]
    b[j] = a[i] * 2
""",
    "items that are gone through": """
s = 0.0
for u, v in points:
    s += u * v
""",
    "numbered": """
for i, (u, v) in enumerate(points):
    b[i] = u * v
for i, ((u, v), w) in enumerate(zip(points, x)):
    b[i] += u * v + w
""",
    "nested": """
for i in range(n):
    (u, v), w = both(a[i], 2.0), x[i]
    p = (u, (v, w))
    r, (s, t) = p
    b[i] = r + s * t - p[1][0]
""",
    "a function that takes a row": """
def norm(p):
    u, v = p
    return u * u + v * v
for i in range(n):
    b[i] = norm(points[i]) + norm(rows[i]) + norm((a[i], 1.0))
""",
    "several arguments": """
def three(s, u, v):
    return s + u * v
for i in range(n):
    p = (a[i], 2.0)
    b[i] = three(1.0, *p) + three(0.5, *points[i])
""",
    "of ints and floats": """
for i in range(n):
    p = (i, x[i], i > 3)
    u, v, w = p
    if w:
        b[i] = u + v
""",
    "summed up": """
p = (0.0, 0.0)
for i in range(n):
    p = add(p, points[i])
""",
    "summed up in a helper": """
def total(q):
    p = (0.0, 0.0)
    for j in range(n):
        p = add(p, scale(points[j], q))
    return p
for i in range(n):
    u, v = total(a[i])
    b[i] = u - v
""",
    "left behind": """
for i in range(n):
    p = (i, a[i], x[i], (i > 3, 1.0))
    q = r = both(1, i)
""",
    "left behind by none": """
for i in range(n - n):
    p = (i, a[i])
""",
    "item by item": """
B = np.zeros((n, 2))
for i in range(n):
    p = both(a[i], 2.0)
    for c in range(2):
        B[i, c] += p[c]
    for v in p:
        b[i] += v
""",
    "shapes": """
for t in range(3):
    h, w = A.shape
    for i in range(h):
        for j in range(w):
            A[i, j] += t
""",
    "the smallest and its place": """
def least(s):
    low, at = math.inf, -1
    for j in range(n):
        if abs(x[j] - s) < low:
            low, at = abs(x[j] - s), j
    return low, at
for i in range(n):
    d, at = least(a[i] * 0.7)
    b[i] = d + at
""",
    "found in a loop": """
def found(s):
    for j in range(n):
        if x[j] > s:
            return j, x[j]
    return -1, 0.0
for i in range(n):
    at, v = found(a[i])
    b[i] = at + v
""",
    "a list of targets": """
for i in range(n):
    [u, v] = both(a[i], 1.0)
    b[i], b[0] = u, v
""",
    "stored at once": """
for i in range(n - 1):
    b[i], a[i] = both(a[i], b[i + 1])
""",
    "random": """
rng = np.random.default_rng(3)
def pair():
    return rng.random(), rng.random()
for i in range(n):
    u, v = pair()
    p = (rng.random(), v) if u < 0.5 else pair()
    b[i] = u - v + p[0] * p[1]
after = rng.random()
""",
    "arrays that are made": """
def rates(y):
    s, i, _ = y
    return np.array([-s * i, s * i - i, i])
y = np.array([0.9, 0.1, 0.0])
for t in range(5):
    y = y + 0.1 * rates(y)
    r = A[t] * 2
    u, v = r + 1
    b[t] = u * v
""",
    "one of two rows": """
for i in range(n):
    u, v = A[i] if i % 2 else rows[i]
    b[i] = u * v
""",
    "stored in rows and columns": """
C = np.zeros((2, n), np.float32)
for i in range(n):
    A[i] = both(a[i], 2)
    C[:, i] = both(a[i], x[i])
    A[i, :] = A[i, 1], i
""",
    "an attribute": """
class P: pass
o = P()
o.p = (0.5, 0.25)
def run(o):
    for i in range(n):
        o.p = add(o.p, points[i])
run(o)
last = o.p
""",
    "while": """
i = 0
p = (1.0, 1.0)
while i < n:
    u, v = both(p[0], a[i])
    b[i] = u
    p = (v, 0.5)
    i += 1
""",
}

LEFT = {
    "too few": ("for i in range(n):\n    u, v, w = both(a[i], 1.0)\n", "syntax"),
    "too few in a row": (
        """
try:
    for i in range(n):
        u, v, w = A[i]
except ValueError as error:
    said = str(error)
""",
        "sizes",
    ),
    "several lengths": (
        """
for i in range(n):
    p = (a[i], 1.0) if i % 2 else (a[i],)
    b[i] = p[0]
""",
        "syntax",
    ),
    "a number as well": (
        """
for i in range(n):
    p = (a[i], 1.0)
    b[i] = p[0]
    p = 3.0
""",
        "syntax",
    ),
    "as a whole": (
        """
for i in range(n):
    p = (a[i], 1.0)
    if p < (1.0, 1.0):
        b[i] = 2
""",
        "syntax",
    ),
    "added": ("for i in range(n):\n    p = (a[i],) + (1.0, 2.0)\n", "syntax"),
    "put into a list": ("y = [0]\nfor i in range(n):\n    y[0] = (a[i], 1.0)\n", None),
    "at a place that varies": (
        """
for i in range(n):
    p = both(a[i], 1.0)
    b[i] = p[k[i] % 2]
""",
        "syntax",
    ),
    "beyond its end": (
        """
try:
    for i in range(n):
        p = both(a[i], 1.0)
        b[i] = p[2]
except IndexError as error:
    said = str(error)
""",
        "syntax",
    ),
    "with a star": ("for i in range(n):\n    u, *v = both(a[i], 1.0)\n", "syntax"),
    "an item of it": (
        """
try:
    for i in range(n):
        p = both(a[i], 1.0)
        p[0] = 2.0
except TypeError as error:
    said = str(error)
""",
        "syntax",
    ),
    "an exception in an item that nobody reads": (
        """
try:
    for i in range(n):
        b[i] = (1 / (x[i] - 3.0), 2.0)[1]
except ZeroDivisionError as error:
    said = str(error)
""",
        "syntax",
    ),
    "an exception in an item": (
        """
p = (7.0, 7.0)
try:
    for i in range(n):
        p = (i, 1 / (x[i] - 3.0))
        b[i] = p[1]
except ZeroDivisionError as error:
    said = str(error)
""",
        "failed-inside",
    ),
    "rows that change meanwhile": (
        """
for i in range(n):
    p = rows[i] if i % 2 else rows[0]
    rows[0][0] = a[i]
    b[i] = p[0]
""",
        None,
    ),
    "a list at first": (
        """
p = [0.0, 0.0]
for i in range(n):
    p = add(p, points[i])
""",
        "syntax",
    ),
    "an array that may have another length": (
        """
try:
    for i in range(n):
        u, v = A[i] * x
        b[i] = u
except ValueError as error:
    said = str(error)
""",
        None,
    ),
    "stored into an array of another length": (
        """
try:
    for i in range(n):
        A[i] = (1.0, a[i], 2.0)
except ValueError as error:
    said = str(error)
""",
        "sizes",
    ),
    "stored into a list": ("for i in range(n):\n    rows[i] = (1.0, a[i])\n", "syntax"),
    "numbers": (
        """
try:
    for i in range(n):
        u, v = x[i]
except TypeError as error:
    said = str(error)
""",
        None,
    ),
    "what another function returns": ("for i in range(n):\n    u, v = math.modf(a[i])\n", None),
    "strings": (
        """
names = [("a", 1.0)] * n
for i in range(n):
    name, v = names[i]
    b[i] = v
""",
        None,
    ),
    "more than there are parameters": (
        """
try:
    for i in range(n):
        b[i] = dot(*LEFT)
except TypeError as error:
    said = str(error)
""",
        "syntax",
    ),
}


def in_a_function(text):
    body = "".join(f"    {line}\n" for line in text.splitlines())
    names = "n, m, x, k, a, b, A, points, pairs, rows"
    return f"{HEAD}def whole({names}):\n{body}    return locals()\nback = whole({names})\n"


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    loops = both(HEAD + TAKEN[title]).loops_after(HEAD)
    top = {line: what for line, what in loops.items() if what != "not asked"}
    assert "compiled" in top.values(), loops


@pytest.mark.parametrize("title", TAKEN)
def test_taken_in_a_function(title):
    if "def " not in TAKEN[title]:
        assert "compiled" in both(in_a_function(TAKEN[title])).loops_after(HEAD).values()


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title):
    text, reason = LEFT[title]
    loops = both(HEAD + text).loops_after(HEAD)
    assert "compiled" not in loops.values(), loops
    assert reason is None or reason in loops.values(), loops
