"""Texts whose characters are compared."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
a = "ACGTACGTTAGGC\\u00c4\\U0001f600\\ud800" * 4
b = "TTACGGACTA\\u00c4\\U0001f600C" * 3
n, m = len(a), len(b)
u = np.zeros(200)
"""

TAKEN = {
    "the longest common part": """
d = np.zeros((n + 1, m + 1), dtype=int)
for i in range(1, n + 1):
    for j in range(1, m + 1):
        if a[i - 1] == b[j - 1]:
            d[i, j] = d[i - 1, j - 1] + 1
        else:
            d[i, j] = max(d[i - 1, j], d[i, j - 1])
""",
    "edits": """
def edits(a, b):
    d = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        d[i][0] = i
    for j in range(len(b) + 1):
        d[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)
    return d[-1][-1]
k = edits(a, b), edits(b, a), edits(a, "A"), edits("", b), edits(a, a)
""",
    "counted": """
def score(x, y):
    return 2 if x == y else -1
c = g = 0
for i in range(n):
    if a[i] == "A":
        c += 1
    elif a[i] in ("G", "C", "\\u00c4"):
        g += 1
    x, y, z = a[i] != "T", a[i] == "", "GC" == a[i]
    w = a[i] == a[-1 - i]
for i in range(m):
    same = a[i] == b[i]
    u[i] = 1.0 if a[i] != b[m - 1 - i] else 0.5
""",
    "left early": """
def turned(a):
    for i in range(len(a) // 2):
        if a[i] != a[len(a) - 1 - i]:
            return False
    return True
k = turned(a), turned("abccba" * 9), turned("abcba")
""",
}

NAMED = {
    "characters with a name": """
def f(a, b, n, m):
    c = 0
    for i in range(n):
        x = a[i]
        for j in range(m):
            y = b[j]
            if x == y:
                c += i - j
            elif y != "C" and x == "A":
                c += 1
    return c
k = f(a, b, n, m)
""",
    "items of texts": """
def f(a, b, n, m):
    c = d = e = 0
    for i, x in enumerate(a):
        for j, y in enumerate(b, 1):
            if x == y:
                c += i - j
    for x in a:
        for y in b:
            d += x != y
    for x, y in zip(a, b):
        if x == y or x == "\u00c4" or "" == y:
            e += 1
    return c, d, e
k = f(a, b, n, m)
""",
    "handed to functions": """
def score(x, y, same=5):
    if x == y:
        return same
    if x == "G" and y == "C":
        return 1
    return -4 if y != "\U0001f600" else -9
def f(a, b, n, m):
    d = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            gap = max(d[i - 1, j], d[i, j - 1]) - 3
            d[i, j] = max(d[i - 1, j - 1] + score(a[i - 1], b[j - 1]), gap)
    c = 0
    for x in a:
        c += score(x, "A") + score("T", x, same=2)
    return c, d.tolist()
k = f(a, b, n, m)
""",
    "one of several": """
def f(a, b, n, m):
    c = 0
    for i in range(1, n):
        x = a[i]
        if a[i - 1] == "T":
            x = a[0]
        elif x == "G":
            x = a[1 - i]
        z = x
        c += i * (z == "\u00c4") + (z == a[i - 1])
        if x in ("A", "C"):
            c -= 1
    return c
k = f(a, b, n, m)
""",
}
NAMED |= {
    "one of a word": """
def f(a, b):
    ts = tv = c = 0
    for x, y in zip(a, b):
        if x == y:
            continue
        if (x in "AG" and y in "AG") or (x in "CT" and y in "CCT"):
            ts += 1
        else:
            tv += 1
        c = 2 * c + (y not in "\u00c4C")
    for i in range(len(a)):
        c += a[i] in "G" or b[i % len(b)] not in "AC\\ud800"
    return ts, tv, c
k = f(a, b)
""",
    "of a helper's": """
def letter(c):
    return c in "ACGT"
def f(a):
    c = 0
    for i in range(len(a)):
        if letter(a[i]) and not letter(a[i - 1]):
            c += i
    return c
k = f(a)
""",
    "their numbers": """
def f(a, b):
    h, many = 7, [0] * 128
    for c in a:
        h = (h * 31 + ord(c)) % 1000003
    for i in range(len(b)):
        x = b[i]
        if ord(x) < 128:
            many[ord(x)] += 1
        elif x not in "\u00c4":
            h += ord(b[i]) - ord(x) + ord(b[-1 - i])
    return h, many
k = f(a, b)
""",
}
TAKEN["in order"] = """
c = 0
for i in range(n):
    c += a[i] < "C"
"""
NAMED |= {
    "in their order": """
def f(a, b):
    c = d = 0
    for x, y in zip(a, b):
        if "B" <= x < "T" or y > "Ã":
            c += 1
        d = d * 2 % 1009 + (x < y) - (y <= x) + ("A" < x)
    for i in range(len(a)):
        d += a[i] >= b[i % len(b)] or "\\ud800" <= a[i]
    return c, d
k = f(a, b)
""",
    "keys of a dictionary": """
def f(a, d):
    c = 0
    for x in a:
        c += d.get(x, 0)
        if x in d:
            c += d[x] * 3
            d[x] += 1
    return c
d = {"A": 1, "Ä": 4, "C": 2}
k = f(a, d)
""",
    "new keys of a dictionary": """
from collections import Counter, defaultdict
def f(a, b):
    d, e, g = {}, defaultdict(int), Counter()
    for i, x in enumerate(a):
        d[x] = d.get(x, 0.5) + 1
        e[x] += i
        g[b[i % len(b)]] += 1
    return d, e, g
k = f(a, b)
""",
    "members of a set": """
def f(a, some):
    c = 0
    for x in a:
        c = c * 3 % 1009 + (x in some) - (x not in some)
    return c
k = f(a, {"A", "😀"}), f(a, frozenset("GT")), f(a, ["C", "A"])
""",
}
TAKEN |= NAMED

