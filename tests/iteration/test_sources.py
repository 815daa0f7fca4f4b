"""Loops through what is evaluated first: what a call returns, a sum, a list that is made."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from outcome import both

from autopar.nest.text.sources import source_of

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import random
import numpy as np
rng = np.random.default_rng(5)
random.seed(5)
x = rng.random(300)
y = [(k * 7919) % 101 for k in range(300)]
pairs = [(v * 0.5, k) for k, v in enumerate(y)]
out = np.zeros(300)
s, t = 0, 0.0
"""
TAKEN = {
    "an order": "for i in np.argsort(x):\n    t = t * 0.5 + x[i]\n",
    "a method": "for i in x.argsort():\n    t = t * 0.5 + x[i]\n",
    "sorted": "for v in sorted(y):\n    s = s * 3 % 1009 + v\n",
    "sorted by a key": "for v in sorted(y, key=lambda v: -v):\n    s = s * 3 % 1009 + v\n",
    "sorted tuples": "for w, k in sorted(pairs):\n    t += w * k\n    out[k] = t\n",
    "numbered": "for k, v in enumerate(sorted(y)):\n    s = s * 3 % 1009 + v * k\n",
    "numbered from one": "for k, v in enumerate(sorted(y), start=1):\n    s += v * k\n",
    "backwards": "for v in reversed(sorted(y)):\n    s = s * 3 % 1009 + v\n",
    "drawn": "for i in rng.permutation(300):\n    t = t * 0.5 + x[i]\n",
    "drawn by Python": "for i in random.sample(range(300), 99):\n    t = t * 0.5 + x[i]\n",
    "where": "for i in np.where(x > 0.5)[0]:\n    t = t * 0.5 + x[i]\n",
    "nonzero": "for i in np.flatnonzero(x < 0.5):\n    out[i] = x[i] * 2\n",
    "a mask": "for v in x[x > 0.5]:\n    t = t * 0.5 + v\n",
    "arithmetic": "for v in x[:100] + 1.0:\n    t = t * 0.5 + v\n",
    "two lists": "for v in y + y:\n    s = s * 3 % 1009 + v\n",
    "a list": "for v in [w * 2 for w in y if w > 5]:\n    s = s * 3 % 1009 + v\n",
    "a method of an array": "for v in x.tolist():\n    t = t * 0.5 + v\n",
    "left early": """
def f(n):
    for i in np.argsort(x):
        if i > n:
            return i
    return None
out = f(250), f(1000)
""",
    "else": """
def f(n):
    for v in sorted(y):
        if v > n:
            return v
    else:
        return -1
out = f(50), f(1000)
""",
    "in another loop": """
for epoch in range(3):
    print(epoch)
    for i in rng.permutation(300):
        out[i] += 0.1 * (x[i] - out[i])
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    assert "compiled" in both(HEAD + TAKEN[title]).loops_after(HEAD).values()


@pytest.mark.parametrize(
    "text",
    [
        "for v in sorted(map(str, y)):\n    s += len(v)\n",
        "for v in sorted(missing):\n    s += v\n",
        "for v in sorted(5):\n    s += v\n",
        "for v in np.float64(5):\n    s += v\n",
        "for v in [1, 'a', None] + y:\n    s += 1\n",
        "for v in np.zeros((3, 3)):\n    s += v\n",
        "for v in {1} | {2}:\n    s += v\n",
        "for v in sorted(y):\n    s += v\n    y.append(1)\n    if len(y) > 900: break\n",
        "for v in (y := sorted(y)):\n    s += v\n",
        "for y in sorted(y):\n    s += y\n",
        "for v in x + x.tolist():\n    t += v\n    x[3] = 7.0\n",
        "for i in np.arange(5)[::-1]:\n    s += i\n",
        "for v in x.reshape(-1):\n    x[0] = x[1] = 5.0\n    t += v\n",
        "for k, v in enumerate(sorted(y), t):\n    t = k\n",
        "for v in 'ab' + 'cd':\n    print(v)\n",
    ],
)
def test_whatever_it_is(text: str) -> None:
    caught = f"try:\n    {text.strip().replace(chr(10), chr(10) + '    ')}\n"
    caught += "except Exception as error:\n    msg = type(error).__name__, str(error)\n"
    both(HEAD + text)
    both(HEAD + caught)
    both(
        HEAD + "def f(s, t):\n    " + text.replace("\n", "\n    ") + "return s, t\nout = f(s, t)\n"
    )


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("sorted(a)", "sorted(a)"),
        ("enumerate(a[a > 0])", "a[a > 0]"),
        ("np.nonzero(a)[0]", "np.nonzero(a)[0]"),
        ("zip(sorted(a), b)", None),
        ("enumerate(sorted(a), f(x))", None),
        ("f(a)", None),  # seldom an array
        ("a.items()", None),
        ("np.arange(9)", None),  # a loop that counts
        ("np.ndindex(9)", None),
        ("a[1:]", None),
        ("sorted(b := a)", None),
        ("range(9)", None),
    ],
)
def test_what_is_evaluated_first(head: str, found: str | None) -> None:
    (loop,) = ast.parse(f"for i in {head}: pass").body
    assert isinstance(loop, ast.For)
    source = source_of(loop)
    assert (source and ast.unparse(source)) == found


def test_it_is_gone_when_else_begins() -> None:
    text = """
flag = [0]
class T(list):
    def __del__(self):
        flag[0] += 1
class K:
    def __add__(s, o):
        return T([1, 2])
def f(l, flag):
    t = 0
    for o in l + 1:
        t = t + o
    else:
        t = flag[0]
    return t
out = f(K(), flag)
"""
    both(text)


def test_a_module_that_is_executed_once_more_meanwhile(tmp_path, monkeypatch) -> None:
    (tmp_path / "again.py").write_text(
        "import state\n"
        "def back(x):\n    state.n += 1\n    if state.n == 3:\n        state.again()\n"
        "    return x\n"
        "t = 0\nfor x in sorted([3, 1, 2, 4]):\n    t += back(x)\nprint(t)\n"
    )
    (tmp_path / "state.py").write_text(
        "import importlib, sys\nn = 0\ndef again():\n    importlib.reload(sys.modules['again'])\n"
    )
    (tmp_path / "main.py").write_text("import again\n")
    for more in ([], ["-m", "autopar"]):
        done = subprocess.run(
            [sys.executable, *more, "main.py"], cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == ("10\n10\n", "")


def test_names_of_a_module_are_its_own() -> None:
    text = """
def who(x):
    return len(who.__globals__) + x
t = 0
x = 0
for x in sorted([1, 2, 3]):
    t += who(x) - len(who.__globals__)
"""
    both(text)


def test_what_is_around_it_is_looked_up_first() -> None:
    text = """
def f(a):
    global reversed
    t = 0
    for x in reversed(sorted(a, key=clean)):
        t = t * 3 % 1009 + x
    return t
def clean(v):
    global reversed
    reversed = lambda x: [1, 2]
    return v
r = f([(i * 37) % 101 - 20 for i in range(300)])
"""
    both(text)


def test_nothing_is_kept() -> None:
    """What it goes through goes with the loop, whichever way that is left."""
    text = """
import numpy as np
from weakref import ref
seen = []
class Own(np.ndarray):
    pass
def make():
    made = np.arange(40.0).view(Own)
    seen.append(ref(made))
    return made
def f(way):
    for v in make() + 0.0 if way is None else np.asarray(make()):
        if way == "raise" and v > 5:
            raise KeyError
        if way == "break" and v > 5:
            break
    return [r() is None for r in seen]
def g(way):
    for v in np.sort(make()):
        if way == "raise" and v > 5:
            raise KeyError
        if way == "break" and v > 5:
            break
    return [r() is None for r in seen]
out = [g("break"), g("")]
try:
    g("raise")
except KeyError:
    out.append(f(""))
"""
    found = both(text)
    assert "compiled" in found.loops.values()
    assert "True" in str(found.names["out"])
