"""Comprehensions in statements that stand in no loop, and in what a function returns."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
n, m = 12, 5
x = list(map(float, "3141592653589"))
w = list(map(float, "2718281828459"))
A = list(map(list, ([0.5, 1.5, 2.5], [3.5, 4.5, 5.5])))
pass
"""

TAKEN = {
    "a list": "y = [2 * v + 1 for v in x]\n",
    "a sum": "s = sum(v * q for v, q in zip(x, w)) / len(x)\n",
    "one after another": "y = [v * 2 for v in x]\nz = [v + q for v, q in zip(y, w)]\ns = sum(y)\n",
    "what a function returns": """
def total(u, v):
    return sum(p * q for p, q in zip(u, v))
def scaled(u, f):
    return [p * f for p in u]
s = total(x, w)
y = scaled(x, s)
""",
    "before what is returned": """
def distance(u, v):
    apart = [(p - q) ** 2 for p, q in zip(u, v)]
    return sum(a for a in apart) ** 0.5
s = distance(x, w)
""",
    "in methods": """
class Layer:
    def __init__(self):
        self.w, self.b = A, w
    def forward(self, x):
        self.x = [v * 0.5 for v in x]
        return [sum(p * q for p, q in zip(row, self.x)) + 1 for row in self.w]
layer = Layer()
y = layer.forward(w)
inner = layer.x
""",
    "under finally": """
log = []
def mean(u):
    try:
        return sum(v for v in u) / len(u)
    finally:
        log.append(7)
s = mean(x)
""",
    "in a generator": """
def parts(u):
    yield sum(v for v in u)
    return [v * 2 for v in u]
y = list(parts(x))
""",
    "names that are read in a nested function": """
def outer(u):
    y = [v * 2 for v in u]
    def inner():
        return y
    return inner
y = outer(x)()
""",
}

LEFT = {
    "texts": "y = [v + v for v in 'abc']\n",
    "a function that prints": "def f(v):\n    print(v)\n    return v\ny = [f(v) for v in x]\n",
    "an exception": """
try:
    y = [1 / (v - 3) for v in x]
except ZeroDivisionError as error:
    message = str(error)
""",
    "an iterator": "it = iter(x)\ny = [v * 2 for v in it]\nrest = list(it)\n",
    "a generator": "def g():\n    yield 1.0\ny = [v * 2 for v in g()]\n",
    "a dictionary": "d = {1: 2}\ny = [d[k] * 2 for k in d]\n",
    "a name of before": """
try:
    y = [v * missing for v in x]
except NameError as error:
    message = str(error)
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    assert "compiled" in both(HEAD + TAKEN[title]).runs.values()


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title):
    runs = both(HEAD + LEFT[title]).runs
    assert "compiled" not in runs.values(), runs
