"""Comprehensions, lists that grow, and what goes through sequences item by item."""

from __future__ import annotations

import ast

import pytest
from outcome import both

from autopar.nest.text.comprehensions import without

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n, m = 12, 5
x = [0.5 * i for i in range(n)]
k = [(i * 7) % n for i in range(n)]
A = [[float(i * m + j) for j in range(m)] for i in range(n)]
a = np.arange(n) * 0.5
"""

TAKEN = {
    "a list of NumPy's numbers": """
for t in range(3):
    y = [2 * v + t for v in a]
""",
    "a list of Python's": """
for t in range(3):
    y = [2 * v + t for v in x]
""",
    "lists that are added up": """
for t in range(3):
    y = [t] + [2 * v for v in x] + [t + 1, 7] + 3 * [5]
    s = sum([1] + [len(x)] * t)
""",
    "several at once": """
for t in range(3):
    y, z, k = [], [0] * 4, t + 1
    for v in x:
        y.append(v * k)
    z[t] = k
""",
    "appended": """
y = []
for t in range(n):
    y = []
    for v in x:
        y.append(v * t)
""",
    "chosen": """
for t in range(3):
    y = [2 * v + t for v in x if v > t]
""",
    "sums of arrays and lists": """
for t in range(3):
    s = sum(v * w for v, w in zip(x, a)) + t
""",
    "a sum of products": """
for t in range(3):
    s = sum(v * w for v, w in zip(x, x)) + t
""",
    "extremes": """
for t in range(3):
    s = max(abs(v - 2) for v in x) + t
    r = min([v * v for v in x])
""",
    "any and all": """
for t in range(3):
    s = any(v > t for v in x)
    q = all(v >= 0 for row in A for v in row)
""",
    "lists of lists": """
for t in range(3):
    B = [[v * t for v in row] for row in A]
    s = B[2][1]
""",
    "rebound from itself": """
for t in range(3):
    x = [x[(i + 1) % n] * 0.5 for i in range(n)]
""",
    "a number repeated": """
for t in range(3):
    y = [0.0] * n
    for i in range(n):
        y[i] = x[i] * t
""",
    "a grid of zeros": """
for t in range(3):
    G = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            G[i][j] = A[i][j] + t
""",
    "its own last items": """
for t in range(3):
    f = [0.0, 1.0]
    for i in range(n):
        f.append(f[-1] + f[-2])
    q = len(f)
""",
    "in a helper function": """
def f(v):
    return sum([v * w for w in x])
for t in range(3):
    y = [f(v) for v in x]
""",
    "map of a lambda": """
for t in range(3):
    y = list(map(lambda p, q: p * q + t, x, a))
""",
    "lists of ints": """
for t in range(3):
    y = [i * i for i in k]
    z = [i for i in range(n) if i % 3 == t]
    c = len(z)
""",
    "taken apart": """
for t in range(2, n):
    p, q = (h * t for h in (x[t], x[t - 1]))
    [u, v, w] = (int(x[t - k] * 2.0) for k in range(3))
    a[t] = p - q + u * 100 - v * 10 + w
""",
    "several conditions": """
for t in range(3):
    y = [v + w for v in x if v > t for w in a if w < v if w > 1]
""",
    "a sum of ints without items": """
for t in range(3):
    s = sum(1 for v in x if v > 100) + sum(i for i in k if i > 100)
""",
    "sums under names of before": """
for t in range(3):
    v = t * 2.0
    s = sum(v for v in x) + v
    w = [v for v in x]
""",
    "filter and map": """
for t in range(3):
    y = list(filter(lambda v: v > t, x))
    s = sum(map(abs, x))
    z = list(map(abs, filter(lambda v: v < 3, x)))
""",
    "what is gone through is made": """
for t in range(3):
    for v in map(lambda p: p * t, x):
        a[2] += v
""",
    "rows that are appended": """
def rows(n, m, A):
    G = []
    for i in range(n):
        row = []
        for j in range(m):
            row.append(A[i][j] * 2)
        G.append(row)
    return G
G = rows(n, m, A)
""",
    "in conditions and subscripts": """
for t in range(3):
    if sum([v for v in x]) > t + x[sum(1 for v in x if v < 1)]:
        a[len([v for v in x if v > 2])] = max(v for v in x)
""",
    "a list from before the loop": """
history, grid, chosen = [], [[1.0] * m], [7]
for t in range(n):
    history.append(x[t] * 2)
    if t % 3 == 0:
        chosen.append(t)
    row = []
    for j in range(m):
        row.append(A[t][j] + t)
    grid.append(row)
same = row is grid[-1]
row[0] = 100.0
""",
    "nothing is appended": """
history = []
for t in range(n):
    if x[t] < 0:
        history.append(t)
