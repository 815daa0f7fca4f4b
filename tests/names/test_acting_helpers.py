"""Helper functions that store into arrays and compute a value, in the middle of expressions."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping

import pytest
from outcome import FILE, same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

Texts = Callable[[str], Mapping[int, str]]

HEAD = """
import math
import numpy as np
a = np.linspace(-1.0, 2.0, 40)
b = a[::-1].copy()
c = np.zeros(40)
x = [0.5 * i for i in range(40)]
rows = [[float(i), 1.0, i * 0.25] for i in range(40)]
def put(u, k, v):
    u[k] += v
    return u[k] * 0.5
def last(u, v):
    u[3] = v
    return v
def own(n, v):
    z = np.zeros(n)
    for j in range(n):
        z[j] = v * j
    return z[n - 1] - z[0]
def through(u, v): return last(u, v) + 1.0
def pure(v): return v * 2.0
"""

TAKEN = {
    "alone": "c[i] = put(a, 3, b[i])",
    "after an element that it changes": "c[i] = a[3] + put(a, 3, b[i])",
    "before that element": "c[i] = put(a, 3, b[i]) + a[3]",
    "between": "c[i] = a[3] * 2.0 - put(a, 3, b[i]) / (a[3] + 9.0)",
    "two of them": "c[i] = put(a, 3, b[i]) - a[3] + put(a, 3, 1.0)",
    "one in the other": "c[i] = put(a, 3, put(a, 4, b[i]) + a[3])",
    "as an argument beside an element": "c[i] = pure(a[3]) + put(a, 3, a[3] + b[i])",
    "a difference": "c[i] = math.sin(a[3] + b[i]) - put(a, 3, b[i])",
    "an array of its own": "c[i] = a[i] + own(4, b[i])",
    "an array of its own, twice": "c[i] = own(3, a[i]) - own(5, b[i])",
    "an array of the module": "c[i] = c[3] + last(c, b[i])",
    "under a condition": "c[i] = a[3] + (put(a, 3, b[i]) if b[i] > 0 else a[4])",
    "after and": "c[i] = 1.0 if a[3] > 0 and put(a, 3, b[i]) > a[3] else 0.0",
    "compared": "c[i] = 1.0 if a[3] < put(a, 3, b[i]) else 0.0",
    "added to a number": "t += put(a, 3, b[i])",
    "added to an element": "c[3] += last(c, b[i])",
    "in a subscript": "c[int(abs(last(a, b[i])))] = a[3] + b[i]",
    "a list": "x[i] = x[3] + put(x, 3, 1.5)",
    "a comprehension": "y = [last(c, v) for v in x]\n    t += y[i]",
    "a comprehension with more": "y = [c[3] + last(c, v) for v in x]\n    t += y[i]",
    "a sum": "t = sum(last(c, v) - c[3] for v in x)",
    "a part of an array before": "t = (c[2:5] * 2.0)[1] + last(c, b[i])",
    "a view before": "t = c[2:5][1] + last(c, b[i])",
    "a test": "if last(c, b[i]) > 0.5:\n        t += c[3]",
}

LEFT = {
    "after a sum that reads": "t = c[3] + sum(last(c, v) for v in x)",
    "before a sum that reads": "t = last(c, 3.0) + sum(v for v in c[:4])",
    "in the sequence itself": "t = sum(v + last(c, v) for v in map(pure, x)) + c[3]",
    "mapped": "y = [c[3] + v for v in map(last2, x)]\n    t += y[i]",
    "in the middle of a chain": "t = 1.0 if c[3] < last(c, b[i]) < c[3] + 1.0 else 0.0",
    "rows of lists": "x[i] = rows[i][1] + put(rows[i], 1, 1.5)",
    "by way of another": "c[i] = c[3] + through(c, b[i])",
    "a place that changes": "c[int(c[3])] += last(c, float(i))",
}


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Texts:
    """Runs a program both ways, and sees to it that functions find their text."""

    def run(source: str) -> Mapping[int, str]:
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, FILE, (len(source), None, lines, FILE))
        return same(source)

    return run


def program(statement: str) -> str:
    return f"{HEAD}t = 0.0\ndef last2(v): return last(c, v)\nfor i in range(40):\n    {statement}\n"


@pytest.mark.parametrize("title", TAKEN)
def test_in_order(title: str, texts: Texts) -> None:
    assert list(texts(program(TAKEN[title])).values())[-1] == "compiled"


@pytest.mark.parametrize("title", LEFT)
def test_left_alone_and_right(title: str, texts: Texts) -> None:
    found = texts(program(LEFT[title]))
    assert found[program("").count("\n") - 1] != "compiled"


def test_an_exception_on_the_way(texts: Texts) -> None:
    text = "def f(u, k):\n    u[k] += 1.0\n    return 1.0 / x[k]\n"
    texts(f"{HEAD}{text}for i in range(40):\n    c[i] = c[3] + f(c, 39 - i)\n")
