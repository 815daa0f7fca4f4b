"""Dictionaries that are looked up in nests: taken where their keys are few integers."""

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
f = {-2: 0.5, 0: -0.0, 1: 1.5, 2: float("nan"), -1: 2.25}
near = {k: k * k for k in range(-3, 9)}
other = {0: "zero", 1: 1.0}
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
    "inner loops": "for i in range(n):\n    for j in range(3):\n        x[i] += f[j] * f[a[i]]",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(HEAD + TAKEN[name] + "\n")
    assert loops[HEAD.count("\n") + 1 + TAKEN[name].startswith("t =")] == "compiled", loops


LEFT = {
    "no such key": "for i in range(n):\n    x[i] = few[a[i]]",
    "a key between": "near.pop(1)\nfor i in range(n):\n    x[i] = near[a[i]]",
    "below all": "for i in range(n):\n    x[i] = f[-i]",
    "above all": "for i in range(n):\n    x[i] = f[i]",
    "far away": "for i in range(n):\n    x[i] = f[i * 10**12]",
    "as in a list": "for i in range(n):\n    x[i] = few[a[i] - 2]",
    "stored": "for i in range(n):\n    few[0] = x[i]\n    x[i] = few[0] + 1",
    "new keys": "for i in range(n):\n    few[i] = x[i]",
    "asked for": "for i in range(n):\n    x[i] = few.get(i, 0.5)",
    "its length": "for i in range(n):\n    x[i] = len(few) + few[0]",
    "is it there": "for i in range(n):\n    if i in few:\n        x[i] = few[i]",
    "another one": "for i in range(2):\n    x[i] = few[i]\n    few = f",
    "its keys": "for i in few:\n    x[i] = few[i]",
    "texts in it": "for i in range(1, 2):\n    x[i] = other[i]",
    "ints and floats": "for i in range(n):\n    x[i] = mixed[a[i]]",
    "nothing in it": "for i in range(n):\n    x[i] = empty[i]",
    "texts for keys": "for i in range(n):\n    x[i] = texts[i]",
    "bools for keys": "for i in range(2):\n    x[i] = bools[i]",
    "a key far from 0": "for i in range(n):\n    x[i] = far[a[i]]",
    "a float for a key": "for i in range(n):\n    x[i] = f[a[i] / 1.0]",
    "with a factory": "for i in range(n):\n    x[i] = usual[i]",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(name: str) -> None:
    line = HEAD.count("\n") + 1 + LEFT[name].startswith("near.pop")
    assert same(HEAD + LEFT[name] + "\n")[line] != "compiled"


def test_what_has_changed_is_seen() -> None:
    code = HEAD + "for k in range(9):\n    for i in range(n):\n        x[i] += f[a[i]]\n"
    code += "    f[k % 2] = k + 0.5\n    print(x)\n"
    code += "    if k == 4:\n        f.pop(-2)\n        f[-2] = 7.0\n"
    assert same(code)[HEAD.count("\n") + 2] == "compiled"


def test_what_is_said_of_it() -> None:
    taken(HEAD + "for i in range(n):\n    few[0] = x[i]\n")
    texts = [r.refusal.text for r in journal.records() if r.refusal is not None]
    assert any("few[0] of a dict" in text for text in texts), texts
