"""Loops that call methods of the user's objects: these are written out for those of a call."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

NETWORK = """
import math

def dot(u, v):
    return sum(a * b for a, b in zip(u, v))

class Dense:
    def __init__(self, n_in, n_out, kind):
        self.n_in, self.n_out, self.kind = n_in, n_out, kind
        self.w = [[math.sin(3.0 * i + j + n_in) for j in range(n_in)] for i in range(n_out)]
        self.b = [0.1 * i for i in range(n_out)]
        self.gw = [[0.0] * n_in for _ in range(n_out)]
        self.gb = [0.0] * n_out

    def forward(self, x):
        self.x = x
        z = [dot(row, x) + b for row, b in zip(self.w, self.b)]
        if self.kind == "tanh":
            self.y = [math.tanh(v) for v in z]
        else:
            self.y = z
        return self.y

    def backward(self, grad):
        if self.kind == "tanh":
            grad = [g * (1.0 - y * y) for g, y in zip(grad, self.y)]
        back = [0.0] * self.n_in
        for i in range(self.n_out):
            g = grad[i]
            self.gb[i] += g
            for j in range(self.n_in):
                self.gw[i][j] += g * self.x[j]
                back[j] += g * self.w[i][j]
        return back

    def update(self, rate, size):
        for i in range(self.n_out):
            for j in range(self.n_in):
                self.w[i][j] -= rate * self.gw[i][j] / size
                self.gw[i][j] = 0.0
            self.b[i] -= rate * self.gb[i] / size
            self.gb[i] = 0.0

