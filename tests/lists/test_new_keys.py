"""Dictionaries that get new keys: counts, sums by key, and what has been found already."""

from __future__ import annotations

import collections
import pickle
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from outcome import same

from autopar.hook.rewrite import rewrite
from autopar.runtime.stand_ins.tables import NoRoom, Tables
from autopar.runtime.values.dicts import COUNTER, FLOATS, INTS, PLAIN, gets, kind_of
from autopar.runtime.values.facts import Values

TEXT = "def f(d, n):\n    for i in range(n):\n        d[i] = i\n"
SPEC = next(
    one
    for one in rewrite(
        "def f(d, n):\n    for i in range(n):\n        d[i] = i\n", "a.py", "0"
    ).sites
    if one.nest
)


class Engine:
    """Instead of kernels."""

    def __init__(self) -> None:
        self.does: Callable[[tuple[Any, ...]], object] = len

    def call(
        self, roots: tuple[Any, ...], lent: object = None, said: object = None
    ) -> tuple[Any, ...]:
        self.does(roots)
        return ()


pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
from collections import defaultdict, Counter
n = 40
xs = [(i * i) % 11 for i in range(n)]
a = np.array(xs) - 4
x = np.linspace(0.0, 1.0, n)
d = {}
e = {}
some = {7: 3, -2: 5, 0: 1}
usual = defaultdict(int)
sums = defaultdict(float)
lists = defaultdict(list)
mine = defaultdict(lambda: 1)
counts = Counter()
class Own(dict):
    def __missing__(self, k):
        return 10 * k
class OwnCounter(Counter):
    pass
class Holder:
    pass
