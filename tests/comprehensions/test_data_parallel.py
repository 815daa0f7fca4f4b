"""Functions within functions, folds, starred lists, tuples that are gone through, ragged rows."""

from __future__ import annotations

import linecache

import pytest
from outcome import FILE, plain, taken

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import functools
from functools import reduce
from math import exp, inf, nan
import numpy as np
n, m = 14, 6
x = [0.5 * i - 2.0 for i in range(n)]
w = [1.5 - 0.25 * i for i in range(n)]
A = [[float((i * 5 + j * 3) % 7) - 2 for j in range(m)] for i in range(n)]
B = [[float((i * 3 + j) % 5) + 0.5 for j in range(m)] for i in range(n)]
R = [[float(i * j % 5) - 1.0 for j in range(1 + i % 4)] for i in range(n)]
Q = [[(i * 3 + j * j) % n for j in range(1 + i % 4)] for i in range(n)]
K = np.array([[(i * j + 1) % m for j in range(m)] for i in range(n)])
N = np.array(B)
span = range(n)
pass
"""

TAKEN = {
    "an inner function that calls itself": """
def f(u):
    def g(k):
        return 1.0 if k < 1 else k * g(k - 1)
    return [g(3) * v for v in u]
y = f(x)
""",
    "one that stores": """
def f(u):
    def g(k):
        u[0] += 1.0
        return k * 2
    return [g(v) for v in u]
y = f(list(x))
""",
    "an inner function for map": """
def rows(u, v):
    def dot(p, q):
        return sum(a * b for a, b in zip(p, q))
    return list(map(dot, u, v))
y = rows(A, B)
""",
    "an inner function with statements": """
def rows(u, v):
    def solve(p, q):
        det = p * p + 1.0
        if det > 3.0:
            det -= q
        return (p + q) / det
    return [[solve(a, b) for a, b in zip(p, q)] for p, q in zip(u, v)]
y = rows(A, B)
""",
    "a named lambda that reads a variable": """
def apart(u, v, scale):
    near = lambda a, b: exp(-scale * (a - b) ** 2)
    return sum(near(a, b) for a, b in zip(u, v)) / len(u)
s = apart(x, w, 0.125)
""",
    "a name that an inner function has too": """
def twice(u):
    a = 3.0
    def f(b):
        a = b * 2
        return a + 1
    return [f(v) + a for v in u]
y = twice(x)
""",
    "reduce from an int": """
def total(u):
    return reduce(lambda a, b: a * 0.5 + b, u, 0) + 0
s = total(x)
""",
    "reduce without a beginning": """
def total(u):
    return functools.reduce(lambda a, b: a + b * b, u) + 0
s = total(x)
""",
    "reduce of lists": """
def product(values, columns, u):
    return reduce(
        lambda y, both: [t + v * u[j] for t, v, j in zip(y, *both)],
        zip(values, columns),
        [0.0] * len(u),
    )
y = product(N, K, x[:m])
z = product(N.tolist(), K.tolist(), x[:m])
""",
    "a key": """
def best(u, v):
    return min(range(len(u)), key=lambda i: abs(u[i] - v[i])) + 0
def most(u):
    return max(u, key=lambda a: -a * a) + 0
k, s = best(x, w), most(x)
""",
    "a key of what was chosen": """
def first(u, v):
    low = [i for i in span if u[i] > -1.0]
    return min(low, key=lambda i: v[i]) + 0
k = first(x, w)
""",
    "neighbours": """
def apart(u):
    return [b - a for a, b in zip(u, u[1:])]
y = apart(x)
""",
    "starred lists": """
def smooth(u):
    return [a + b * 2 + c for a, b, c in zip([0.0, *u[:-1]], u, [*u[1:], 0.0])]
y = smooth(x)
""",
    "starred lists of lists": """
def around(u):
    outside = [0.0] * len(u[0])
    return [
        [p + q + r for p, q, r in zip(north, south, [*row[1:], 0.5])]
        for north, row, south in zip([outside, *u[:-1]], u, [*u[1:], outside])
    ]
y = around(A)
""",
    "a tuple of rows": """
def both(u, v):
    return [[a * b - c for a, b, c in zip(*rows, rows[1])] for rows in zip(u, v)]
y = both(A, B)
""",
    "pairs": """
def halves(u, v):
    def solve(a, b):
        det = a * a + b * b + 1.0
        return a / det, b / det
    solved = [list(map(solve, *rows)) for rows in zip(u, v)]
    return [[a for a, _ in row] for row in solved], [[b for _, b in row] for row in solved]
for t in range(3):
    y, z = halves(A, B)
""",
    "until it converges": """
def halved(u, v):
    return [[a * 0.5 + b * 0.01 for a, b in zip(p, q)] for p, q in zip(u, v)]
