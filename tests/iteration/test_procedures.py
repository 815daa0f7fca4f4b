"""Functions that are called for what they store: written out where that is the same."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import pytest
from outcome import FILE, same

from autopar import journal
from autopar.hook.loader import code_of

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
rng = np.random.default_rng(3)
n, m = 9, 7
A, B = rng.random((n, m)), np.zeros((n, m))
u, v = rng.random(n), np.zeros(n)
"""

TAKEN = {
    "one store": """
def relax(u, f, i):
    u[i] = 0.5 * (u[i - 1] + u[i + 1]) - f[i]
for t in range(3):
    for i in range(1, n - 1):
        relax(v, u, i)
""",
    "names that methods of Python's have": """
def update(u, f, i):
    u[i] = 0.5 * (u[i - 1] + u[i + 1]) - f[i]
def add(u, i, x):
    u[i] += x
for t in range(3):
    for i in range(1, n - 1):
        update(v, u, i)
for x in u:
    add(v, -1, x)
""",
    "branches, and ways to return": """
def put(a, i, x):
    if x < 0.3:
        return
    if x > 0.9:
        a[i] = 1.0
        return None
    a[i] = x
    a[0] += x
def clip(a):
    for i in range(n):
        if a[i] > 0.5:
            a[i] = 0.5
            return
for i in range(n):
    put(v, i, u[i])
for t in range(3):
    clip(u)
""",
    "one that calls another": """
def put(a, i, j, x):
    a[i, j] = x
def row(a, b, i):
    for j in range(m):
        put(a, i, j, square(b[i, j]))
def square(x):
    return x * x
for i in range(n):
    row(B, A, i)
""",
    "arrays of the module, and a method": """
class Grid:
    def __init__(self, a):
        self.a = a
    def step(self, i, x=2.0):
        self.a[i] = self.a[i] * x + v[i]
def mark(i):
    v[i] = i
g = Grid(u)
for i in range(n):
    mark(i)
    g.step(i)
    g.step(i, x=0.5)
""",
    "whole rows": """
def fill(a, b, i):
    a[i, 1:] = b[i, :-1] * 2
    a[i, 0] = 1
for i in range(n):
    fill(B, A, i)
""",
    "a value that nobody wants": """
def f(a, i):
    a[i] = a[i] + 1
    return a[i]
for i in range(n):
    f(u, i)
    math.sqrt(i)
""",
}

OTHERS = {
    "a value and a store, in the middle of a sum": """
def f(a, i):
    a[i] = a[i] + 1
    return a[i]
for i in range(n):
    v[i] = u[i] + f(u, i)
    v[i] += f(u, i)
""",
    "a store by the function that a function calls": """
def p(a):
    a[0] += 1
def f(a):
    p(a)
    return a[0]
for i in range(n):
    v[i] = u[0] + f(u)
def q(a):
    a[0] += 1
    return a[0]
def g(a):
    t = q(a)
    return t
for i in range(n):
    v[i] = u[0] + g(u)
""",
    "None as a value": """
def p(a, i):
    a[i] = 1
x = 3
for i in range(n):
    x = p(v, i)
try:
    for i in range(n):
        v[i] = p(u, i)
except TypeError:
    pass
try:
    for i in range(n):
        v[i] = 2 if p(u, i) else 3
except TypeError:
    pass
""",
    "a row as an argument": """
def p(a, j):
    a[j] = 7
for i in range(n):
    p(B[i], 2)
""",
    "one array by two names": """
def p(a, b, i):
    a[i] = b[i - 1] + 1
for i in range(1, n):
    p(u, u, i)
w = u[1:]
for i in range(1, n - 1):
    p(u, w, i)
""",
    "an argument that is changed": """
def p(a, i):
    i += 1
    a[i] = i
def q(a):
    a = a + 1
    a[0] = 3
def r(a):
    a += 1
    a[0] = 3
for i in range(n - 1):
    p(v, i)
for i in range(3):
    q(u)
for i in range(3):
    r(v)
""",
    "what fails inside": """
def p(a, i):
    a[i] = math.sqrt(4 - i)
try:
    for i in range(n):
        p(v, i)
except ValueError as error:
    e = str(error)
def q(a, i):
    a[i + 3] = i
try:
    for i in range(n):
        q(u, i)
except IndexError as error:
    f = str(error)
""",
    "functions that do other things": """
def p(i):
    print(i)
def q(i):
    out.append(i)
out = []
for i in range(3):
    p(i)
    q(i)
""",
}


@pytest.fixture(params=[*TAKEN, *OTHERS])
def text(request):
    return request.param, HEAD + {**TAKEN, **OTHERS}[request.param]


def test_means_the_same(text):
    name, source = text
    loops = same(source)
    if name in TAKEN:
        top = [line for line in loops if not source.splitlines()[line - 1].startswith(" ")]
        assert top
        assert {loops[line] for line in top} == {"compiled"}, loops


ELSEWHERE = """
import numpy as np
factor = 3.0
def scaled(x):
    return x * factor
def put(a, i, x):
    a[i] = inner(x) + a[i - 1]
def inner(x):
    return x / 2
def risky(x, y):
    return x / y
"""
USER = """
import numpy as np
from elsewhere_mod import put, risky
import elsewhere_mod as other
u, v = np.linspace(1.0, 2.0, 30), np.zeros(30)
def run():
    for i in range(1, 30):
        put(v, i, other.scaled(u[i]))
run()
other.factor = 4.5
run()
def divide(w):
    for i in range(30):
        v[i] = risky(u[i], w[i])
divide(u)
divide(u - 1.0)
"""


def _shown(code, module):
    module.factor = 3.0
    space = {"__name__": "user"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(code, space)
    seen = [(Path(w.filename).name, w.lineno, str(w.message)) for w in caught]
    return space["u"].tobytes(), space["v"].tobytes(), seen


def test_functions_of_another_module(tmp_path, monkeypatch):
    (tmp_path / "elsewhere_mod.py").write_text(ELSEWHERE)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("elsewhere_mod")
    wanted = _shown(compile(USER, FILE, "exec"), module)
    vars(module).pop("__warningregistry__", None)
    journal.clear()
    code = code_of(USER, FILE, "text")
    assert _shown(code, module) == wanted
    assert wanted[2] == [("elsewhere_mod.py", 11, "divide by zero encountered in scalar divide")]
    first, second = journal.records()
    assert (first.runs, first.fallbacks) == (2, 0)
    assert second.runs
    assert second.fallbacks == 1
