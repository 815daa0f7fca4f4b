"""Programs with helper functions that once came out otherwise: scopes, builtins, attributes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from outcome import plain, taken
from outcome import same as same_text

pytestmark = pytest.mark.usefixtures("lenient")

HEAD = """
import types
import numpy as np
N = 50
a = np.linspace(-1.0, 2.0, N)
b = np.arange(N)
c = np.zeros(N)
k = 3
"""
LOOP = "for i in range(N):\n    c[i] = f(a[i])\n"

PROGRAMS = {
    "an argument that raises, in the test of a while": """
def pos(x, y): return x < 2 and y > 0
for i in range(N):
    w = 0
    while pos(w, a[N - 2 + w]):
        w += 1
    c[i] = w
""",
    "an argument that nobody needs": """
def pos(x, y): return x < 3
for i in range(N):
    w = 0
    while pos(w, 1 // (2 - w)):
        w += 1
""",
    "a test that is long when written out": """
def av(x): return (x + x + x + x) / 3.9
for i in range(N):
    w = 1.0
    while av(av(av(av(av(av(av(av(av(av(av(av(av(w))))))))))))) < 30.0:
        w = w + 1.0
    c[i] = w
""",
    "len of the user's": "def len(u): return 7.0\nu = np.ones(5)\nf = lambda x: x + len(u)\n"
    + LOOP + "for i in range(N):\n    c[i] = a[i] + len(u)\n",
    "range of the user's": "_r = range\nrange = lambda n: _r(n // 2)\nf = lambda x: x\n" + LOOP,
    "len as a parameter": """
def g(u): return 5.0
def f(u, len): return len(u)
u = np.ones(3)
for i in range(N):
    c[i] = f(u, g)
""",
    "len of a function around": """
def make():
    def len(u): return 7.0
    def f(x): return len(c) + x
    return f
f = make()
""" + LOOP,
    "len as a default": "def f(x, len=len): return len(a) * x\n"
    "f.__defaults__ = (lambda u: 3.5,)\n" + LOOP,
    "a yield that is never reached": "def f(x):\n    return x + 1\n    yield x\n" + LOOP,
    "an assignment that is never reached": "def f(x):\n    return x + k\n    k = 1\n" + LOOP,
    "a private name of a class": """
_P__s = 0.0
def f(x): return x + _P__s
class P:
    def run(self):
        global __s
        for i in range(N):
            __s = __s + a[i]
            c[i] = f(a[i])
P().run()
kept = _P__s
""",
    "a variable of the nest, through its module": """
import sys
sys.modules["user"] = me = types.ModuleType("user")
me.__dict__
s = 0.0
me = types.SimpleNamespace(s=1.0)
def f(x): return x + me.s
for i in range(N):
    s = s + a[i]
    c[i] = f(a[i])
""",
    "defaults that are longer than in the text": """
def f(x, y=1.0, z=2.0): return x + 10 * y + 100 * z
f.__defaults__ = (100.0, 5.0, 6.0)
""" + LOOP,
    "defaults that are shorter": """
def f(x, y=1.0, z=2.0): return x + 10 * y + 100 * z
f.__defaults__ = (5.0,)
""" + LOOP,
    "code of another function": """
def f(x, y=1.0, z=2.0): return x + 10 * y + 100 * z
def g(x, y, z=5.0): return x + 10 * y + 100 * z
f.__code__ = g.__code__
for i in range(N):
    c[i] = f(a[i], a[i])
""",
    "builtins of its own": """
def f(x): return abs(x)
f = types.FunctionType(f.__code__, {"__builtins__": {"abs": lambda x: 7.0}})
""" + LOOP,
    "an attribute of a class, and a property of its class": """
class Meta(type):
    @property
    def s(cls): return 10.0
class P(metaclass=Meta): s = 3.0
for i in range(N):
    c[i] = a[i] * P.s
""",
    "a descriptor that deletes": """
class D:
    def __get__(self, owner, kind): return 42.0
    def __delete__(self, owner): pass
class P: k = D()
p = P()
p.__dict__["k"] = 1.0
def f(x): return x * p.k
""" + LOOP,
    "a dictionary of its own": """
class P:
    __slots__ = ("z",)
    k = 3.0
    @property
    def __dict__(self): return {"k": 9.0}
p = P()
def f(x): return x * p.k
""" + LOOP,
    "an array that is a descriptor": """
class D(np.ndarray):
    def __get__(self, owner, kind): return a
class P: u = np.zeros(N).view(D)
for i in range(N):
    c[i] = P.u[i] + 1
""",
    "the greater of two bools": "y = True\nfor i in range(N):\n    c[i] = max(y, y) < a[i]\n",
    "many ways to return": "def f(x):\n"
    + "".join(f"    if x > {j}.5:\n        return {j}\n" for j in range(400, 0, -1))
    + "    return x\n" + LOOP,
    "positional only, by keyword": """
def f(x, /, y=1.0): return x + y
for i in range(N):
    c[i] = f(a[i], y=2.0) + f(y=a[i], x=1.0)
""",
    "keywords": """
def f(x, y=1.0, z=2.0): return x - y * z
for i in range(N):
    c[i] = f(a[i], z=a[i]) + f(y=a[i], x=1.0) + f(1.0, z=b[i], y=a[i])
""",
}  # fmt: skip


@pytest.mark.parametrize("title", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_same(title):
    same_text(HEAD + PROGRAMS[title])


def test_a_variable_of_the_nest_through_its_module():
    source = HEAD + "s = 0.0\nfor i in range(N):\n    s = s + a[i]\n    c[i] = me.s\n"

    class Me(type(np)):
        pass

    module = Me("me")
    for run in (plain, taken):
        outcome = run(source, me=module)
        assert outcome.error is not None  # nothing of that name is there yet
    module.s = 1.0
    found = taken(source, me=module)
    assert found.names == plain(source, me=module).names
    assert "compiled" not in found.loops.values()


def test_no_warning_of_what_is_not_returned():
    source = (
        HEAD
        + """
e = np.full(N, -128, dtype=np.int8)
def f(x, most):
    for j in range(3):
        if j == most:
            return x
    return -x
for i in range(N):
    c[i] = f(e[i], 1)
"""
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same_text(source)
