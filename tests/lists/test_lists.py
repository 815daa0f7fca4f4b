"""Nests over lists of numbers: compiled where they are taken, and the same in any case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from outcome import both, same, taken

from autopar import config, journal, pipeline
from autopar.runtime.choice import weighed
from autopar.runtime.values import mirrors

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import random
import numpy as np
rng = random.Random(3)
n, m = 9, 7
x = [rng.random() - 0.5 for _ in range(n)]
y = [rng.random() for _ in range(n)]
ints = [rng.randrange(-50, 50) for _ in range(n)]
idx = [2, 0, 1, 5, -1, 3, 3, 8, 4]
flags = [v > 0 for v in x]
odd = [math.nan, -0.0, 0.0, math.inf, -math.inf, 5e-324, -1.5, 1e308, 2.0]
a = [[rng.random() for _ in range(m)] for _ in range(n)]
b = [[rng.random() - 0.5 for _ in range(m)] for _ in range(n)]
s = [[float(i * j % 5) for j in range(n)] for i in range(n)]
q = [[i * 7 - j for j in range(m)] for i in range(n)]
cube = [[[float(i + j * k) for k in range(3)] for j in range(4)] for i in range(5)]
grid = [[(i + j) % 3 == 0 for j in range(m)] for i in range(n)]
singles = [np.float32(v) for v in x]
doubles = [np.float64(v) for v in x]
longs = [np.int64(v) for v in ints]
complexes = [complex(v, -v) for v in x]
weights = tuple(y)
table = tuple([list(row) for row in a])
pairs = [tuple(row) for row in a]
A = np.array(a)
class Holder:
    pass
h = Holder()
z = ints
h.rows = [list(row) for row in b]
h.x = list(x)
h.before = [id(r) for r in a + b + s + q]
def run(*names):
    pass
"""

TAIL = """
kept = [id(r) for r in a + b + s + q] == h.before
"""

