"""Lists, comprehensions and attributes, as a distrustful reader would use them."""

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

PROGRAMS = {
    "append takes no keywords": """
y = []
try:
    for t in range(3):
        y.append(x[t], key=1)
except TypeError as error:
    message = str(error)
""",
    "map asks for a variable when it comes to the item": """
s, t = 0.0, 1.0
for k in range(3):
    for v in map(lambda p: p * t, x):
        t = t + 1
        s += v
""",
    "map comes to items that have been changed": """
s = 0.0
for k in range(3):
    for v in map(lambda p: p * 2, x):
        x[3] += v
        s += v
""",
    "filter comes to items that have been changed": """
s = 0.0
for k in range(3):
    for v, w in zip(filter(lambda p: p < 5, x), x):
        x[3] += v
        s += v * w
    for v in filter(lambda p: p < 5, map(lambda p: p + s, x)):
        if v > 4:
            continue
        x[2] += v
""",
    "zip asks for no more than it needs": """
rng = np.random.default_rng(3)
for t in range(3):
    y = [v * w for v, w in zip(map(lambda v: rng.random() * v, x), [1.0])]
z = rng.random()
""",
    "a loop that is left draws no more": """
rng = np.random.default_rng(3)
def f(v):
    return rng.random() * v
for t in range(3):
    for v in map(f, x):
        s = v + rng.random()
        if v < 0.4:
            break
z = rng.random()
""",
    "a row that is not appended": """
G = []
for i in range(6):
    row = []
    for j in range(3):
        row.append(i + j * 0.5)
    if i == 4:
        break
    G.append(row)
same = row is G[-1]
""",
    "a row that is passed over": """
G = []
for i in range(6):
    row = []
    for j in range(3):
        row.append(i + j * 0.5)
    if i >= 4:
        continue
    G.append(row)
same = row is G[-1]
""",
    "a row that is not the last": """
G = []
for i in range(6):
    row = []
    for j in range(3):
        row.append(i + j * 0.5)
    G.append(row)
    G.append([1.0, 2.0, 3.0])
same = row is G[-1], row is G[-2]
""",
    "a row of a list that nobody sees": """
def g(n):
    for t in range(2):
        G = []
        for i in range(n):
            row = []
            for j in range(3):
                row.append(i + j * 0.5)
            G.append(row)
        s = G[0][1]
    return row, s
found = g(4)
""",
    "a row of an earlier list": """
for t in range(4):
    G = []
    for i in range(6):
        if t < 2:
            row = []
            for j in range(3):
                row.append(i + j * 0.5)
            G.append(row)
""",
    "the order of new attributes": """
class P: pass
p = P()
for t in range(5):
    p.z = t * 2.0
    p.a = t + 1
order = list(p.__dict__)
""",
    "the order of new names": """
def g(n):
    for t in range(n):
        z = t * 2.0
        a = z + 1
    return list(locals())
for t in range(3):
    zz = t * 2.0
    aa = zz + 1
u = np.array(x)
z = u * 2 + 1
b = z * 2 + u
order = [name for name in globals() if name[0] != "_"], g(3)
""",
    "a nan is equal to itself in a list": """
nan = float("nan")
x[2] = nan
s = 0.0
for t in range(3):
    y = [v for v in x]
    z = [nan] * 3
    if x[t] != x[t]:
        s = x[t]
same = y == x, z == [nan] * 3, s in x, nan in y
""",
}

PROGRAMS["a number becomes an array"] = """
a, w = np.array(x), 2.5
for t in range(3):
    w += a * 2
"""

PROGRAMS["functions of what runs backwards"] = """
a = np.random.default_rng(1).random(2000) * 4
u, w = np.ones(2000), np.ones((40, 50))
def f(a, u):
    u += np.exp(a) * 2 + np.cbrt(a)
    return u
for t in range(2):
    u += np.exp(a[::-1]) * 2
    u[1:] += a[:0:-1] ** 1.3 + np.cbrt(a[1:])
    w += np.exp(a.reshape(40, 50)[:, ::-1]) + np.sqrt(w[::-1])
found = [f(a[::-1], u), f(a[::-2], u[::2]), f(np.broadcast_to(a[3], (2000,)), u), f(a, u)]
"""

PROGRAMS["rows that are shorter in each turn"] = """
for t in range(3):
    rows = [[i for i in range(2 - t)] for v in x]
for t in range(2):
    for k in range(2 - t):
        more = [[-v] * t for v in x]
"""

LISTS_OF_ATTRIBUTES = """
class P: pass
p = P()
p.h = x
for t in range(6):
    p.h = [v * 2 for v in p.h]
    p.k = [v + t for v in p.h]
same = p.h is x, p.h is p.k
"""

HEAD = """
import numpy as np
x = [1.0, 2.0, 3.0, 4.0]
"""


@pytest.mark.parametrize("title", PROGRAMS)
def test_as_python_does(title):
    assert "internal" not in same(HEAD + PROGRAMS[title]).values()


def test_lists_of_attributes_are_taken():
    assert "compiled" in same(HEAD + LISTS_OF_ATTRIBUTES).values()


def test_a_nan_that_is_only_computed_with_does_not_matter():
    text = "x[1], z = float('nan'), [0.0] * 3\n"
    text += "for t in range(3):\n    z[t] = x[t + 1] * 2.0 + x[t]\n"
    assert "compiled" in same(HEAD + text).values()