class Network:
    def __init__(self):
        self.layers = [Dense(2, 5, "tanh"), Dense(5, 4, "tanh"), Dense(4, 3, "linear")]
        self.seen = 0

    def predict(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        top = max(x)
        e = [math.exp(v - top) for v in x]
        total = sum(e)
        return [v / total for v in e]

    def learn(self, x, target):
        p = self.predict(x)
        grad = [p[k] - (1.0 if k == target else 0.0) for k in range(len(p))]
        for layer in reversed(self.layers):
            grad = layer.backward(grad)
        self.seen += 1
        return -math.log(p[target] + 1e-300)

    def update(self, rate, size):
        for layer in self.layers:
            layer.update(rate, size)

network = Network()
data = [([math.sin(k), math.cos(k)], k % 3) for k in range(40)]

def show():
    layers = network.layers
    ids = [a.x is b.y for a, b in zip(layers[1:], layers)]
    ids += [next((k for k, (x, _) in enumerate(data) if x is layers[0].x), None)]
    parts = [(list(vars(l)), l.x, l.y, l.w, l.b, l.gw, l.gb) for l in layers]
    return ids, parts, network.seen
"""

LOOPS = {
    "samples": """
def run(network, batch, loss):
    for x, target in batch:
        loss += network.learn(x, target)
    return loss
loss = [run(network, data[:10], 0.0) for _ in range(3)]
res = loss, show()
""",
    "epochs": """
def run(network, train, batch, rate):
    loss = 0.0
    for start in range(0, len(train), batch):
        part = train[start : start + batch]
        for x, target in part:
            loss += network.learn(x, target)
        network.update(rate, len(part))
    return loss
res = [run(network, data, size, 0.1) for size in (8, 7, 40, 100, 1)], show()
""",
    "right answers": """
def run(network, data):
    right = 0
    for x, target in data:
        p = network.predict(x)
        if p.index(max(p)) == target:
            right += 1
    return right
res = run(network, data), show()
""",
    "a table of answers": """
def run(network, data, table):
    for x, target in data:
        p = network.predict(x)
        table[target][p.index(max(p))] += 1
table = [[0] * 3 for _ in range(3)]
run(network, data, table)
res = table, show()
""",
}

HEAD = """
import math
class Item:
    def __init__(self, k):
        self.v = [0.5 * k + 0.25 * i for i in range(6)]
        self.total, self.name, self.turn = 0.0, "item", k
        self.out = [0.0] * 6
    def step(self, x):
        for i in range(len(self.v)):
            self.out[i] += self.v[i] * x
        self.total += self.v[0] * x
        return self.total
class Bag:
    def __init__(self, n):
        self.items = [Item(k) for k in range(n)]
        self.last = None
    def all(self, x):
        s = 0.0
        for item in self.items:
            s += item.step(x)
        self.last = x
        return s
bag = Bag(3)
xs = [0.1 * k for k in range(30)]
def show():
    return [sorted((k, repr(v)) for k, v in vars(i).items()) for i in bag.items], bag.last
"""

TAKEN = {
    "numbers in attributes": """
def run(bag, xs):
    s = 0.0
    for x in xs:
        s += bag.all(x)
    return s
res = run(bag, xs), show(), bag.last is xs[-1]
""",
    "no iterations": """
def run(bag, xs):
    s = 0.0
    for x in xs:
        s += bag.all(x)
    return s
res = run(bag, xs), run(bag, xs), show()
bag.last = 7
xs2 = [5.0]
res2 = run(bag, xs2), show()
""",
    "one object twice": """
bag.items[1] = bag.items[0]
def run(bag, xs):
    s = 0.0
    for x in xs:
        s += bag.all(x)
    return s
res = run(bag, xs), show()
bag.items[1] = Item(9)
res2 = run(bag, xs), show()
""",
    "one list in two objects": """
bag.items[1].out = bag.items[0].out
bag.items[2].v = bag.items[0].out
def run(bag, xs):
    s = 0.0
    for x in xs:
        s += bag.all(x)
    return s
res = run(bag, xs), show()
""",
    "another class in between": """
class Other(Item):
    def step(self, x):
        self.total = self.total + 2 * Item.step(self, x) if x > 90 else self.total + 1.0
        return self.total
def run(bag, xs):
    s = 0.0
    for x in xs:
        s += bag.all(x)
    return s
res = [run(bag, xs)]
bag.items[1] = Other(2)
res += [run(bag, xs), show()]
""",
    "a method that is replaced": """
def run(bag, xs):
    s = 0.0
    for x in xs:
        s += bag.all(x)
    return s
res = [run(bag, xs)]
def step(self, x):
    return x * 3
Item.step = step
res += [run(bag, xs), show()]
bag.items[0].step = lambda x: 100.0
res += [run(bag, xs)]
""",
    "branches that return": """
class Clip:
    def __init__(self): self.low, self.high, self.hits = -0.5, 0.5, 0
    def of(self, x):
        if x < self.low:
            self.hits += 1
            return self.low
        if x > self.high:
            self.hits += 1
            return self.high
        return x
def run(clip, xs, ys):
    for i in range(len(xs)):
        ys[i] = clip.of(xs[i])
clip, ys = Clip(), [0.0] * 30
run(clip, [math.sin(k) for k in range(30)], ys)
res = ys, vars(clip)
""",
    "a random walk of an object": """
class Walker:
    def __init__(self): self.x, self.y, self.n = 0.0, 1.0, 0
    def step(self, a):
        x = self.x
        self.x = self.y * a - self.x
        self.y = x + a
        self.n += 1
def run(w, xs):
    for a in xs:
        w.step(a)
w = Walker()
run(w, xs)
res = vars(w), list(vars(w))
""",
    "methods of objects in named lists": """
def run(items, xs, n):
    for k in range(n):
        for item in items:
            item.step(xs[k])
run(bag.items, xs, 30)
res = show()
""",
    "an attribute that is new": """
class Box:
    def __init__(self): self.a = 1.5
    def put(self, x):
        self.b = x * self.a
        self.c = [x, self.b, x]
        return self.b + self.c[2]
def run(box, xs):
    s = 0.0
    for x in xs:
        s += box.put(x)
    return s
box = Box()
res = run(box, []), vars(box)
res2 = run(box, xs), list(vars(box)), vars(box)
""",
}

LEFT = {
    "a place that is not there": """
class P:
    def row(self, x): return [x, 2.0 * x, x, 3.0]
def run(p, xs, value, found):
    k = 0
    try:
        for x in xs:
            row = p.row(x)
            found[k] = row.index(x * value)
            k += 1
    except ValueError as error:
        return str(error), k
    return k
found = [-1] * 30
nan = float("nan")
res = [(run(P(), xs, v, found), list(found)) for v in (1.0, 2.0, 7.0)]
res += [(run(P(), [nan, 1.0, nan], 1.0, found), list(found))]
""",
    "a part of a list that begins before it": """
def run(bag, rows, first):
    s = 0.0
    for k in range(first, 6):
        part = rows[k : k + 3]
        for x, name in part:
            s += bag.all(x[0])
        s += len(part)
    return s
rows = [([0.5 * k], k) for k in range(9)]
res = [run(bag, rows, k) for k in (0, -2, -9, -30, 3)], show()
""",
    "the variable of a loop that is not gone through": """
class P:
    def __init__(self): self.n = 3
    def f(self, x):
        i = 7
        for i in range(self.n):
            x += 0.5
        return x + i
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
p = P()
res = [run(p, xs)]
p.n = 0
res += [run(p, xs)]
""",
    "a method that becomes an attribute": """
class P:
    def __init__(self): self.t = 1.0
    def f(self, x):
        self.t += x
        return self.t
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
        if s > 5.0:
            p.f = float
    return s
p = P()
try:
    res = run(p, xs)
except Exception as error:
    res = str(error)
res2 = sorted(map(str, vars(p)))
""",
    "a function that calls a method": """
class P:
    def __init__(self): self.t = 1.0
    def g(self, v): return v * self.t
    def f(self, x):
        self.t = self.t + x
        return sum([g(v) for v in (x, x)])
p = P()
def g(v): return p.g(v)
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
res = run(p, xs), p.t
""",
    "an attribute of two names": """
class P:
    def __init__(self): self.v, self.k = [1.0, 2.0, 3.0], 0
    def push(self, x):
        old = self.v
        self.v = [x, old[0], old[1]]
        self.k += 1
        return old[2]
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.push(x)
    return s
p = P()
kept = p.v
res = run(p, xs), vars(p), kept
""",
    "an attribute in an inner loop": """
class P:
    def __init__(self): self.last, self.n = -1.0, 0
    def f(self, row):
        for v in row:
            self.last = v
            self.n += 1
        return self.last
def run(p, rows):
    s = 0.0
    for row in rows:
        s += p.f(row)
    return s
p = P()
res = run(p, [[0.5 * i + j for j in range(4)] for i in range(20)]), vars(p)
""",
    "an attribute in a branch": """
class P:
    def __init__(self): self.best, self.at, self.row = -1.0, -1, None
    def f(self, k, x):
        y = math.sin(x)
        if y > self.best:
            self.best, self.at = y, k
            self.row = [y, x]
        return y
def run(p, xs):
    s = 0.0
    for k, x in enumerate(xs):
        s += p.f(k, x)
    return s
p = P()
res = run(p, xs), vars(p)
""",
    "objects that lead to one another": """
class Node:
    def __init__(self, v): self.v, self.next = v, None
    def add(self, x):
        self.v += x
        if self.next is not None:
            self.next.add(self.v)
a, b, c = Node(1.0), Node(2.0), Node(3.0)
a.next, b.next = b, c
def run(a, xs):
    for x in xs:
        a.add(x)
run(a, xs)
res = a.v, b.v, c.v
c.next = None
d = Node(1.5)
d.next = b
run(d, xs)
res2 = a.v, b.v, c.v, d.v
""",
    "big numbers, and others": """
class P:
    def __init__(self): self.n, self.m, self.z = 2**62, 1, -0.0
    def f(self, x):
        self.n += 2**55
        self.m = self.m * 3 + x
        self.z = self.z * x
        return self.z
def run(p, xs):
    s = 0
    for x in xs:
        s = p.f(x)
    return s
p = P()
res = run(p, [k - 3 for k in range(90)]), vars(p)
q = P()
res2 = run(q, [float(k) for k in range(20)] + [float("nan"), float("inf")]), vars(q)
""",
    "numbers of NumPy in attributes": """
import numpy as np
class P:
    def __init__(self): self.t, self.u = np.float64(1.5), np.arange(8.0)
    def f(self, x):
        self.t = self.t * 0.5 + x
        self.u += self.t
        self.u[2:4] = self.u[1:3] * 2
        return self.t
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
p = P()
u = p.u
res = run(p, xs), p.t, p.u, p.u is u
""",
    "a property": """
class P:
    def __init__(self): self._v = 1.0; self.reads = 0
    @property
    def v(self):
        self.reads += 1
        return self._v
    def f(self, x): return self.v * x
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
p = P()
res = run(p, xs), p.reads
""",
    "attributes that are computed": """
class P:
    def __init__(self): self.a = 1.0
    def __getattr__(self, name): return 2.5
    def f(self, x): return self.a * self.other * x
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
res = run(P(), xs)
""",
    "assignment that does more": """
log = []
class P:
    def __init__(self): self.a = 1.0
    def __setattr__(self, name, value):
        log.append((name, value)); object.__setattr__(self, name, value)
    def f(self, x): self.a = x; return x
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
p = P()
res = run(p, xs), log, p.a
""",
    "a function that reads what a method assigns": """
class P:
    def __init__(self): self.t = 1.0
    def f(self, x):
        self.t = self.t + x
        return sum([g(v) for v in (x, x)])
p = P()
def g(v): return v * p.t
def run(p, xs):
    s = 0.0
    for x in xs:
        s += p.f(x)
    return s
res = run(p, xs), p.t
""",
    "evaluated before it changes": """
class P:
    def __init__(self): self.v = [1.0, 2.0]
    def f(self, x):
        self.v[0] += x
        return x
def run(p, xs):
    s = 0.0
    for x in xs:
        s = s + p.v[0] * p.f(x) + p.v[0]
    return s
p = P()
res = run(p, xs), p.v
""",
}

RAISING = {
    "log of nothing": ("math.log(0.0 if x > 2.0 else x + 1.0)", 0.1),
    "out of range": ("self.v[int(x * 4.0)]", 0.1),
    "no quotient": ("1.0 / (x - 1.5)", 0.25),
    "overflow": ("math.exp(x * 400.0)", 0.1),
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_a_network_is_taken_as_a_whole(body: str) -> None:
    found = both(NETWORK + body)
    assert "compiled" in found.loops_after(NETWORK).values(), found.loops_after(NETWORK)


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_methods_are_written_out(body: str) -> None:
    found = both(HEAD + body)
    assert "compiled" in found.loops_after(HEAD).values(), found.loops_after(HEAD)


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_may_be_left_means_the_same(body: str) -> None:
    both(HEAD + body)


@pytest.mark.parametrize(("value", "step"), RAISING.values(), ids=RAISING)
def test_what_is_raised_midway_leaves_all_as_python_does(value: str, step: float) -> None:
    both(
        f"""{HEAD}
class P:
    def __init__(self): self.v, self.n, self.out = [1.0] * 10, 0, [0.0] * 40
    def f(self, x):
        self.n += 1
        self.seen = [x, x]
        self.out[self.n] = x
        y = {value}
        self.y = y
        return y
def run(p, xs):
    s = 0.0
    try:
        for x in xs:
            s += p.f(x)
    except (ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        s = s, str(error), x
    return s
p = P()
res = run(p, [{step} * k for k in range(30)]), vars(p), list(vars(p))
"""
    )