TAKEN = {
    "elements": """
for i in range(n):
    x[i] = x[i] * 2.0 + y[i]
    y[i] -= x[i] / 3
""",
    "a sum": """
total = 0.0
for v in x:
    total += v * v
""",
    "matrices": """
for i in range(n):
    for j in range(n):
        total = 0.0
        for k in range(m):
            total += a[i][k] * b[j][k]
        s[i][j] = total
""",
    "lengths": """
count = 0
for i in range(len(a)):
    for j in range(len(a[0])):
        count += len(a[i])
        a[i][j] += b[i][j]
""",
    "rows": """
total = 0.0
for row in a:
    for v in row:
        total += v
""",
    "rows that are changed": """
for i in range(n):
    row = a[i]
    other = b[n - 1 - i]
    for j in range(len(row)):
        row[j] = row[j] + 1.0
        other[j] -= row[j]
    row[-1] *= 2.0
""",
    "numbered": """
for i, row in enumerate(q):
    for j, (v, w) in enumerate(zip(row, a[i])):
        a[i][j] = v + w
""",
    "pairs": """
best = -1.0
for p, r, k in zip(x, y, ints):
    if p * r > best:
        best = p * r
        where = k
""",
    "index lists": """
for j in range(n):
    y[j] = x[idx[j]]
for j in range(n):
    x[idx[j]] += 1.0
    ints[idx[j]] -= j
""",
    "negative": """
for i in range(1, n + 1):
    x[-i] = x[-i] + y[i - 1]
    a[-1][-1] += x[-i]
""",
    "swaps": """
for i in range(n // 2):
    x[i], x[-1 - i] = x[-1 - i], x[i]
    ints[i], ints[i + 1] = ints[i + 1], ints[i]
for i in range(n):
    for j in range(i):
        s[i][j], s[j][i] = s[j][i], s[i][j]
""",
    "names that are swapped": """
u, new = list(x), list(y)
first = u
for t in range(5):
    for i in range(1, n - 1):
        new[i] = 0.5 * (u[i - 1] + u[i + 1])
    u, new = new, u
own = new is first
""",
    "a row afterwards": """
for i in range(n):
    row = a[i]
    row[0] = float(i)
own = row is a[-1]
row[1] = 77.0
""",
    "a recurrence": """
for i in range(1, n):
    x[i] = 0.5 * x[i - 1] + y[i]
    ints[i] += ints[i - 1] // 2 % 7
""",
    "shortest ways": """
for k in range(n):
    for i in range(n):
        for j in range(n):
            if s[i][k] + s[k][j] < s[i][j]:
                s[i][j] = s[i][k] + s[k][j]
""",
    "three deep": """
for i in range(len(cube)):
    for j in range(len(cube[i])):
        for k in range(len(cube[i][j])):
            cube[i][j][k] = cube[i][j][k] * 0.5 - j
""",
    "bools": """
for i in range(n):
    if flags[i]:
        flags[i] = x[i] > 0.1
    for j in range(m):
        grid[i][j] = not grid[i][j]
count = 0
for row in grid:
    for f in row:
        if f:
            count += 1
""",
    "bools again and again": """
F = np.array(flags)
for i in range(n):
    for j in range(m):
        for k in range(3):
            flags[i] = flags[i]
            F[i] = F[i]
""",
    "whole numbers": """
for i in range(n):
    for j in range(m):
        q[i][j] = q[i][j] ** 2 // 3 - (q[i][j] << 2) + (q[i][j] & 5)
    ints[i] = -ints[i] % 7
""",
    "not numbers, zeros and infinities": """
for i in range(n):
    x[i] = odd[i] - odd[i]
    y[i] = odd[i] * 1.0 + -0.0
""",
    "Python's arithmetic": """
for i in range(n):
    x[i] = x[i] % 0.3 + x[i] // 0.3 - abs(x[i]) ** 1.5 + math.sqrt(y[i])
    y[i] = float(ints[i]) / 7 + round(y[i] * 10)
""",
    "NumPy's numbers": """
for i in range(n):
    doubles[i] = doubles[i] * 2 + x[i]
    longs[i] = longs[i] * 3
    singles[i] = singles[i] * np.float32(0.1)
""",
    "complex numbers": """
for i in range(n):
    complexes[i] = complexes[i] * (1 + 2j) - x[i]
""",
    "tuples": """
for i in range(n):
    x[i] += weights[i]
    for j in range(m):
        a[i][j] = pairs[i][j] + 1.0
        table[i][j] = a[i][j] * 2.0
total = 0.0
for w in weights:
    total += w
""",
    "attributes": """
for i in range(n):
    h.x[i] += 1.0
    for j in range(m):
        h.rows[i][j] = h.rows[i][j] + h.x[i]
""",
    "arrays beside lists": """
for i in range(n):
    for j in range(m):
        A[i, j] = A[i, j] + a[i][j] * x[i]
    x[i] = float(A[i, 0])
""",
    "one list, two names": """
z = x
for i in range(1, n):
    x[i] = z[i - 1] + 1.0
""",
    "rows that are only read": """
r = a[2]
same = [r] * 3
total = 0.0
for i in range(3):
    for j in range(m):
        total += same[i][j] + r[j] + a[i][j]
""",
    "helpers": """
def mean(left, right):
    return (left + right) / 2
def at(v, k):
    return v[k] + 1.0
for i in range(n):
    x[i] = mean(x[i], y[i]) + at(y, i)
""",
    "left early": """
for i in range(n):
    if x[i] > 0.2:
        found = i
        break
    x[i] = 0.0
""",
    "one element": """
one = [1.5]
deep = [[2]]
for i in range(3):
    one[0] *= 2.0
    deep[0][0] += i
""",
    "conditions": """
for i in range(n):
    if x[i] and not flags[i]:
        x[i] = y[i] if y[i] > x[i] else x[i]
    elif ints[i]:
        x[i] = min(x[i], y[i], 0.25)
""",
    "ints that become floats": """
c = [[0] * n for _ in range(n)]
d = [[0] * n for _ in range(n)]
e = [7] * n
g = [0] * n
for i in range(n):
    halves = [v / 2 for v in x]
    g[i] = halves[i] + b[i][0]
for i in range(n):
    for j in range(n):
        for k in range(m):
            c[i][j] += a[i][k] * (0.0 if j == 2 else b[j][k])
for i in range(n):
    for j in range(i):
        d[i][j] = abs(x[i] - x[j]) - abs(x[i] - x[j])
        d[j][i] = -0.0
for i in range(n):
    if e[i] > x[i] and i % 2:
        e[i] = e[i] * x[i] - 7.0
""",
    "large numbers": """
large = [2**63 - 1, -2**63 + 1, 2**62, 0]
for i in range(4):
    large[i] = large[i] // 2
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    found = both(HEAD + TAKEN[name] + TAIL).loops_after(HEAD)
    assert set(found.values()) == {"compiled"}, found


REFUSED = {
    "a slice": ("x[1:3][0] = 1.0", "x[1:3]"),
    "two subscripts at once": ("t = a[i, 0]", "a[i, 0] of a list"),
    "two at once, of a row": ("r = cube[0]\n    t = r[i, 0]", "r[i, 0] of a list"),
    "a tuple of one": ("t = x[i,]", "of a list"),
    "writing two at once": ("a[i, 0] = 1.0", "a[i, 0] of a list"),
    "a row to another": ("a[i] = b[i]", "a list in another list"),
    "a number for a row": ("a[i] = 1.0", "a list in another list"),
    "a sum of lists": ("t = x + y\n    u = t[0]", "x, a list as a whole"),
    "a list repeated": ("t = x * 2\n    u = t[0]", "x, a list as a whole"),
    "a list compared": ("t = x == y\n    u = x[i]", "x, a list as a whole"),
    "a list longer": ("x += y\n    u = x[0]", "a list as a whole"),
    "a list as a condition": ("if x:\n        u = x[i]", "x, a list as a whole"),
    "a row as a condition": ("if a[i]:\n        u = x[i]", "a[i], a list as a whole"),
    "a row plus one": ("t = a[i] + 1", "a[i], a list as a whole"),
    "a function of a list": ("t = np.sin(x)\n    u = x[i]", "x, a list as a whole"),
    "a sum by NumPy": ("t = np.sum(x) + x[i]", "x, a list as a whole"),
    "the largest row": ("t = max(a)[0] + x[i]", ""),
    "a shape": ("t = x[i] + a.shape[0]", "a.shape"),
    "a row's shape": ("r = a[i]\n    t = r.shape[0]", "a list as a whole"),
    "a size": ("t = x[i] + x.size", ".size of list"),
    "turned": ("t = x[i] + a.T[0, 0]", ".T of list"),
    "a method": ("t = x[i] + x.sum()", ".sum of list"),
    "a copy": ("t = x.copy()\n    u = t[0]", ".copy of list"),
    "a bool in a list of floats": ("x[i] = x[i] > 0", "x holds float, bool is stored"),
    "three types": ("x[i] = i\n    x[0] = np.float64(x[0])", "x holds float, "),
    "a bool in a list of ints": ("ints[i] = x[i] > 0", "ints holds int, bool is stored"),
    "both alone": ("ints[i] = x[i] + -ints[i]", "-ints[i]"),
    "two that may be": ("ints[i] = x[i] + ints[i] * idx[i]\n    idx[i] = 0.5", "float|int"),
    "under two names": ("ints[i] = x[i] + z[i]", "z holds int, float is stored"),
    "a tuple's element": ("weights[i] = 1.0", "read-only"),
    "a tuple's row": ("pairs[i][0] = 1.0", "read-only"),
    "a bool as a subscript": ("t = x[flags[i]]", "flags[i]"),
    "a row by a bool": ("r = a[flags[i]]\n    t = r[0]", "place"),
    "a float as a subscript": ("t = x[y[i]]", ": y[i]"),
    "too deep": ("t = x[i][0]", "dimension"),
    "a list by a list": ("t = x[idx]\n    u = idx[0]", "idx, a list as a whole"),
    "an array by a list": ("t = A[idx]\n    u = idx[0] + t[0, 0]", "idx, a list as a whole"),
    "a list by an array": ("t = x[np.array(idx)[i]]", "idx, a list as a whole"),
    "a list in an array": ("A[i] = a[i]", "a[i], a list as a whole"),
    "another list": ("x = y\n    x[0] = 1.0", "x"),
}


def said() -> list[str]:
    """What is said of the loops of the last program that was run."""
    return [r.refusal.text for r in journal.records() if r.refusal is not None]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    statement, why = REFUSED[name]
    code = f"{HEAD}for i in range(3):\n    {statement}\n{TAIL}"
    loops = same(code)
    assert loops[HEAD.count("\n") + 1] != "compiled"
    assert any(why in text for text in said()), said()


VALUES = {
    "floats and bools": ("[1.0, True, 3.0]", "z holds bool and float"),
    "an int that a float would round": ("[1.0, 2**53 + 1]", "may exceed 64 bits: z"),
    "ints and bools": ("[1, 2, True]", "z holds bool and int"),
    "None among floats": ("[1.0, None, 2.0]", "z holds NoneType and float"),
    "texts": ("['a', 'bcd', 'c']", "z is, or holds, other texts"),
    "large": ("[1, 2**63, 3]", "integers here may exceed 64 bits: z"),
    "just too large": ("[1, -2**63, 3]", "integers here may exceed 64 bits: z"),
    "a subclass of float": ("[1.0, Real(2.0), 3.0]", "z holds float and user.Real"),
    "a first one of a subclass": ("[Real(1.0), 2.0, 3.0]", "z is a list of user.Real"),
    "a subclass of list": ("Many([1.0, 2.0, 3.0])", "z is user.Many"),
    "nothing": ("[]", "empty list"),
    "fractions": ("[Fraction(1, 3)] * 3", "z is a list of fractions.Fraction"),
}


@pytest.mark.parametrize("name", VALUES)
def test_other_lists(name: str) -> None:
    made, why = VALUES[name]
    code = f"""{HEAD}
from fractions import Fraction
class Real(float):
    pass
class Many(list):
    pass
z = {made}
for i in range(len(z)):
    t = z[i]
z, t = repr(z), None
"""
    same(code)
    assert any(why in text for text in said()), said()


MATRICES = {
    "ragged": ("[[1.0, 2.0], [3.0]]", "z holds lists that are not alike"),
    "ragged and deeper": ("[[[1.0]], [[2.0], [3.0]]]", "z holds lists that are not alike"),
    "a number among lists": ("[[1.0], 2.0]", "z holds lists that are not alike"),
    "a tuple among lists": ("[[1.0], (2.0,)]", "z holds lists that are not alike"),
    "a subclass among lists": ("[[1.0], Many([2.0])]", "z holds lists that are not alike"),
    "an array among lists": ("[[1.0], np.array([2.0])]", "z holds lists that are not alike"),
    "mixed": ("[[1.0], [True]]", "z holds bool and float"),
    "an empty one": ("[[], []]", "z is, or holds, an empty list"),
    "itself": ("circle", "list of list"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_other_lists_of_lists(name: str) -> None:
    made, why = MATRICES[name]
    code = f"""{HEAD}
class Many(list):
    pass
circle = [1.0]
circle[0] = circle
z = {made}
def read(z):
    for i in range(2):
        t = z[i][0]
try:
    read(z)
except Exception as error:
    z = circle = repr(error)
else:
    z = circle = None
"""
    same(code)
    assert any(why in text for text in said()), said()


SHARED = {
    "rows that are one": "z = [[0.0] * 3] * 3",
    "a row and its matrix": "z = [[0.0] * 3 for _ in range(3)]\nr = z[1]",
    "two matrices with a row": "z = [[0.0] * 3 for _ in range(3)]\nr = [z[2][:], z[0], z[1]][1]",
}


@pytest.mark.parametrize("name", SHARED)
def test_what_is_written_is_in_one_array_only(name: str) -> None:
    code = f"""
{SHARED[name]}
if "r" not in globals():
    r = [1.0, 2.0, 3.0]
for i in range(3):
    for j in range(3):
        z[i][j] = z[i][j] * 2.0 + r[j] + i
"""
    same(code)
    texts = said()
    assert any("the same list in it twice" in t or "have a list in common" in t for t in texts)


FAILING = {
    "an index": "x[i + 5] = 1.0",
    "a division": "x[i] = 1.0 / (x[i] - x[i])",
    "a remainder": "ints[i] = ints[i] % (ints[i] - ints[i])",
    "an overflow to large": "ints[i] = ints[i] * 2**40 * 2**30",
    "a row too few": "a[i + 5][0] = 2.0",
    "a power": "x[i] = 10.0 ** (400 + x[i])",
    "too far back": "x[-i - 7] = 0.0",
}


@pytest.mark.parametrize("name", FAILING)
def test_errors_come_from_python(name: str) -> None:
    code = f"""{HEAD}
try:
    for i in range(n):
        y[i] = 1.0
        {FAILING[name]}
except Exception as error:
    caught = repr(error)
{TAIL}"""
    same(code)


def test_elements_that_stay_are_the_same_objects() -> None:
    code = """
x = [0.5 + k for k in range(5)]
old = [id(v) for v in x]
for i in range(5):
    if i == 2:
        x[i] = 9.0
kept = [id(v) == k for v, k in zip(x, old)]
del old
"""
    assert same(code)[4] == "compiled"


@pytest.fixture
def unverified(lenient: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nests are run once, by kernels, however small they are."""
    settings = config.current()
    monkeypatch.setattr(weighed, "eager", lambda: True)
    config.use(replace(settings, verify=False))
    yield
    config.use(settings)


@pytest.mark.usefixtures("unverified")
def test_threads_have_parts_of_a_list() -> None:
    """What another thread writes elsewhere meanwhile is not overwritten."""
    code = """
import threading
z = [[0.0] * 50 for _ in range(400)]
def work(low, high):
    for i in range(low, high):
        for j in range(50):
            for k in range(400):
                z[i][j] += i * j * 0.5
threads = [threading.Thread(target=work, args=(k * 100, k * 100 + 100)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
del t, threads
"""
    for _ in range(3):
        assert same(code)[5] == "compiled"


@pytest.mark.usefixtures("unverified")
def test_a_list_may_grow_while_it_is_worked_on() -> None:
    code = """
import threading
z = [0.0] * 20000
def grow():
    for _ in range(1000):
        z.extend([1.0])
def work():
    for k in range(100):
        for i in range(20000):
            z[i] = z[i] + 1.0
t = threading.Thread(target=grow)
t.start()
work()
t.join()
work()
del t
"""
    # A list that grows while it is read is left alone; the second time nobody works on it.
    assert same(code)[8] == "compiled"


@pytest.mark.parametrize("name", ["elements", "whole numbers", "bools", "three deep", "swaps"])
def test_without_functions_of_our_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Python whose objects lie in memory in another way."""
    monkeypatch.setattr(mirrors, "_mover", lambda work, dtype, count: None)
    found = same(HEAD + TAKEN[name] + TAIL)
    assert "compiled" in found.values()
    for made, why in (("[1.0, True]", "bool and float"), ("[1, 2**80]", "64 bits")):
        taken(f"z = {made}\nfor v in z:\n    t = v\n")
        assert any(why in text for text in said())


def test_few_elements_are_moved_by_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make what moves them takes LLVM; what another process has left is taken."""
    asked: list[bool] = []
    on_disk: list[bool] = []
    plain = pipeline.mover

    def noted(work: Any, dtype: str, kept: bool = False) -> Any:
        asked.append(kept)
        return plain(work, dtype) if on_disk or not kept else None

    monkeypatch.setattr(pipeline, "mover", noted)
    monkeypatch.setattr(mirrors, "_movers", {})
    monkeypatch.setattr(mirrors, "_by_python", {})
    config.use(replace(config.current(), verify=False, fail_on_fallback=False))
    for _ in range(7):
        assert mirrors._mover("read", "int64", 9) is None
    assert asked == 3 * [True]  # after one, two and four
    on_disk.append(True)
    assert mirrors._mover("read", "int64", 9) is not None
    assert mirrors._mover("read", "int64", 9) is not None
    assert asked == 4 * [True]
    assert mirrors._mover("write", "bool", mirrors._FEW) is not None
    assert asked[4:] == [False]
    on_disk.clear()
    assert mirrors._mover("same", "float64", 9) is None
    monkeypatch.setattr(mirrors.BACKGROUND, "here", True)  # a copy leaves it to others
    assert mirrors._mover("same", "float64", 9) is not None