def largest(u):
    return max(max(map(abs, row)) for row in u)
def run(u, v):
    u1 = u2 = u
    steps = 0
    while steps < 9 and largest(u1) > 0.6:
        u1, u2 = halved(u1, v), halved(u2, u1)
        steps += 1
    return u1, u2, steps
y, z, steps = run(A, B)
none = run(A, B)[0] is A, run([[0.1]], [[0.2]])
""",
    "a range with a name": """
for t in range(3):
    y = [x[i] * t for i in span if x[i] > 0]
    s = sum(w[i] for i in span)
""",
    "ragged rows": """
def product(values, columns, u):
    return [sum(v * u[j] for v, j in zip(vs, js)) for vs, js in zip(values, columns)]
for t in range(3):
    y = product(R, Q, x)
    x = y
""",
    "ragged rows by number": """
def sums(u):
    y = [0.0] * len(u)
    for i in range(len(u)):
        s = 0.0
        for k in range(len(u[i])):
            s += u[i][k] * k
        y[i] = s
    return y
y = sums(R)
""",
    "ragged rows that are counted": """
def sizes(u):
    found = []
    for row in u:
        t = 0
        for k, v in enumerate(row):
            t += k * len(row) + (row[k] > 0)
        found.append(t)
    return found
y = sizes(R)
""",
    "an int among sums of ints": """
for t in range(3):
    y = [sum(v * v for v in row) for row in Q]
""",
    "squares": """
for t in range(3):
    y = [v ** 2 + v ** 2.0 for v in x]
""",
}

LEFT = {
    "one that is seen": """
def f(u):
    def g(k):
        return k * 2
    return [g(v) for v in u] + [g]
y = f(x)[:-1]
""",
    "one with too many arguments": """
def f(u):
    def g(k):
        return k * 2
    try:
        return [g(v, v) for v in u]
    except TypeError as error:
        return str(error)
y = f(x)
""",
    "reduce of nothing": """
def f(u):
    try:
        return reduce(lambda a, b: a + b, u) + 0
    except TypeError as error:
        return str(error)
y = f([])
z = reduce(lambda a, b: a + b, [], 7)
""",
    "another reduce": """
def reduce(f, u, s=0):
    return -1.0
def g(u):
    return reduce(lambda a, b: a + b, u, 0) + 0
y = g(x)
""",
    "a key of nothing": """
def f(u):
    try:
        return min([v for v in u if v > 1e9], key=lambda v: -v) + 0
    except ValueError as error:
        return str(error)
y = f(x)
""",
    "a key that raises": """
def f(u):
    try:
        return max(u, key=lambda v: 1.0 / (v - 1.0)) + 0
    except ZeroDivisionError as error:
        return str(error)
y = f(x)
""",
    "a key that prints": """
def shown(v):
    print(v)
    return v
k = max(x, key=shown)
""",
    "an empty ragged row of floats": """
def f(u):
    return [sum(v for v in row) for row in u]
y = f([[1.0, 2.0], [], [3.0]])
z = f([[], [1.0]])
""",
    "bools among ragged floats": """
def f(u):
    return [sum(v for v in row) for row in u]
y = f([[1.0, 2.0], [True], [4.0, 5.0, 6.0]])
""",
    "beyond a ragged row": """
def f(u):
    s = 0.0
    for k in range(3):
        for i in range(len(u)):
            s += u[i][k]
    return s
try:
    s = f(R)
except IndexError as error:
    s = str(error)
""",
    "something else among ragged rows": """
class Row(list):
    def __iter__(self):
        return iter([100.0])
def f(u):
    return [sum(v for v in row) for row in u]
y = f([[1.0, 2.0], Row([3.0]), [4.0]])
z = f([[1.0, 2.0], range(3), [4.0]])
""",
    "a sequence of the user's": """
class Down:
    def __init__(self):
        self.asked = 0
    def __iter__(self):
        self.asked += 1
        return iter([3.0, 2.0])
d = Down()
y = [v * 2 for v in d]
s = reduce(lambda a, b: a + b, d, 0.0)
t = max(d, key=lambda v: -v)
""",
    "a list of a class of its own": """
class Own(list):
    def __getitem__(self, k):
        return 7.0
    def __iter__(self):
        return iter([5.0, 6.0])
y = [v * 2 for v in Own(x)]
s = reduce(lambda a, b: a + b, Own(x), 0.0)
z = [a + b for a, b in zip(Own(x), Own(x)[1:] if False else x)]
""",
    "a text": """
s = reduce(lambda a, b: a + b, "abc", "")
k = max("abc", key=lambda c: -ord(c))
""",
    "a dictionary": """
d = {0: 5.0, 1: 7.0, 2: 1.0}
def f(d):
    return reduce(lambda a, b: a + b, d, 0) + sum(k for k in d)
