"""Lists of objects whose attributes are numbers: read as lists of numbers, and put back."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math
class P:
    def __init__(self, k):
        self.x, self.v, self.m, self.n = 0.1 * k, 1.0 / (k + 1), 1.0 + 0.25 * k, k
    def kick(self, f, dt): self.v += f * dt
    def drift(self, dt): self.x += self.v * dt
    def force(self): return -self.x / self.m
    def step(self, dt):
        self.kick(0.5 * self.force(), dt)
        self.v = self.v + self.force() * dt
        self.drift(dt)
        self.n += 1
class Slotted:
    __slots__ = ("x", "v", "m", "n")
    __init__, kick, drift, force, step = P.__init__, P.kick, P.drift, P.force, P.step
class Sub(P):
    pass
def show(ps):
    names = "x", "v", "m", "n"
    return [(type(p).__name__, [repr(getattr(p, n, None)) for n in names]) for p in ps]
ps = [P(k) for k in range(40)]
few = [P(k) for k in range(3)]
"""

METHODS = """
def run(ps, n, dt):
    for t in range(n):
        for p in ps: p.kick(-p.x, dt)
        for p in ps: p.drift(dt)
"""
NBODY = """
def run(ps, steps, dt):
    n = len(ps)
    for t in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx = ps[i].x - ps[j].x
                mag = dt / (dx * dx + 0.01)
                ps[i].v -= dx * ps[j].m * mag
                ps[j].v += dx * ps[i].m * mag
        for p in ps:
            p.x += p.v * dt
"""

TAKEN = {
    "methods": METHODS + "run(ps, 9, 0.01); run(few, 9, 0.01); res = show(ps), show(few)",
    "slots": METHODS + "ps = [Slotted(k) for k in range(40)]\nrun(ps, 9, 0.01); res = show(ps)",
    "a tuple": METHODS + "run(tuple(ps), 9, 0.01); res = show(ps)",
    "another length": METHODS + "[run(ps[:k], 3, 0.01) for k in (40, 20, 2, 1)]; res = show(ps)",
    "bodies": NBODY + "run(ps, 5, 0.01); run(few, 5, 0.01); res = show(ps), show(few)",
    "one list by two names": """
def run(ps, qs, dt):
    for p in ps:
        for q in qs:
            p.v += (q.x - p.x) * dt
run(ps, ps, 0.1); res = show(ps)
""",
    "methods in one another": """
def run(ps, n, dt):
    for t in range(n):
        for p in ps: p.step(dt)
run(ps, 9, 0.01); res = show(ps)
""",
    "places and parts": """
def run(ps, dt):
    for i, a in enumerate(ps):
        for b in ps[i + 1:]:
            d = a.x - b.x
            a.v -= d * b.m * dt
            b.v += d * a.m * dt
    for p in reversed(ps):
        p.x += p.v * dt + p.n
run(ps, 0.01); res = show(ps)
""",
    "which it is": """
def run(ps, dt):
    s = 0.0
    for a in ps:
        for b in ps:
            if a is not b:
                s += a.m / (abs(a.x - b.x) + b.m) * dt
            if a is b:
                a.n -= 1
    return s
res = run(ps, 0.01), show(ps)
""",
    "attributes that change places": """
def run(ps):
    for i in range(1, len(ps)):
        a, b = ps[i - 1], ps[i]
        a.x, b.x = b.x, a.x
run(ps); res = show(ps)
""",
    "sums": """
def run(ps, n):
    s = 0.0
    for i in range(n):
        s += sum(p.m * p.v ** 2 for p in ps) * 0.5
        s += max([p.x for p in ps])
    return s
res = run(ps, 5), show(ps)
""",
    "items by place": """
def run(ps, n):
    s = 0.0
    for i in range(n):
        a, last = ps[i], ps[-1]
        b = ps[i - 1]
        a.v = b.v * 0.5 + a.x
        b.x -= a.v
        s += b.x
    return s, len(ps)
res = run(ps, 40), show(ps)
""".replace("a, last = ps[i], ps[-1]", "a = ps[i]"),
    "in an attribute": """
class World:
    def __init__(self, ps): self.ps, self.t = ps, 0.0
    def step(self, dt):
        for p in self.ps: p.step(dt)
        self.t += dt
    def run(self, n, dt):
        for i in range(n): self.step(dt)
w = World(ps); w.run(7, 0.1); res = show(ps), w.t
""",
    "in the module": """
for t in range(5):
    for p in ps:
        p.x += p.v * 0.1
    for q in ps:
        q.v -= q.x * 0.1
res = show(ps), p is ps[-1], q is ps[-1], t
""",
    "one that is chosen": """
best, which = -1.0, None
for i in range(len(ps)):
    p = ps[i]
    if math.sin(p.x * 7.0) > best:
        best = math.sin(p.x * 7.0)
        found = i
res = best, found, ps.index(p), show(ps)
""",
    "ints that become floats": """
def run(ps):
    for p in ps: p.n = p.n * 0.5
run(ps); res = show(ps); run(ps); res2 = show(ps)
""",
    "some of them assigned": """
def run(ps, c):
    for p in ps:
        if p.x > c: p.n = 0.5
run(ps, 1.55); res = show(ps)
""",
    "two lists": """
def run(ps, qs):
    for p in ps:
        for q in qs:
            p.x += q.v * p.m
            q.v *= 0.99
qs = [Sub(k) for k in range(20)]
run(ps, qs); res = show(ps), show(qs)
""",
    "another class later": METHODS
    + """
run(ps, 3, 0.1)
ps = [Sub(k) for k in range(40)]
run(ps, 3, 0.1)
def kick(self, f, dt): self.v -= f * dt
Sub.kick = kick
run(ps, 3, 0.1)
res = show(ps)
""",
    "one that was taken and is raised in": """
def run(ps):
    for p in ps:
        p.v = p.x / (p.n - 17)
try:
    run(ps)
except ZeroDivisionError as e:
    res = str(e), show(ps)
ps = [P(k + 20) for k in range(40)]
run(ps); res2 = show(ps)
""",
}

