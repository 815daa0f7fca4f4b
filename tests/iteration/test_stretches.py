"""Loops that the interpreter enters now and then: nests between two events, all in order."""

from __future__ import annotations

import ast

import pytest
from outcome import both, same

from autopar.nest.ir import Nest
from autopar.nest.text.find import find

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
rng = np.random.default_rng(3)
n, m, every = 25, 6, 10
a, b = rng.random(n), np.zeros(m)
rows = []
def step(v):
    return v * 0.5 + 1
"""

TAKEN = {
    "print": """
for t in range(n):
    b[t % m] += a[t]
    if t % every == 0:
        print(t, b.sum())
""",
    "in the middle": """
for t in range(n):
    b[t % m] += a[t]
    if t % every == 3:
        print(t, b.sum())
        b[0] = len(rows)
    b[(t + 1) % m] -= 1.0
    c = b[0] * 2
""",
    "first": """
for t in range(2, n, 3):
    if t == 11:
        print(t)
    b[t % m] = t
""",
    "backwards": """
for t in range(n - 1, -1, -2):
    b[t % m] += a[t] * t
    if t % 4 == 0:
        print(t, b)
""",
    "two": """
for t in range(n):
    b[t % m] += a[t]
    if t == 4:
        print("four")
    b[0] += 1
    if t > 20 and b[0] > 3:
        print("late", t)
""",
    "two in an iteration": """
for t in range(n):
    b[t % m] += a[t]
    if t % 5 == 0:
        print("five", t)
    b[0] += 1
    if t % 10 == 0:
        print("ten", t)
    b[1] += 1
""",
    "the other branch": """
for t in range(n):
    if t % every:
        b[t % m] += a[t]
    else:
        print(t, b.sum())
""",
    "both branches of which one is": """
for t in range(n):
    if t == 7:
        print("seven")
    elif t == 9:
        b[2] = -1
    else:
        b[t % m] += a[t]
""",
    "a nest in it": """
for t in range(n):
    b[t % m] += a[t]
    if t % every == 0:
        s = 0.0
        for i in range(m):
            s += b[i]
        print(t, s)
    for i in range(m):
        b[i] = b[i] * 0.5
""",
    "next": """
for t in range(n):
    b[t % m] += a[t]
    if t % every == 0:
        print(t)
        continue
    b[0] += 1
""",
    "leaves": """
for t in range(n):
    b[t % m] += a[t]
    if b[0] > 0.5:
        print("enough", t)
        break
    b[1] += 1
else:
    print("never")
""",
    "is left elsewhere": """
for t in range(n):
    b[t % m] += a[t]
    if t % 6 == 0:
        print(t)
    if b[1] > 1.2:
        break
    b[2] += 1
else:
    print("never")
""",
    "is left nowhere": """
for t in range(n):
    b[t % m] += a[t]
    if t % 6 == 0:
        print(t)
    if b[1] > 100.0:
        break
else:
    print("never")
""",
    "raises": """
try:
    for t in range(n):
        b[t % m] += a[t]
        if b.sum() > 3:
            raise ValueError("at %d" % t)
        if t % 4 == 0:
            print(t)
except ValueError as error:
    said = str(error)
""",
    "fails between": """
try:
    for t in range(n + 5):
        b[t % m] += a[t]
        if t % every == 0:
            print(t)
except IndexError as error:
    said = str(error)
""",
    "changes what is seen": """
for t in range(n):
    b[t % m] += a[t] * every
    if t % every == 0:
        every += 1
        a = a + 1
        b = b.copy()
        print(every)
""",
    "the type changes": """
s = 0
for t in range(n):
    b[t % m] += s
    s = s + 1
    if t == 12:
        s = s * 0.5
        print(s)
""",
    "lists": """
for t in range(n):
    b[t % m] += a[t]
    if t % 5 == 0:
        rows.append((t, b.tolist()))
    b[0] += 1
""",
    "helper functions": """
x = 1.0
for t in range(n):
    x = step(x) + a[t]
    if t % every == 0:
        print(f"{t}: {x}")
""",
    "draws": """
np.random.seed(4)
for t in range(n):
    b[t % m] += np.random.rand()
    if t % every == 0:
        print(np.random.rand())
""",
    "a name that is new": """
for t in range(n):
    c = a[t] * 2
    if t % every == 0:
        d = str(c)
        print(d)
    b[0] += c
print(c, d, t)
""",
    "no iterations": """
t = "before"
for t in range(5, 5):
    b[0] = 1
    if t == 3:
        print(t)
else:
    print("done", t)
""",
    "numbers of NumPy's": """
for t in range(np.int64(n)):
    b[t % m] += a[t]
    if t % every == 0:
        print(type(t))