h = Holder()
h.d = {}
h.usual = defaultdict(int)
"""

TAKEN = {
    "ints and floats": "for v in xs:\n    d[v] = v if v > 3 else 0.5",
    "those of another one": "for k in some:\n    d[k] = 1",
    "get": "for v in xs:\n    d[v] = d.get(v, 0) + 1",
    "in": "for v in xs:\n    if v in d:\n        d[v] += 1\n    else:\n        d[v] = 1",
    "not in": "for v in xs:\n    if v not in d:\n        d[v] = 0\n    d[v] += 1",
    "a default": "for v in xs:\n    usual[v] += 1",
    "a default float": "for i in range(n):\n    sums[xs[i]] += x[i] * 0.5",
    "another number to begin with": "for v in xs:\n    usual[v] += 0.5",
    "a counter": "for v in xs:\n    counts[v] += 1",
    "a counter that is read": "s = 0\nfor v in xs:\n    counts[v] += 1 + counts[v - 1]\n"
    "    s += counts[-5]",
    "keys below 0": "for v in xs:\n    d[3 - v] = d.get(3 - v, 0) + v",
    "keys of NumPy's": "for i in range(n):\n    d[a[i]] = d.get(a[i], 0) + 1",
    "values of NumPy's": "for i in range(n):\n    d[i % 7] = x[i]",
    "some are there": "for v in xs:\n    some[v] = some.get(v, 0) + 1",
    "the first of each": "for i in range(n):\n    if xs[i] not in d:\n        d[xs[i]] = i",
    "the last of each": "for i in range(n):\n    d[xs[i]] = i",
    "two of them": "for i in range(n):\n    d[xs[i]] = i\n    e[-xs[i]] = d[xs[i]] * 0.5",
    "how many": "w = 0\nfor v in xs:\n    d[v] = 1\n    w = max(w, len(d))",
    "of an object": "for v in xs:\n    h.d[v] = h.d.get(v, 0) + 1\n    h.usual[-v] += v",
    "far away": "for v in xs:\n    d[v * 5000] = d.get(v * 5000, 0) + 1\n    usual[-v * 300] += 1",
    "known results": "d[1] = 0\nfor i in range(2, n):\n    k, c = i, 0\n    while k not in d:\n"
    "        k = k // 2 if k % 2 == 0 else 3 * k + 1\n        c += 1\n    d[i] = d[k] + c",
    "a long way": "for i in range(n):\n    for v in xs:\n        d[i * v] = d.get(i * v, 0) + v\n"
    "        if d[i * v] > 50:\n            break",
    "a default that is read": "usual[3] = 4\nfor v in xs:\n    usual[v] += usual[3]",
    "an early end": "for i in range(n):\n    d[xs[i]] = i\n    if i > 20:\n        break",
    "flags": "for v in xs:\n    d[v] = v > 3",
    "a function of the user's": "def key(v):\n    return v * v - 3\nfor v in xs:\n"
    "    d[key(v)] = d.get(key(v), 0) + 1",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    loops = same(HEAD + TAKEN[name] + "\n")
    lines = TAKEN[name].split("\n")
    first = next(k for k, line in enumerate(lines) if line.startswith("for"))
    assert loops[HEAD.count("\n") + 1 + first] == "compiled", loops


@pytest.mark.parametrize("name", TAKEN)
def test_more_than_once(name: str) -> None:
    """What one loop leaves in a dictionary, the next one finds."""
    lines = TAKEN[name].split("\n")
    first = next(k for k, line in enumerate(lines) if line.startswith("for"))
    again = [f"    {line}" for line in (*lines[first:], "print(m, d, usual, counts, some, h.d)")]
    text = (*lines[:first], "for m in map(abs, range(3)):", *again)
    same(HEAD + "\n".join(text) + "\n")


LEFT = {
    "floats for keys": "for v in xs:\n    d[v / 2] = d.get(v / 2, 0) + 1",
    "bools for keys": "for v in xs:\n    d[v > 3] = 1",
    "texts for keys": "for v in xs:\n    d[str(v)] = 1",
    "pairs for keys": "for v in xs:\n    d[v, 1] = 1",
    "far too far away": "for v in xs:\n    d[v * 10**12] = 1",
    "texts": "for v in xs:\n    d[v] = 'a'",
    "nothing": "for v in xs:\n    d[v] = None",
    "lists": "for v in xs:\n    lists[v].append(v)",
    "large values": "for v in xs:\n    d[v] = d.get(v, 1) * 10**9",
    "what does not fit": "for v in xs:\n    d[v] = 2**62 * v",
    "no such key": "for v in xs:\n    d[v] = 1\n    d[v + 1] += 1",
    "no such key of a default": "for v in xs:\n    mine[v] += 1",
    "a default that is only read": "s = 0\nfor v in xs:\n    usual[v] += 1\n    s += usual[v + 1]",
    "a default that is there as soon as it is read": "for v in xs:\n    usual[v] += len(usual)",
    "a default that is asked for": "for v in xs:\n    usual[v] += 1 if v in usual else 5",
    "a default that is got": "for v in xs:\n    usual[v] += usual.get(v, 7)",
    "a default that is counted": "def many(d):\n    return len(d)\nfor v in xs:\n"
    "    usual[v] += many(usual)",
    "a class of the user's": "h.d = Own()\nfor v in xs:\n    h.d[v] += 1",
    "a counter of the user's": "h.d = OwnCounter()\nfor v in xs:\n    h.d[v] += 1",
    "an exception": "for i in range(n + 1):\n    d[xs[i]] = d.get(xs[i], 0) + 1",
    "nothing to divide by": "for v in xs:\n    d[v] = 1\n    e[v] = 1 // (v - 9)",
    "two names": "e = d\nfor v in xs:\n    d[v] = 1\n    e[v + 1] = 2",
    "itself": "d[0] = d\nfor v in xs:\n    d[v] = 1",
    "a key that goes": "for v in xs:\n    d[v] = 1\n    del d[v]",
    "a nan": "d[3] = float('nan')\nfor v in xs:\n    d[v] = d.get(v, 0.0) + 1.0",
    "another type before": "d[3] = 'three'\nfor v in xs:\n    d[v + 4] = 1",
    "too many": "d.update(dict.fromkeys(range(5000), 1))\nfor v in xs:\n    d[-v] = 1",
    "a set": "d = {1, 2}\nfor v in xs:\n    d[v] = 1",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_to_python(name: str) -> None:
    loops = same(HEAD + LEFT[name] + "\n")
    lines = LEFT[name].split("\n")
    first = next(k for k, line in enumerate(lines) if line.startswith("for"))
    assert loops[HEAD.count("\n") + 1 + first] != "compiled", loops


def test_other_threads_may_have_changed_others() -> None:
    """A thread of its own for each part of the keys: each sees to its own."""
    table = {1: 5, 2: 0.0, 3: -0.0, 4: 7}
    engine = Engine()
    nest = pickle.loads(SPEC.nest)
    tables = Tables(nest, {"d": PLAIN}, {"d"}, engine)
    values = Values({}, {}, {}, dicts={"d": table})
    roots = tables.roots((), values)
    engine.does = lambda found: (
        found[0].__setitem__(0, 6),
        found[0].__setitem__(2, -0.0),
        table.__setitem__(4, 8),  # another thread
        table.__setitem__(2, 1.5),
    )
    tables.call(roots, None, values, None)
    assert list(map(repr, table.items())) == ["(1, 6)", "(2, 1.5)", "(3, -0.0)", "(4, 8)"]


def test_there_is_less_room_where_that_does() -> None:
    engine = Engine()
    tables = Tables(pickle.loads(SPEC.nest), {"d": PLAIN}, {"d"}, engine)
    rooms = []
    for key in (70_000, 5, *[5] * 30):
        values = Values({}, {}, {}, dicts={"d": {}})

        def does(found: tuple[Any, ...], key: int = key) -> None:
            if key >= len(found[1]):
                raise NoRoom
            found[0].append(1)
            found[3].append(key)

        engine.does = does
        tables.call(tables.roots((), values), None, values, None)
        assert values.dicts["d"] == {key: 1}
        rooms.append(tables.room)
    assert rooms[0] == rooms[5] == 1 << 20
    assert rooms[12] == 1 << 16
    assert rooms[-1] == 1 << 12


def test_lists_that_grow_and_are_changed() -> None:
    """A heap that is there already: items move up in it."""
    code = (
        "heap = [1, 4, 9]\nkept = heap[0]\n"
        "def push(values):\n"
        "    for v in values:\n"
        "        heap.append(v)\n"
        "        k = len(heap) - 1\n"
        "        while k > 0 and heap[(k - 1) // 2] > heap[k]:\n"
        "            heap[k], heap[(k - 1) // 2] = heap[(k - 1) // 2], heap[k]\n"
        "            k = (k - 1) // 2\n"
        "for m in map(abs, range(4)):\n"
        "    push([(37 * i + m) % 101 for i in range(30)])\n"
        "    print(heap)\n"
    )
    assert same(code)[4] == "compiled"


def test_what_is_not_changed_is_the_very_same() -> None:
    code = (
        "items = [1000.5 + k for k in range(9)]\nbefore = list(items)\n"
        "def more(m):\n"
        "    for i in range(m):\n"
        "        items.append(i * 0.5)\n"
        "        items[i + 4] += 1.0\n"
        "more(5)\nprint([x is y for x, y in zip(items, before)])\n"
    )
    assert same(code)[4] == "compiled"


def test_what_dictionaries_do_about_new_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Counter[int]):
        pass

    kinds = [kind_of(one) for one in ({}, defaultdict(int), defaultdict(float), Counter())]
    assert kinds == [PLAIN, INTS, FLOATS, COUNTER]
    assert kind_of(defaultdict(list)) == PLAIN
    assert kind_of(Own()) is None
    assert kind_of(collections.OrderedDict()) is None
    one: Counter[int] = Counter()
    assert gets(one)
    one.get = max  # type: ignore[method-assign, assignment]
    assert not gets(one)
    assert not gets(Own())
    monkeypatch.setattr(Counter, "__missing__", lambda self, key: 1)
    assert kind_of(Counter()) is None
