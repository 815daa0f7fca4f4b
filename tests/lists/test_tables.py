"""Dictionaries and sets that nests look into: taken where their keys are few integers."""

from __future__ import annotations

import pytest
from outcome import same, taken

from autopar import journal

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
import random
from collections import defaultdict
n = 12
a = np.arange(n) % 5 - 2
x = np.zeros(n)
f = {-2: 0.5, 0: -0.0, 1: 1.5, 2: float("inf"), -1: 2.25}
near = {k: k * k for k in range(-3, 9)}
other = {0: "zero", 1: 1.0}
some = {-3, 0, 4, 7}
none = set()
three = [5, 2, 2, -1]
floats = [1.0, 2.0]
rare = {2: "two", 3: [3], -1: None}
mixed = {-2: 1, -1: 2.0, 0: 1, 1: 1, 2: 1}
empty = {}
texts = {"a": 1.0}
bools = {True: 1.0, False: 2.0}
far = {k: 1.0 for k in (-2, -1, 0, 1, 2, 10**9)}
few = {0: 1.0, 1: 2.0}
usual = defaultdict(float, f)
class Holder:
    pass
h = Holder()
h.f = dict(f)
def look(d, k):
    return d[k] + 1.0
random.seed(3)
"""

TAKEN = {
    "ints and floats": "for i in range(n):\n    x[i] = mixed[a[i]]",
    "another type stored": "for i in range(2):\n    few[i] = i",
    "its keys": "for i in few:\n    x[i] = few[i]",
    "floats": "for i in range(n):\n    x[i] = f[a[i]]",
    "keys of Python's": "for i in range(-2, 3):\n    x[i] = f[i]",
    "ints": "t = 0\nfor i in range(n):\n    t += near[a[i]] * near[i % 3]",
    "within one another": "for i in range(n):\n    x[i] = f[near[near[a[i] % 2]]]",
    "of an object": "for i in range(n):\n    x[i] += h.f[a[i]]",
    "under a condition": "for i in range(n):\n    if a[i] >= 0 and few[a[i] % 2] > 1.0:\n"
    "        x[i] = few[a[i] % 2]",
    "a key that is drawn": "for i in range(n):\n    x[i] = f[int(random.random() * 3)]",
    "beside draws": "for i in range(n):\n    if a[i] <= 0 or random.random() < f[a[i]]:\n"
    "        x[i] = 1",
    "stored": "for i in range(n):\n    few[0] = x[i]\n    x[i] = few[0] + 1",
    "counted": "for i in range(n):\n    near[a[i]] += i",
    "counted below": "for i in range(n):\n    f[a[i]] += 0.5\n    x[i] = f[a[i]]",
    "of an object, stored": "for i in range(n):\n    h.f[a[i]] = h.f[a[i]] * 1.5",
    "read from one and stored in another": "for i in range(n):\n    near[a[i]] = near[i % 3] + 1\n"
    "    x[i] = f[a[i]]",
    "types of NumPy's": "for i in range(n):\n    few[a[i] % 2] = x[i]",
    "a new key among others": "for i in range(n):\n    f[a[i]] += 1.0\n    f[i * (i > 5)] = 2.0",
    "is it there": "for i in range(n):\n    if i in few:\n        x[i] = few[i]",
    "is it not": "for i in range(n):\n    if -i not in near and i < 9:\n        x[i] = 1",
    "in a set": "for i in range(-n, n):\n    if i in some:\n        x[i % n] += i",
    "in a set of nothing": "for i in range(n):\n    x[i] = 3 if i in none else 4",
    "in a frozen set": "ice = frozenset(some)\nfor i in range(n):\n    x[i] += a[i] in ice",
    "in a list": "for i in range(n):\n    if i not in three:\n        x[i] = i",
    "in a tuple": "known = 1, 7, 10**4\nfor i in range(n):\n    if i * 7 in known or i in known:\n"
    "        x[i] = i",
    "far away": "for i in range(n):\n    x[i] = (i * 10**12 in some) + 2 * (-i * 10**12 in some)",
    "keys alone": "for i in range(n):\n    if a[i] in rare and i not in rare:\n        x[i] = 1",
    "numbers of NumPy's": "known = set(a[:4])\nfor i in range(n):\n    if a[i] in known:\n"
    "        x[i] = i",
    "by a small type": "b = a.astype(np.int8)\nfor i in range(n):\n    if b[i] in near:\n"
    "        x[i] = near[b[i]]",
    "by an unsigned type": "b = a.astype(np.uint64)\nfor i in range(n):\n    if b[i] in near:\n"
    "        x[i] = 1",
    "asked for": "for i in range(n):\n    x[i] = few.get(i, 0.5)",
    "asked for of an object": "for i in range(n):\n    x[i] = h.f.get(i - 5, -1.0)\n"
    "    x[i] += h.f.get(a[i], 1.0)",
    "asked for another type": "for i in range(n):\n    x[i] = few.get(i, 0) / 2",
    "asked for and stored": "del f[2]\nfor i in range(n):\n    f[a[i]] = f.get(i, 0.0) + i\n"
    "    x[i] = f.get(a[i], 0.0)",
    "new keys": "for i in range(n):\n    few[i] = x[i]",
    "its length": "for i in range(n):\n    x[i] = len(few) + few[0]",
    "of a class that can do more": "for i in range(n):\n    x[i] = i in usual\n"
    "    x[i] += usual.get(i, 1.0)",
    "while it is there": "for i in range(n):\n    k = i - 4\n    while k in near:\n        k += 2\n"
    "    x[i] = k",
    "inner loops": "for i in range(n):\n    for j in range(3):\n        x[i] += f[j] * f[a[i]]",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(HEAD + TAKEN[name] + "\n")
    line = HEAD.count("\n") + 1 + (not TAKEN[name].startswith("for"))
    assert loops[line] == "compiled", loops


NOT_ALL = {
    "a set that grows": "for i in range(n):\n    if i % 5 not in some:\n        some.add(i % 5)\n"
    "        x[i] += 1",
    "a list that grows": "for i in range(n):\n    if i % 7 not in three:\n"
    "        three.append(i % 7)\n        x[i] += 1",
    "a dictionary that grows": "for i in range(n):\n    if i % 7 not in few:\n"
    "        few.setdefault(i % 7, 1.5)\n    x[i] += few[i % 7]",
    "another one that is called for": "def other():\n    global few\n    few = f\n    return 1\n"
    "for i in range(n):\n    x[i] = (a[i] in few) + few.get(a[i], 1.0) + other()",
    "new keys in a branch": "few[3] = 0.0\nfor i in range(n):\n    if i % 5 in few:\n"
    "        few[i % 5] += 1.0\n    else:\n        few[i % 5] = 1.0",
    "what is changed by a call": "def change(k):\n    few[k] = 3.5\n    return 1.0\n"
    "for i in range(n):\n    x[i] = few.get(i, 0.0) + change(i)",
}


@pytest.mark.parametrize("name", NOT_ALL)
def test_what_changes_on_the_way(name: str) -> None:
    """Iterations that change nothing may be taken."""
    same(HEAD + NOT_ALL[name] + "\n")


LEFT = {
    "no such key": "for i in range(n):\n    x[i] = few[a[i]]",
    "a key between": "near.pop(1)\nfor i in range(n):\n    x[i] = near[a[i]]",
    "below all": "for i in range(n):\n    x[i] = f[-i]",
    "above all": "for i in range(n):\n    x[i] = f[i]",
    "far away": "for i in range(n):\n    x[i] = f[i * 10**12]",
    "as in a list": "for i in range(n):\n    x[i] = few[a[i] - 2]",
    "another one": "for i in range(2):\n    x[i] = few[i]\n    few = f",
    "texts in it": "for i in range(1, 2):\n    x[i] = other[i]",
    "nothing in it": "for i in range(n):\n    x[i] = empty[i]",
    "texts for keys": "for i in range(n):\n    x[i] = texts[i]",
    "bools for keys": "for i in range(2):\n    x[i] = bools[i]",
    "a key far from 0": "for i in range(n):\n    x[i] = far[a[i]]",
    "a float for a key": "for i in range(n):\n    x[i] = f[a[i] / 1.0]",
    "two names": "same = f\nfor i in range(n):\n    f[a[i]] = i * 0.5\n    x[i] = same[a[i]]",
    "two names, asked": "same = f\nfor i in range(n):\n    f[a[i]] = i * 0.5\n"
    "    x[i] = same.get(i, 1.0)",
    "a list by another name": "same = three\nfor i in range(n):\n    same[i % 4] = i\n"
    "    x[i] = i in three",
    "a set that is indexed": "for i in range(n):\n    x[i] = some[i] if i in some else 1.0",
    "floats in a list": "for i in range(n):\n    x[i] = i in floats",
    "a float in a set": "for i in range(n):\n    x[i] = i / 2 in some",
    "a bool in a set": "for i in range(n):\n    x[i] = (i == 3) in some",
    "an array": "for i in range(n):\n    x[i] = i in a",
    "another one in an attribute": "for i in range(3):\n    h.f = few\n    x[i] = 2 in h.f",
    "another one, asked": "for i in range(3):\n    x[i] = h.f.get(2, 0.5)\n    h.f = few",
    "a range": "few = range(3, 8)\nfor i in range(n):\n    x[i] = i in few",
    "letters": "few = 'abc'\nfor i in range(n):\n    x[i] = 'b' in few",
    "a nan among others": (
        "f[2] = float('nan')\nfor i in range(n):\n    f[a[i]] = f.get(i, 0.0) + i"
    ),
    "asked for nothing": "for i in range(n):\n    x[i] = few.get(i) is None",
    "asked for what fails": "for i in range(n):\n    x[i] = f.get(a[i], few[i])",
    "asked a set": "for i in range(n):\n    x[i] = some.get(i, 1.0)",
    "with a factory": "for i in range(n):\n    x[i] = usual[i]",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(name: str) -> None:
    line = HEAD.count("\n") + 1 + (not LEFT[name].startswith("for"))
    assert same(HEAD + LEFT[name] + "\n")[line] != "compiled"


def test_what_has_changed_is_seen() -> None:
    code = HEAD + "for k in range(9):\n    for i in range(n):\n        x[i] += f[a[i]]\n"
    code += "    f[k % 2] = k + 0.5\n    print(x)\n"
    code += "    if k == 4:\n        f.pop(-2)\n        f[-2] = 7.0\n"
    assert same(code)[HEAD.count("\n") + 2] == "compiled"


def test_what_is_said_of_it() -> None:
    taken(
        HEAD + "for i in range(n):\n    few[0] = x[i]\n    few[i] = len(few)\n"
        "for i in range(n):\n    x[i] = few[0, 1]\n"
    )
    texts = [r.refusal.text for r in journal.records() if r.refusal is not None]
    assert any("dict few is a list of float, int" in text for text in texts), texts
    assert any("few[0, 1] of a dict" in text for text in texts), texts
