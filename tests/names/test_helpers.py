"""Helper functions: written out where they only compute a value, and the same in any case."""

from __future__ import annotations

import pytest
from outcome import plain, same, taken

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
import numpy as np
a = np.linspace(-1.0, 2.0, 40)
b = np.arange(40)
c = np.zeros(40)
k = 3
"""

WRITTEN_OUT = {
    "one expression": """
def f(x): return x * x + 1.0
for i in range(40):
    c[i] = f(a[i]) + f(b[i])
""",
    "variables and branches that return": """
def f(x, y):
    "Says what it does."
    t = x * y
    if t > 1.0:
        return t - 1.0
    elif t < -1.0:
        t = -t
        if x > 0.5:
            return t + y
    else:
        t = t / 2
    return t
for i in range(1, 40):
    c[i] = f(a[i], a[i - 1]) - c[i - 1]
""",
    "a parameter that is rebound": """
def f(x):
    x = x + 1
    x *= 2
    return x
s = 0
for i in range(40):
    s += f(i)
    c[i] = f(a[i])
""",
    "names of the module, which change between calls": """
def f(x): return math.sin(x) * k + d[1]
d = np.ones(3)
def run():
    for i in range(40):
        c[i] = f(a[i])
run()
k = 4.5
run()
d = np.full(5, 2)
run()
math_sin, math.sin = math.sin, math.cos
run()
math.sin = math_sin
""",
    "a name of the function's own, like one of the caller's": """
def f(i):
    s = i * 2
    t = s + k
    return t
def run(k):
    s = t = 0
    for i in range(40):
        s = f(i) + k
        t += s
    return s, t, i
r = run(100)
""",
    "variables of a function around it": """
def make(scale):
    def f(x): return x * scale
    return f
g, h = make(2.0), make(3)
def run(f):
    for i in range(40):
        c[i] += f(a[i])
run(g); run(h); run(g)
""",
    "functions handed on": """
def one(x): return x + 1
def two(x): return x * 2
def run(f, g):
    for i in range(40):
        c[i] += f(g(a[i]))
run(one, two); run(two, one); run(lambda x: x - 1, one)
run(one, lambda x: x / 2)
""",
    "one in another": """
def sq(x): return x * x
def kin(v, m=2.0): return 0.5 * m * sq(v)
def total(v): return kin(v) + kin(v, 3) + sq(v)
for i in range(40):
    c[i] = total(a[i])
""",
    "arrays and objects handed on": """
class P: pass
p = P()
p.u, p.n = a.reshape(8, 5), 5
def around(u, i, j): return u[i - 1, j] + u[i + 1, j] + len(u)
def of(p, i): return p.u[i, 0] * p.n
for i in range(1, 7):
    for j in range(p.n):
        c[i * 5 + j] = around(p.u, i, j) + of(p, i)
""",
    "subscripts": """
def at(i, m=5): return i * m + 2
def wrap(i): return (i - 1) % 40
for i in range(7):
    c[at(i)] = a[wrap(i)] + a[at(i, 2)]
""",
    "under conditions": """
def f(x):
    if x > 0: return x
    return -x
def pos(x): return x > 0.25
n = 0
for i in range(40):
    c[i] = f(a[i]) if pos(a[i]) or f(a[i]) < 0.1 else 2.0
    if pos(a[i]) and f(a[i]) < 1.0 and not pos(-a[i]):
        n += 1
    m = b[i] and f(b[i])
    w = 0
    while pos(w + 0.5) and w < 3:
        w += 1
""",
    "default arguments that are no literals": """
z = 2.5
def f(x, y=z, t=k + 1): return x * y + t
z = k = 0
for i in range(40):
    c[i] = f(a[i]) + f(1, 2)
""",
    "a builtin and NumPy": """
def f(x): return max(abs(x), np.sqrt(x + 2.0), min(x, 0.5))
for i in range(40):
    c[i] = f(a[i])
""",
    "bounds": """
def upto(i): return min(i + 3, 40)
for i in range(40):
    for j in range(i, upto(i)):
        c[j] += a[i]
""",
    "rebound between calls": """
def f(x): return x + 1
def run():
    for i in range(40):
        c[i] += f(a[i])
run()
def f(x): return x - 1
run()
f = lambda x: x * 3
run()
""",
    "another code": """
def f(x): return x + 1
def g(x): return x * 5
def run():
    for i in range(40):
        c[i] += f(a[i])
run()
f.__code__ = g.__code__
run()
f.__defaults__ = (3.0,)
run()
""",
    "types that differ from call to call": """
def f(x, y): return x * y
for i in range(40):
    c[i] = f(a[i], 2) + f(i, i) + f(b[i], 0.5)
""",
    "loops": """
def power(x, n):
    r = 1.0
    for j in range(n):
        r = r * x
    return r
def dot(u, i):
    s = 0.0
    for j in range(5):
        if u[i, j] > 1.5:
            continue
        if u[i, j] > 1.9: break
        s += u[i, j] * a[j]
    else:
        s = s + 1
    t = 0
    while t < 3:
        t += 1
    return s + t