# Where a loop may be left: it means the same.
LEFT = {
    "one object twice": METHODS + "ps[7] = ps[9]\nrun(ps, 3, 0.1); res = show(ps)",
    "one object twice, later": METHODS
    + "run(ps, 3, 0.1); ps[7] = ps[9]; run(ps, 3, 0.1); res = show(ps)",
    "one of another class": METHODS + "ps[7] = Sub(7)\nrun(ps, 3, 0.1); res = show(ps)",
    "none at all": METHODS + "run([], 3, 0.1); run(ps, 3, 0.1); run([], 3, 0.1); res = show(ps)",
    "a property": METHODS
    + """
class Q(P):
    @property
    def x(self): return self.y * 2.0
    @x.setter
    def x(self, value): self.y = value * 0.5
qs = [Q(k) for k in range(40)]
run(qs, 3, 0.1); res = show(qs), [q.y for q in qs]
""",
    "a property, later": METHODS
    + """
run(ps, 3, 0.1)
P.v = property(lambda self: self.__dict__["v"] * 2, lambda self, v: self.__dict__.update(v=v))
run(ps, 3, 0.1); res = [vars(p) for p in ps]
""",
    "attributes that are watched": METHODS
    + """
log = []
class Q(P):
    def __setattr__(self, name, value):
        log.append((name, value)); object.__setattr__(self, name, value)
qs = [Q(k) for k in range(40)]
run(qs, 3, 0.1); res = show(qs), log
""",
    "watched from now on": METHODS
    + """
run(ps, 3, 0.1)
log = []
def put(self, name, value):
    log.append((name, value)); object.__setattr__(self, name, value)
P.__setattr__ = put
run(ps, 3, 0.1); res = show(ps), log
""",
    "attributes that are computed": METHODS
    + """
class Q(P):
    def __getattr__(self, name): return 1.5
qs = [Q(k) for k in range(40)]
for q in qs: del q.v
run(qs, 3, 0.1); res = show(qs), [sorted(vars(q)) for q in qs]
""",
    "an attribute of the class": METHODS
    + """
class Q(P):
    v = 0.25
qs = [Q(k) for k in range(40)]
for q in qs: del q.v
def part(ps, c):
    for p in ps:
        if p.x > c: p.v += 1.0
part(qs, 2.0); res = show(qs), [sorted(vars(q)) for q in qs]
""",
    "one without the attribute": METHODS
    + """
del ps[5].v
try:
    run(ps, 3, 0.1)
except AttributeError as e:
    res = str(e), show(ps)
""",
    "several types": METHODS + "ps[3].v = 1\nps[4].x = True\nrun(ps, 3, 0.1); res = show(ps)",
    "None": METHODS
    + """
run(ps, 3, 0.1)
ps[3].v = None
try:
    run(ps, 3, 0.1)
except TypeError as e:
    res = str(e), show(ps)
""",
    "a method of one": METHODS
    + """
run(ps, 3, 0.1)
ps[3].kick = lambda f, dt: None
run(ps, 3, 0.1); res = show(ps)
""",
    "an object that is also handed over": """
def run(ps, sun, dt):
    for p in ps:
        p.v += sun.x * dt
        sun.x -= p.v
run(ps, P(100), 0.1); run(ps, ps[5], 0.1); run(few, few[1], 0.1); res = show(ps), show(few)
""",
    "the owner in its own list": """
class W(P):
    def run(self, dt):
        for p in self.ps:
            p.x += self.x
ws = [W(k) for k in range(40)]
ws[3].ps = ws
ws[3].run(0.1); res = show(ws)
""",
    "nothing to compute": """
class Q:
    def __init__(self): self.x, self.y = 1.5, 2
def run(qs):
    for q in qs: q.y = q.x
qs = [Q(), Q()]
qs[0].x = 1
run(qs); res = [vars(q) for q in qs]
""",
    "two lists with one in common": """
def run(ps, qs):
    for p in ps:
        for q in qs:
            p.x += q.x * 0.01
            q.x *= 0.99
run(ps[:20], ps[20:]); run(ps[:21], ps[20:]); run(ps, ps[:]); res = show(ps)
""",
    "a list that grows": """
def run(ps):
    for p in ps:
        p.x += 1.0
        if len(ps) < 50: ps.append(P(len(ps)))
run(ps); res = show(ps)
""",
    "a list that is given another object": """
def run(ps, q):
    for i in range(len(ps)):
        ps[i].x += 1.0
        ps[i] = q
run(ps, P(9)); res = show(ps)
""",
    "places that are not there": """
def run(ps, n):
    for i in range(n):
        ps[i + 3].x += ps[i].v
try:
    run(ps, 40)
except IndexError as e:
    res = str(e), show(ps)
run(ps, 37); res2 = show(ps)
""",
    "places from the end": """
def run(ps, n):
    s = 0
    for i in range(-n, n):
        ps[i].x += ps[-i].v
        for p in ps[i:]:
            s += p.x
        if ps[i] is ps[i - 1]: s += 100.0
    return s
res = run(ps, 40), show(ps)
""",
    "a name that is an object and a number": """
def run(ps, n):
    s, p = 0.0, 1.0
    for i in range(n):
        if i > 3: s += p.x
        else: s += p
        for p in ps: p.v += s
        if i < 3: p = 2.0
    return s
res = run(ps, 9), show(ps)
""",
    "an object where a number is wanted": """
def run(ps, n):
    s = 0
    for i in range(n):
        if i > 3: s += p
        for p in ps: p.v += s
    return s
try:
    run(ps, 9)
except TypeError as e:
    res = str(e), show(ps)
""",
    "the same name twice": """
def run(ps, qs):
    s = 0
    for p in ps:
        for p in qs:
            p.x += 1.0
        p.v += 1.0
    return p.x
res = run(ps, few), show(ps), show(few)
""",
    "read after an empty part": """
def run(ps, k):
    s = 0.0
    for q in ps:
        for p in ps[k:]:
            p.x += 1.0
        s += p.x
    return s
for k in (0, 30, 40):
    try:
        res = run(ps, k), show(ps)
    except UnboundLocalError as e:
        res2 = str(e)
""",
    "other things in attributes": """
class N(P):
    def __init__(self, k): P.__init__(self, k); self.pos, self.next = [0.1 * k, 1.0], None
ns = [N(k) for k in range(40)]
for a, b in zip(ns, ns[1:]): a.next = b
def run(ns):
    s = 0.0
    for a in ns:
        a.pos[0] += a.x
        s += a.pos[0] * a.pos[1]
        if a.next is not None: a.next.x += a.x
    return s
res = run(ns), run(ns[:3]), show(ns), [n.pos for n in ns]
""",
    "a function that reads them": """
def total(): return ps[0].x + ps[1].x
def run(ps):
    s = 0.0
    for p in ps:
        p.x += 1.0
        s += total()
    return s
res = run(ps), show(ps)
""",
    "a method that changes what was read": """
class Q(P):
    def bump(self):
        self.x += 1.0
        return self.x
qs = [Q(k) for k in range(40)]
def run(qs):
    s = 0.0
    for q in qs:
        s += q.x + q.bump() * q.x
        q.x += q.bump()
    return s
res = run(qs), show(qs)
""",
    "large numbers": """
def run(ps, n):
    for t in range(n):
        for p in ps: p.n = p.n * 3 + 1
run(ps, 50); res = show(ps); run(ps, 5); res2 = show(ps)
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_lists_of_objects_are_taken(body: str) -> None:
    found = both(HEAD + body)
    assert "compiled" in found.loops_after(HEAD).values(), found.loops_after(HEAD)


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_may_be_left_means_the_same(body: str) -> None:
    both(HEAD + body)