""",
    "an attribute's list": """
class P: pass
p = P()
p.history = []
for t in range(n):
    p.history.append(x[t] * t)
""",
    "a sum from a start": """
for t in range(3):
    s = sum((v * v for v in x), 0.5)
    q = sum([i for i in k], t)
""",
    "transposed": """
for t in range(2):
    B = [[A[i][j] for i in range(n)] for j in range(m)]
    r = [B[j][t] for j in range(m)]
""",
}

LEFT = {
    "an empty maximum": (
        """
for t in range(3):
    s = max([v for v in x if v > 100])
""",
        "failed-inside",
    ),
    "an empty sum of floats": (
        """
for t in range(3):
    s = sum(v for v in x if v > 100)
""",
        "failed-inside",
    ),
    "a sum of which nobody knows the type": (
        """
for t in range(3):
    s = sum(1 if v > 2 else 0.5 for v in x) * t
""",
        "mixed-type",
    ),
    "items of several types": (
        """
for t in range(3):
    y = [v if v > 2 else v > 3 for v in x]
""",
        "mixed-type",
    ),
    "one list under two names": (
        """
first = []
second = first
for t in range(n):
    first.append(x[t])
    second.append(t * 1.0)
""",
        "not-array",
    ),
    "a list that is read as it grows": (
        """
first = [1.0]
second = first
for t in range(n):
    first.append(second[t] * 2)
""",
        "overlap",
    ),
    "something like a list": (
        """
class Mine(list):
    def append(self, item):
        list.append(self, item * 2)
def filled(first):
    for t in range(n):
        first.append(x[t])
    return list(first)
first = filled(Mine())
""",
        "not-array",
    ),
    "an exception after some items": (
        """
first = []
try:
    for t in range(n + 3):
        first.append(x[t])
except IndexError as error:
    message = str(error)
""",
        "failed-inside",
    ),
    "under a condition": (
        """
for t in range(3):
    s = sum(v for v in x) if t > 1 else 0.0
""",
        "syntax",
    ),
    "ragged": (
        """
for t in range(3):
    B = [[v for v in x[:i]] for i in range(1, n)]
""",
        None,
    ),
    "lengths that differ": (
        """
for t in range(3):
    B = [[float(j) for j in range(i)] for i in range(1, n)]
""",
        "syntax",
    ),
    "a shadowed sum": (
        """
def sum(v):
    return 3
for t in range(3):
    s = sum(v for v in x)
""",
        "shadowed",
    ),
    "a list that is given another name": (
        """
y = []
for t in range(3):
    y = [v for v in x]
    z = y
    z.append(2.0)
""",
        None,
    ),
    "a list in itself twice": (
        """
def rows(n):
    G = []
    row = [0.0] * n
    for i in range(n):
        G.append(row)
    return G
G = rows(n)
G[0][0] = 5.0
""",
        None,
    ),
    "lists as a whole": (
        """
for t in range(3):
    y = [v for v in x] + x
""",
        None,
    ),
    "a list of text": (
        """
for t in range(3):
    y = [str(v) for v in x]
""",
        "call",
    ),
    "a walrus": (
        """
for t in range(3):
    y = [(z := v) for v in x]
""",
        "syntax",
    ),
    "a set": (
        """
for t in range(3):
    y = len({v for v in k})
""",
        None,
    ),
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    assert "compiled" in both(HEAD + TAKEN[title]).loops_after(HEAD).values()


@pytest.mark.parametrize("title", TAKEN)
def test_taken_in_a_function(title):
    if "def " in TAKEN[title]:
        return
    body = "".join(f"    {line}\n" for line in TAKEN[title].splitlines())
    names = "n, m, x, k, A, a"
    source = f"{HEAD}def whole({names}):\n{body}    return locals()\nback = whole({names})\n"
    assert "compiled" in both(source).loops_after(HEAD).values()


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title):
    text, reason = LEFT[title]
    loops = both(HEAD + text).loops_after(HEAD)
    assert "compiled" not in loops.values(), loops
    assert reason is None or reason in loops.values(), loops


def written(text):
    return "\n".join(ast.unparse(node) for node in without(ast.parse(text).body))


def test_a_comprehension_is_a_loop():
    assert written("y = [v * 2 for v in x if v > 0]") == (
        "y = []\nfor <v 1> in x:\n    if <v 1> > 0:\n        y.append(<v 1> * 2)"
    )


def test_nothing_is_moved_past_a_call_that_may_draw():
    text = "u = draw() + sum((draw() for i in range(3)))"
    assert written(text) == text


def test_what_may_not_be_evaluated_stays():
    text = "u = a and sum((v for v in x)) or (sum((v for v in x)) if b else 0)"
    assert written(text) == text