u = a.reshape(8, 5)
for i in range(8):
    c[i] = dot(u, i) + power(a[i], i)
""",
    "loops that return": """
def prime(n):
    if n < 2: return False
    for d in range(2, n):
        if n % d == 0:
            return False
    return True
def where(u, x):
    for i in range(8):
        if u[i, 0] > 100:
            return 100
        for j in range(5):
            if u[i, j] >= x:
                return i * j
            w = j
        w = i
    return -1
u = a.reshape(8, 5)
n = 0
for i in range(40):
    if prime(i):
        n += 1
    c[i] = where(u, i / 20.0) + n
""",
    "a loop that returns, after which more is done": """
def f(x):
    for j in range(3):
        if j > x: return j * 1.0
    x += j
    return x
for i in range(40):
    c[i] = f(a[i])
""",
    "a loop after which a value of another type is returned": """
def f(x):
    for j in range(3):
        if j > x: return j
    x += j
    return x
for i in range(40):
    c[i] = f(a[i])
""",
    "two things returned, from a loop or behind it": """
def march(o, d):
    t = 0.0
    for s in range(12):
        far = math.sqrt((o + t * d) ** 2 + 1.0) - 0.9
        if far < 0.101: return t, s
        t += far
        if t > 2.0: break
    return -t, s
for i in range(40):
    t, s = march(a[i], 0.3)
    c[i] = t * s
""",
    "one loop that returns behind another": """
def first(u, x):
    for i in range(len(u)):
        if u[i] > x: return i
    k = 0
    for v in u:
        if v < 0.3: return -k
        while k < 2:
            k += 1
            if k * x > 3: return 5
        k += 1
    return k
for i in range(40):
    c[i] = first(a, i / 10.0 - 1.0)
""",
    "an iteration that goes on until a bound that it changes": """
def find(u, i, x):
    while i < 40:
        for j in range(3):
            if u[i] * j > x: return i + j
        i += 1
    i = i * 2 + 1
    return i
for i in range(40):
    c[i] = find(a, i, i / 12.0)
""",
    "nothing returned, from a loop or behind it": """
def put(u, w, x):
    for j in range(40):
        if u[j] > x:
            w[j] += 1.0
            return
    w[0] -= 1.0
for i in range(40):
    put(a, c, i / 10.0)
""",
    "None returned behind a loop": """
def near(u, x):
    y = 0.0
    for v in u:
        if v > x: return v
        y = x - v
    if y > 0.5: return None
    return y * 2
for i in range(40):
    v = near(a, i / 15.0)
    c[i] = -7.0 if v is None else v
""",
    "a value or None, and how far it went": """
def march(x):
    for s in range(9):
        if s * 0.25 > x: return x + s, s
    return None, s
m = 0
for i in range(40):
    t, s = march(a[i] * 1.5)
    m += s
    if t is None:
        m += 100
        continue
    c[i] = t
""",
    "a call behind a loop that returns": """
def g(x):
    for k in range(4):
        if k > x: return k * 0.5
    x = x * 2.0
    return x - k
def f(x):
    for k in range(3):
        if x < k - 2: return 9.0
    y = g(x) + g(-x)
    return y * g(y)
for i in range(40):
    c[i] = f(a[i])
""",
    "methods": """
class Base:
    def scaled(self, x): return x * self.scale
class Model(Base):
    gain = 2.0
    def __init__(self): self.u, self.scale, self.v = a.copy(), 3.0, np.zeros(40)
    def force(self, i, k=1):
        t = self.u[i] - self.scaled(self.u[i - k])
        if t > 0.5: return t * self.gain
        return self.half(t)
    @staticmethod
    def half(x): return x / 2
    def run(self):
        for i in range(1, 40):
            self.v[i] = self.force(i) + self.force(i, 0)
m = Model()
m.run()
c[:] = m.v
m.scale = 2
m.run()
Model.gain = 5
m.run()
c[:] += m.v
m.scaled = lambda x: x
m.run()
c[:] += m.v
Model.half = staticmethod(lambda x: x)
m.run()
c[:] += m.v
m.v = None
w = 0.0
for i in range(40):
    w += m.scaled(a[i])
del m
""",
    "an exception inside": """
def f(x):
    return 1 / (x - 17)
r = []
def run():
    for i in range(40):
        c[i] = f(i)
try:
    run()
except ZeroDivisionError as error:
    tb = error.__traceback__.tb_next
    r.append((str(error), tb.tb_lineno, tb.tb_next.tb_lineno, tb.tb_next.tb_frame.f_code.co_name))
""",
}

WRITTEN_OUT |= {
    "lambdas in one line": """
k = 3
f, g, h = lambda x: x + 1, lambda x: x * 2, lambda x: x + 1
outer = lambda m: lambda x: x * m
e = outer(3); d = outer(4)
def each(c, f, g):
    for i in range(40):
        c[i] = f(a[i]) - g(b[i])