s = f(d)
""",
    "what is drawn in turn": """
import random
random.seed(3)
def f(u):
    return [random.random() + v for v in map(lambda a: a * random.random(), u)]
y = f(x)
z = random.random()
""",
}

BOTH_WAYS = {
    "an inner function with a default": """
def f(u):
    def g(k, s=2.0):
        return k * s
    return [g(v) for v in u]
y = f(x)
""",
    "a decorated one": """
calls = []
def noted(g):
    calls.append(1)
    return g
def f(u):
    @noted
    def g(k):
        return k * 2
    return [g(v) for v in u]
y = f(x)
""",
    "one that is another function later": """
def f(u):
    def g(k):
        return k * 2
    y = [g(v) for v in u]
    def g(k):
        return k * 3
    return [g(v) + z for v, z in zip(u, y)]
y = f(x)
""",
    "ragged rows that are kept": """
kept = []
for row in R:
    s = 0.0
    for v in row:
        s += v
    kept.append(row)
same = kept[3] is R[3]
""",
    "a row that is written under another name": """
def f(u, first):
    s = 0.0
    for row in u:
        for v in row:
            s += v
            first[0] = s
    return s
s = f(R, R[0])
""",
    "ragged rows that are written": """
def f(u):
    for row in u:
        for k in range(len(row)):
            row[k] = row[k] * 2
f(R)
""",
    "nan, infinities and zeros": """
def f(u):
    return min(u, key=lambda v: v), max(u, key=lambda v: v), [v ** 2 for v in u]
odd = [1.0, -0.0, 0.0, nan, inf, -inf, 1e200, 5e-324, -1e-170]
y = [f(odd[k:] + odd[:k]) for k in range(len(odd))]
def g(u):
    return reduce(lambda a, b: a if a > b else b, u)
z = [g(odd[k:] + odd[:k]) for k in range(len(odd))]
""",
    "large integers": """
def f(u):
    return reduce(lambda a, b: a * 3 + b, u, 1) + 0
y = [f([2 ** k] * 40) for k in (1, 31, 53, 62)]
def g(u):
    return [sum(v for v in row) for row in u]
z = g([[2 ** 62, 2 ** 62, 1], [3]]), g([[2 ** 63], [1, 2]])
""",
    "types of a fold": """
def f(u):
    return reduce(lambda a, b: a + b, u, 0)
y = f([1, 2]), f([1.0, 2.0]), f([True, False]), f([np.float64(1.0), np.float64(2)]), f([])
""",
    "of several lengths": """
def f(u, v):
    return [a + b for a, b in zip(u[1:], v[:-1])]
y = [f(x[:i], w[:j]) for i in range(4) for j in range(4)]
def g(u):
    return [a + b for a, b in zip([0.0, *u[:-2]], [*u[2:], 1.0])]
z = [g(x[:i]) for i in range(5)]
""",
    "in the middle of an exception": """
seen = []
def f(u, y):
    for i in range(len(u)):
        y[i] = sum(1.0 / v for v in u[i])
try:
    y = [0.0] * n
    f([[1.0], [2.0, 4.0], [1.0, 0.0], [3.0]], y)
except ZeroDivisionError as error:
    seen.append(str(error))
""",
    "any and all end early": """
def f(u):
    return any(1.0 / v < 0 for v in u), all(1.0 / v > 0 for v in u)
y = f([1.0, -1.0, 0.0])
try:
    z = f([1.0, 2.0, 0.0, -1.0])
except ZeroDivisionError as error:
    z = str(error)
""",
    "names that stay": """
row = v = 5
y = [sum(v for v in row) for row in A]
z = reduce(lambda row, v: row + v, x, 0.0)
k = min(range(3), key=lambda v: -v)
""",
    "ranges": """
def f(r, u):
    return [u[i] for i in r], [i * 0.5 for i in r]
y = [f(r, x) for r in (range(5), range(9, 2, -3), range(0), range(-3, 0), range(2, 3))]
r = range(2**62, 2**62 + 3)
z = [i for i in r]
back = r
""",
}


@pytest.fixture
def both(monkeypatch):
    """What became of loops and runs, once it is clear that both ways come to the same."""

    def compared(source):
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, FILE, (len(source), None, lines, FILE))
        wanted, found = plain(source), taken(source)
        assert found == wanted
        first = HEAD.count("\n")
        became = {**found.runs, **found.loops}
        return {line: how for line, how in became.items() if line > first}

    return compared


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, both):
    became = both(HEAD + TAKEN[title])
    assert "compiled" in became.values(), became


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title, both):
    became = both(HEAD + LEFT[title])
    assert "compiled" not in became.values(), became


@pytest.mark.parametrize("title", BOTH_WAYS)
def test_the_same_whoever_runs_it(title, both):
    both(HEAD + BOTH_WAYS[title])
