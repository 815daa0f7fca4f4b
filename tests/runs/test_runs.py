"""Statements on whole arrays that stand in no loop: taken together, and the same in any case."""

from __future__ import annotations

import ast

import pytest
from outcome import plain, taken

from autopar.nest.text.runs import imports_numpy, parts, runs, weight

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(7)
n, m, c = 9, 7, 1.25
A = rng.random((n, m))
B = rng.random((n, m))
u = rng.random(n)
v = rng.random(n)
f = rng.random((n, m)).astype(np.float32)
I = np.arange(n)
x = u[2:]
pass
"""
NAMES = "A, B, u, v, f, I, x, n, m, c"

TAKEN = {
    "a stencil": "B[1:-1, 1:-1] = c * (A[2:, 1:-1] + A[:-2, 1:-1] - 2 * A[1:-1, 1:-1])\n",
    "temporaries": "lap = u[2:] - 2 * u[1:-1] + u[:-2]\nu[1:-1] += 0.1 * lap\n",
    "a name that is bound again": "u = u + c * v\nu = 2 * u - v\nw = u * v + u\n",
    "what is read and then bound again": "w = u + v\nu = w * 2\nv = u - w * c\n",
    "changed in place and then bound again": "u += v * c\nu = u * 2 + v\n",
    "changed in place after it was bound": "u = u * 2 + v\nu += v\nu -= 1.5 * u\n",
    "in place, and bound from itself": "A *= 2\nA -= B * c\nA = A + B * A\n",
    "numbers between arrays": "s = np.sum(u * v)\nt = s / 2 + c\nu = u - t * v\n",
    "numbers in place": "c = c * 2\nc += np.sum(u)\nu *= c\nu = u + c\n",
    "a reduction": "r = np.sum((A - B) ** 2)\nt = np.sqrt(r) / n\n",
    "norms": "e = np.max(np.abs(u - v))\ng = (u - v).mean()\n",
    "products": "a = np.dot(u, v)\nb = u @ u\nu = u + (a / b) * v\n",
    "single precision": "f = 2 * f + 1\nf[1:] = f[:-1] * f[1:]\n",
    "integers": "I = I * 2 + 1\nI[1:] -= I[:-1] // 3\n",
    "choices": "w = np.where(u > v, u - v, v - u)\nz = np.maximum(w, 0.5) * 2\n",
    "an expanded axis": "C = u[:, None] * v[None, :]\nD = C - u\n",
    "in branches": """
if c > 1:
    u = u * c + v
else:
    u = v * c + u
""",
    "in a loop that prints": """
for k in range(4):
    lap = A[2:, 1:-1] + A[:-2, 1:-1] - 2 * A[1:-1, 1:-1]
    B[1:-1, 1:-1] = A[1:-1, 1:-1] + 0.1 * lap
    A, B = B, A
    if k % 2 == 0:
        print(k, A.sum())
""",
    "in a loop over names": """
for name, k in {"one": 1, "two": 2}.items():
    u = u * k + v
    print(name, u[3])
""",
    "until it converges": """
error = 1.0
while error > 1e-3:
    w = 0.5 * u + 0.25 * v
    error = np.max(np.abs(w - u))
    u = w
    print(error)
""",
    "attributes": """
class Grid:
    pass
g = Grid()
g.u, g.v, g.h = u.copy(), v.copy(), 0.5
def step(g):
    g.u[1:] += g.h * (g.v[1:] - g.v[:-1])
    w = g.u * g.h + g.v
    return w
w = step(g)
w = step(g)
""",
    "under with and try": """
try:
    with np.errstate(all="ignore"):
        u = u * c + v
        w = u / (v - v)
finally:
    z = u * 2 - v
""",
}

INTERPRETED = {
    "no arrays": "s = c * n + m\nt = s * c - n\n",
    "a view of what is written": "u[:-2] = x * 2 + u[:-2]\n",
    "orders that do not agree": "w = A.T * 2 + B.T\n",
    "shapes that do not fit": """
try:
    w = u + A * c
except ValueError as error:
    message = str(error)
""",
    "an unbound name": """
try:
    u = u * c + missing
except NameError as error:
    message = str(error)
""",
    "one operation": "w = u + v\nprint(w)\nz = u * v\n",
    "a function that nobody knows": "w = np.unique(u * c + v)\n",
    "a subclass": """
class Mine(np.ndarray):
    def __add__(self, other):
        return 7
def total(w):
    z = w + u * c
    y = w + v * c
    return z, y
back = total(u.view(Mine))
""",
    "turned off": "u = u * c + v  # autopar: off\nu = u * c + v\n",
    "views that live on": "w = A.T\nz = A[1:] \n",
    "an attribute that is computed": """
class Grid:
    reads = 0
    @property
    def u(self):
        self.reads += 1
        return u
g = Grid()
w = g.u * 2 + v
w = g.u * 2 + v
reads = g.reads
""",
    "a list": "q = [1.0, 2.0]\nw = q * 2 + q\n",
    "objects": "q = np.array([1, 2, None])\nw = (q == 1) * 2 + 3\n",
    "text": "q = np.array(['a', 'b'])\nw = (q == 'a') * 2 + 3\n",
}


def same(source):
    """What became of the runs, once it is clear that both ways come to the same."""
    wanted, found = plain(source), taken(source)
    assert found == wanted
    return found.runs


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    runs = same(HEAD + TAKEN[title])
    assert "compiled" in runs.values(), runs


@pytest.mark.parametrize("title", TAKEN)
def test_taken_in_a_function(title):
    body = "".join(f"    {line}\n" for line in TAKEN[title].splitlines())
    source = f"{HEAD}def whole({NAMES}):\n{body}    return {NAMES}\nback = whole({NAMES})\n"
    runs = same(source)
    assert "compiled" in runs.values(), runs


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    runs = same(HEAD + INTERPRETED[title])
    assert "compiled" not in runs.values(), runs


def found(text):
    block = ast.parse(text).body
    return [(run[0].lineno, run[-1].lineno) for run in runs(block, frozenset(), True)]


def test_runs_end_where_something_else_happens():
    text = "a = b * 2 + c\nd = a - 1\nprint(d)\ne = np.exp(d) * 2\nf = open(e)\ng = a @ b - e\n"
    assert found(text) == [(1, 2), (4, 4), (6, 6)]


def test_runs_begin_and_end_with_work():
    assert found("k = 3\na = b * 2 + c\nd = 4\ne = a * d\nk = 5\n") == [(2, 4)]
    assert found("a = 3\nb = a\nc = 'x'\n") == []


def test_another_name_is_not_in_a_run():
    assert found("a = b * 2 + c\nb = a\nd = b * 3 - c\n") == [(1, 1), (3, 3)]


def test_elements_are_no_arrays():
    (stmt,) = ast.parse("a[i] = b[i] * c[i, 2] + d[i + 1] * 3").body
    assert weight((stmt,), frozenset("i")) == 0
    assert weight((stmt,), frozenset()) == 3


def test_parts_of_a_run():
    block = ast.parse("a = b * 2 + c\nd = a - 1\ne = np.exp(d) * 2\n").body
    (run,) = runs(block, frozenset(), True)
    assert [part[0].lineno for part in parts(run, frozenset())] == [1, 3]


@pytest.mark.parametrize(
    ("text", "answer"),
    [("import numpy", True), ("from numpy.linalg import norm", True), ("import numpydoc", False)],
)
def test_numpy_is_imported(text, answer):
    assert imports_numpy(ast.parse(text)) is answer
