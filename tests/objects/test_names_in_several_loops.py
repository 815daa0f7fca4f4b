"""Names that several loops over objects use, each for itself; and attributes with defaults."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
from dataclasses import dataclass
import math
@dataclass
class P:
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0
    def reset(self):
        self.vx = self.vy = 0.0
class Net:
    def __init__(self, n, m):
        self.w = [[math.sin(3.0 * i + j) for j in range(m)] for i in range(n)]
        self.n, self.m, self.loss = n, m, 0.0
    def train(self, x, y, rate):
        out = [0.0] * self.n
        for k in range(self.n):
            s = 0.0
            for j in range(self.m):
                s += self.w[k][j] * x[j]
            out[k] = s
        err = out[y] - 1.0
        self.loss += err * err
        for k in range(self.n):
            g = 2 * (out[k] - (1.0 if k == y else 0.0))
            for j in range(self.m):
                self.w[k][j] -= rate * g * x[j]
def show(ps):
    return [(p.x, p.y, p.vx, p.vy, sorted(vars(p))) for p in ps]
ps = [P(0.1 * k, math.cos(k)) for k in range(30)]
"""

TAKEN = {
    "two loops in one": """
def run(ps, steps):
    for s in range(steps):
        for p in ps:
            p.vx = p.vy = 0.0
        for i, p in enumerate(ps):
            for q in ps[i + 1:]:
                d = p.x - q.x
                p.vx += d
                q.vx -= d
        for i in range(len(ps)):
            for j in range(i + 1, len(ps)):
                p, q = ps[i], ps[j]
                d = p.y - q.y
                p.vy += d
                q.vy -= d
        for p in ps:
            p.x += 0.01 * p.vx
            p.y += 0.01 * p.vy
            p.reset()
run(ps, 5); res = show(ps)
""",
    "a method with two loops": """
def run(net, xs, ys):
    for x, y in zip(xs, ys):
        net.train(x, y, 0.01)
net = Net(4, 5)
run(net, [[0.1 * i + j for j in range(5)] for i in range(9)], [i % 4 for i in range(9)])
res = net.loss, net.w
""",
    "one after the other": """
def run(ps):
    t = 0.0
    for s in range(3):
        for p in ps:
            d = p.x
            t += d
        for p in ps:
            d = p.y * t
            p.vx += d
    return t
res = run(ps), show(ps)
""",
    "not the same object": """
def run(ps, steps):
    for s in range(steps):
        for p in ps:
            ax = ay = 0.0
            for q in ps:
                if q is not p:
                    dx, dy = q.x - p.x, q.y - p.y
                    r = dx * dx + dy * dy + 0.1
                    ax += dx / r
                    ay += dy / r
            p.vx += ax
            p.vy += ay
run(ps, 3); res = show(ps)
""",
}

LEFT = {
    "what the one leaves to the other": """
def run(ps):
    t = 0.0
    d = 5.0
    for s in range(3):
        for p in ps:
            if p.y > 0.0:
                d = p.x
        for p in ps:
            t += d
            if p.y < 0.5:
                d = p.y
        if s == 1:
            d = d + 1.0
    return t
res = run(ps), run(ps[:1]), run([])
""",
    "what one has left the last time": """
def run(ps):
    t = d = 0.0
    for s in range(3):
        for p in ps:
            t += d * p.x
        for p in ps:
            d = p.y
    return t, d
res = run(ps), run(ps[:1]), run([])
""",
    "by a while around": """
def run(ps):
    t, d, s = 0.0, 1.0, 0
    while d < 40.0 and s < 9:
        for p in ps:
            t += p.x
        for p in ps:
            d = d + p.x
        s += 1
    return t, d, s
res = run(ps), run([])
""",
    "a default that only the class has": """
class Late:
    v = 0.5
    def __init__(self, x):
        self.x = x
def run(ps, w):
    for p in ps:
        if p.x > w:
            p.v = 0.5 if p.x > 7.0 else p.x
ps = [Late(0.5 * k) for k in range(30)]
res = run(ps, 5.0), [(p.v, sorted(vars(p))) for p in ps]
run(ps, 2.0)
again = [(p.v, sorted(vars(p))) for p in ps]
for p in ps: p.v = 0.25
run(ps, 3.0)
last = [(p.v, sorted(vars(p))) for p in ps]
""",
    "a default that becomes a property": """
def run(ps):
    t = 0.0
    for p in ps:
        t += p.vx
        p.vx = t
    return t
res = [run(ps)]
P.vx = property(lambda self: 2.0, lambda self, v: None)
res.append(run(ps))
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken_as_a_whole(body: str) -> None:
    found = both(HEAD + body)
    fared = found.loops_after(HEAD)
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_as_in_python(body: str) -> None:
    both(HEAD + body)
