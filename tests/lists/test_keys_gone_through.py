"""What goes through a dictionary gets its keys, and not the values of the keys 0, 1, 2."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
from collections import Counter, defaultdict
d = {k: 10 + 3 * k for k in range(9)}
e = defaultdict(int, d)
c = Counter(d)
letters = dict(zip("ACGT", (5, 6, 7, 8)))
numbers = {0: 5, 1: 0, 2: 1}
xs = [(i * i) % 9 for i in range(12)]
v = np.zeros(12)
s = 0
"""

LOOPS = [
    "for k in d:\n    s += k",
    "for k in d:\n    s += d[k] + k",
    "for k in list(d):\n    s += d.get(k, 1) - k\n    d[k + 1] = 2",
    "for k in c:\n    s += c[k - 1]",
    "for k in list(c):\n    c[-k] += k",
    "for k in tuple(e):\n    e[k + 20] += k",
    "for i, k in enumerate(d):\n    s += i * k",
    "for k, x in zip(d, xs):\n    s += x * k",
    "for k, x in zip(xs, d):\n    s += x * k",
    "for x in xs:\n    for k in d:\n        s += x * k\n    d[x] = s % 7",
    "for x in xs:\n    s += sum(d) + max(d) - min(d)\n    v[x] = len(d)",
    "for x in xs:\n    s += sum(k for k in d) + d[x]",
    "for x in xs:\n    s += sum([k * x for k in d if k > 3])",
    "for x in xs:\n    for k in sorted(numbers):\n        s += k * x + numbers[k]",
    "for x in xs:\n    for k in reversed(d):\n        s += k * x + d[k]",
    "for x in xs:\n    m = len(numbers)\n    for k in range(m):\n        s += numbers[k]",
    "for x in xs:\n    for k in range(len(numbers)):\n        s += numbers[k]\n    numbers[x] = 2",
    "for x in xs:\n    for y in d.values():\n        s += x * y",
    "for x in xs:\n    for k, y in d.items():\n        s += x * y - k",
    "for x in xs:\n    s += any(k > x for k in numbers) + all(numbers)",
    "for x in xs:\n    a, b, *r = d\n    s += a + x",
    "for x in xs:\n    a, b, g = numbers\n    s += a + x",
    "def f(t):\n    w = 0\n    for k in t:\n        w += k\n    return w\nfor x in xs:\n"
    "    s += f(numbers) * x + numbers[0]",
    "for k in set(xs):\n    s += k",
    "for x in xs:\n    s += list(numbers)[1] + numbers[1]",
]


@pytest.mark.parametrize("loop", LOOPS)
def test_keys(loop: str) -> None:
    same(HEAD + loop + "\n")
    body = "\n".join(f"    {line}" for line in f"{loop}\nreturn s, d, c, e, numbers".split("\n"))
    call = "d, e, c, numbers, xs, v, 0, letters"
    text = f"def run(d, e, c, numbers, xs, v, s, letters):\n{body}\n"
    same(f"{HEAD}{text}found = [run({call}) for again in range(2)]\n")


def test_how_many_there_are_is_taken() -> None:
    code = "for x in xs:\n    if len(d) > 3:\n        v[x] = len(d) + d[x]\n"
    assert same(HEAD + code)[HEAD.count("\n") + 1] == "compiled"


@pytest.mark.parametrize("name", ["__len__", "__contains__", "__iter__", "__missing__", "get"])
def test_a_counter_that_does_otherwise(name: str) -> None:
    """Somebody has put another method in its class."""
    code = f"""
def run(c, e, xs):
    s = 0
    for x in xs:
        e[x] += len(c)
        if x in c:
            s += 1 + c[x + 3] + c.get(x + 5, 2)
    return s, e
before = Counter.__dict__.get({name!r})
Counter.{name} = lambda self, *more: 5
try:
    found = run(c, e, xs)
finally:
    if before is None:
        del Counter.{name}
    else:
        Counter.{name} = before
again = run(c, e, xs)
"""
    same(HEAD + code)