""",
    "counts": """
t = 0
while t < n:
    b[t % m] += a[t]
    if t % every == 0:
        print(t)
    t += 1
""",
    "counts and leaves": """
t = 0
while t < n:
    b[t % m] += a[t]
    t += 1
    if t == 17:
        print(t)
        break
else:
    print("never")
""",
    "in a function": """
def run(a, b):
    total = 0.0
    for t in range(len(a)):
        b[t % m] += a[t]
        total += b[0]
        if t % 9 == 8:
            print(t, total)
        last = total
        if total > 5:
            return last, t
    return None
got = run(a, b), run(a * 4, b), run(a[:3], b)
""",
    "in a generator": """
def run():
    for t in range(n):
        b[t % m] += a[t]
        if t % 9 == 8:
            yield t, b.sum()
got = list(run())
""",
    "of an object": """
class Model:
    def __init__(self):
        self.t, self.u, self.every = 0.0, np.zeros(m), 7
    def run(self):
        for k in range(n):
            self.t += 0.25
            for i in range(m):
                self.u[i] += self.t
            if k % self.every == 0:
                self.report(k)
    def report(self, k):
        print(k, self.t, self.u)
model = Model()
model.run()
u, t = model.u, model.t
""",
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name):
    source = HEAD + TAKEN[name]
    tree = ast.parse(source)
    (between,) = (c.stretch for c in find(tree, "user.py", source) if c.stretch is not None)
    assert isinstance(between.nest, Nest)
    found = both(source)
    if name not in ("no iterations",):
        assert found.loops[between.loop.lineno] == "compiled"


LEFT = {
    "each iteration": "for t in range(n):\n    b[t % m] += a[t]\n    print(t)\n",
    "its variable changes": """
for t in range(n):
    b[t % m] += a[t]
    if t == 3:
        print(t)
        t = 10
    b[t % m] += 1
""",
    "of other things": """
for t, x in enumerate(a):
    b[t % m] += x
    if t == 3:
        print(t)
""",
    "a step of the call": """
for t in range(0, n, m):
    b[t % m] += a[t]
    if t == 6:
        print(t)
""",
    "a condition that is not taken": """
for t in range(n):
    b[t % m] += a[t]
    if input is print:
        print(t)
    if str(t) == "3":
        print(t)
""",
    "too many": """
for t in range(n):
    b[t % m] += a[t]
    if t == 1:
        print(t)
    if t == 2:
        print(t)
    if t == 3:
        print(t)
    if t == 4:
        print(t)
    if t == 5:
        print(t)
""",
}


@pytest.mark.parametrize("name", LEFT)
def test_left(name):
    source = HEAD + LEFT[name]
    assert all(c.stretch is None for c in find(ast.parse(source), "user.py", source))
    same(source)


NO_RANGE = """
class range:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return iter([5, 3, self.n - 1])
"""


def test_another_range():
    found = both(HEAD + NO_RANGE + TAKEN["print"])
    assert "compiled" not in found.loops.values()


def test_no_range_at_all():
    found = both(HEAD + "range = len\n" + TAKEN["print"].replace("range(n)", "range(a)"))
    assert found.error[0] is TypeError
    assert found.error[1] == "'int' object is not iterable"


def test_nothing_is_left_behind():
    """Names of ours would be seen by whoever goes through the names of the module."""
    seen = "print(sorted(globals()))"
    found = both(HEAD + TAKEN["print"].replace("print(t, b.sum())", seen))
    assert "<autopar" not in found.printed
    found = both(HEAD + TAKEN["counts"].replace("print(t)", seen))
    assert "<autopar" not in found.printed
    assert "compiled" in found.loops.values()


@pytest.mark.parametrize("inner", [True, False])
def test_an_inner_loop_with_events(inner):
    source = """
for t in range(n):
    for i in range(m):
        b[i] += a[t]
        if i == t:
            print(i)
    if t == 5:
        print(t)
"""
    found = both(
        HEAD + (source if inner else source.replace("    if t == 5:\n        print(t)\n", ""))
    )
    assert "compiled" in found.loops.values()


def test_an_event_in_an_event():
    both(
        HEAD
        + """
for t in range(n):
    b[t % m] += a[t]
    if t % every == 0:
        for i in range(m):
            b[i] += 1
            if i == 2:
                print(i)
        print(t)
    b[0] *= 0.5
"""
    )


def test_events_in_every_iteration():
    """Asking costs more than it brings, so that it is soon asked no more."""
    source = HEAD + "n = 4000\na = np.ones(n)\n" + TAKEN["print"].replace("every == 0", "1 == 0")
    assert both(source).printed.count("\n") == 4000