SEEN = {
    "a name that is seen later": """
c = 0
for x in a:
    c += x == "A"
k = x
""",
    "a key that is seen later": """
d, c = {"A": 1, "C": 2}, 0
for x in a:
    c += d.get(x, 0)
""",
    "kept": """
for i in range(n):
    c = a[i]
""",
    "a name of several characters": """
c = 0
for i in range(n):
    x = a[i]
    if i > 3:
        x = "AC"
    c += x == "A"
""",
    "in a branch": """
y = ""
for i in range(n):
    x = b[i % m]
    if x == "\u00c4":
        y = x
""",
    "never": """
for i in range(n):
    if i > 10**6:
        x = a[i]
    u[0] = i
try:
    x
except NameError as error:
    k = str(error)
""",
    "of a text that is empty": """
x = 5
for x in a[:0]:
    u[0] += x == "A"
""",
    "returned": """
def first(a, some):
    for x in a:
        if x in some:
            return x
    return None
k = first(a, "GC"), first(a, "\u00c4"), first(a, "\U0001f600"), first("AAA" * 9, "x")
""",
}


@pytest.mark.parametrize("title", SEEN)
def test_a_character_that_is_seen_later(title, same):
    loops = same(HEAD + SEEN[title])
    assert loops


INTERPRETED = {
    "the character before": """
c, y = 0, "A"
for x in a:
    c += x == y
    y = x
""",
    "a name for something else as well": """
c = 0
for i in range(n):
    x = a[i]
    if i == 3:
        x = 7
    c += x == "A"
""",
    "a name that is used otherwise": """
c = 0
for x in a:
    if x == "A":
        c += len(x)
""",
    "keys of several characters": """
def f(a, d):
    c = 0
    for x in a:
        c += d.get(x, 0)
    return c
k = f(a, {"A": 1, "CC": 2}), f(a, {"A": 1, 3: 2}), f(a, {"A": 1, None: 2})
""",
    "characters and numbers": """
def f(a):
    d = {}
    for i, x in enumerate(a):
        d[x] = i
        d[i] = 1
    return d
k = f(a)
""",
    "no such key": """
def f(a, d):
    c = 0
    try:
        for x in a:
            c += d[x]
    except KeyError as error:
        c = c, str(error)
    return c
k = f("ACCA" * 9, {"A": 1}), f(a, {"A": 1, "C": 3, "G": 4})
""",
    "a word in their order": """
def f(a):
    c = 0
    for x in a:
        c = 2 * c + (x < "AB") + ("" < x)
    return c
k = f(a)
""",
    "in a word with a name": """
def f(a, b):
    c = 0
    for x in a:
        c = 2 * c + (x in b)
    return c
k = f(a, "ACA")
""",
    "a character as a subscript": """
def f(a, b):
    c = 0
    for x in a:
        c += b[x]
    return c
try:
    k = f(a, [1, 2, 3])
except TypeError as error:
    k = str(error)
""",
    "numbers with a name beside words": """
c = 0
for i in range(5):
    x = u[i]
    c += x == "A"
""",
    "a word in a word": """
def f(words):
    c = 0
    for q in words:
        for i in range(5):
            c = 2 * c + (q in "ABC")
    return c
k = f(["AB", "", "B", "CA"])
""",
    "a text in a word": """
def f(q):
    c = 0
    for i in range(5):
        c = 2 * c + (q in "ABC")
    return c
k = f("AB"), f("B"), f(""), f(a)
""",
    "numbers in a word": """
try:
    c = 0
    for i in range(5):
        c += u[i] in "ABC"
except TypeError as error:
    why = str(error)
""",
    "a character in a text": """
c = 0
for i in range(n):
    c += a[i] in b
""",
    "nothing in nothing": """
c = 0
for i in range(n):
    c += a[i] in ""
""",
    "the number of what is no character": """
try:
    for i in range(5):
        k = ord(u[i])
except TypeError as error:
    why = str(error)
try:
    def f(q):
        for i in range(5):
            k = ord(q) + i
        return k
    k = f("A"), f("AB")
except TypeError as error:
    why += str(error)
""",
    "another ord": """
ord = abs
try:
    c = 0
    for i in range(n):
        c += ord(a[i])
except TypeError as error:
    why = str(error)
""",
    "parts": """
c = 0
for i in range(n - 2):
    c += a[i:i + 2] == "AC"
""",
    "beyond the end": """
try:
    c = 0
    for i in range(n + 1):
        c += a[i] == "A"
except IndexError:
    i = -1
""",
    "numbers beside words": """
c = 0
for i in range(5):
    c += u[i] == "A"
""",
    "assigned": """
try:
    for i in range(5):
        a[i] = 3
except TypeError:
    i = -1
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, same):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) <= {"compiled", "not asked"}, loops
    assert "compiled" in loops.values()


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title, same):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