each(c, f, g); each(c, g, f); each(c, h, f); each(c, e, d); each(c, d, e); each(c, g, e)
each(c, lambda x: x ** 3 - 1, lambda x: 3 * x)
""",
    "raise": """
def f(x):
    if x > 50: raise ValueError
    return x
for i in range(40):
    c[i] = f(a[i])
""",
    "assert": """
def f(x):
    assert x < 50
    return x
for i in range(40):
    c[i] = f(a[i])
""",
    "what is assigned on the way": """
def f(x): return (y := x) + y
for i in range(40):
    c[i] = f(a[i])
""",
}

INTERPRETED = {
    "a variable that may be unset": """
def f(x):
    if x > 0: t = x
    return t if x > 0 else 1.0
""",
    "a global variable": """
n = 0
def f(x):
    global n
    n += 1
    return x + n
""",
    "a generator": """
def f(x):
    yield x
    return x
""",
    "no value": """
def f(x):
    if x > 0: return 1.0
""",
    "recursion": """
def f(x): return 1.0 if x < 0 else x * f(x - 1)
""",
    "any arguments": """
def f(*x): return x[0]
""",
    "a class": """
class f(float): pass
""",
    "a value that only some ways have": """
def f(x):
    for j in range(3):
        if j > x: return j
        if x > 0.5: y = x
    y += j
    return y
""",
    "a property of the loop's own variable": """
class P:
    @property
    def s(self): return 2.0
p = P()
def f(x): return x * p.s
""",
    "a method of another object, by an attribute of this one": """
class P:
    def __init__(self, s): self.s = s
    def g(self, x): return x * self.s
p, q = P(2.0), P(3.0)
p.g = q.g
def f(x): return p.g(x)
""",
    "a method under a name of its own": """
class P:
    s = 2.0
    def g(self, x): return x * self.s
f = P().g
""",
    "a method of something that is no function": """
import functools, types
class P: s = 2.0
f = types.MethodType(functools.partial(lambda k, p, x: x * p.s * k, 3), P())
""",
    "a name that a class makes another": """
__k, _P__k = 1.0, 2.0
class P:
    def g(self, x): return x * __k
p = P()
def f(x): return p.g(x)
""",
    "a property of an object": """
class P:
    @property
    def f(self): return lambda x: x + 1
p = P()
f = lambda x: p.f(x)
""",
    "a class method": """
class P:
    s = 2.0
    @classmethod
    def g(cls, x): return x * cls.s
p = P()
def f(x): return p.g(x)
""",
    "an object that answers for its attributes": """
class P:
    def __getattr__(self, name): return abs
p = P()
def f(x): return p.g(x)
""",
    "decorated": """
def twice(g):
    def h(*args): return g(*args) * 2
    return h
@twice
def f(x): return x + 1
""",
    "something with __call__": """
class F:
    def __call__(self, x): return x + 1
f = F()
""",
    "a walrus that changes what is read": """
def f(x): return x + (x := 2) + x
""",
}


@pytest.mark.parametrize("title", WRITTEN_OUT)
def test_written_out(title):
    loops = same(HEAD + WRITTEN_OUT[title])
    assert "call" not in loops.values()
    assert "compiled" in loops.values() or "failed-inside" in loops.values()


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title):
    loops = same(HEAD + INTERPRETED[title] + "for i in range(40):\n    c[i] = f(a[i])\n")
    assert list(loops.values())[-1] != "compiled"


CHANGES = {
    "a variable of the module": """
s = 0.0
def f(x): return x + s
for i in range(40):
    s = s + a[i]
    c[i] = f(a[i])
""",
    "the loop's variable": """
def f(x): return x + i
for i in range(40):
    c[i] = f(a[i])
""",
    "through another helper": """
def g(x): return x * i
def f(x): return g(x) + 1
for i in range(40):
    c[i] = f(a[i])
""",
    "a variable of the function around both": """
def run():
    s = 0.0
    def f(x): return x + s
    for i in range(40):
        s = s + a[i]
        c[i] = f(a[i])
run()
""",
    "a variable declared global": """
s = 0.0
def f(x): return x + s
def run():
    global s
    for i in range(40):
        s = s + a[i]
        c[i] = f(a[i])
run()
""",
}


@pytest.mark.parametrize("title", CHANGES)
def test_variables_that_change_in_the_nest_and_are_read_in_the_helper(title):
    assert "compiled" not in same(HEAD + CHANGES[title]).values()


def test_a_text_that_is_not_that_of_the_function():
    source = HEAD + "def f(x): return x + 1\nfor i in range(40):\n    c[i] = f(a[i])\n"
    for other in (
        source.replace("x + 1", "x - 1"),
        source.replace("\ndef f", "\n\ndef f"),
        "",
        "(",
    ):
        found = taken(source, shown=other)
        assert "call" in found.loops.values()
        assert found == plain(source)


def test_warnings_are_said_in_the_line_of_the_helper():
    source = HEAD + "def f(x):\n    return np.float64(1.0) / x\n"
    same(source + "for i in range(40):\n    c[i] = f(a[i] - a[20])\n")
