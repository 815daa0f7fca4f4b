"""Attributes that only the class has: an object has its own once it is assigned, not before."""

import pytest
from tests.same.outcome import both, same

PROGRAM = """
class Body:
    v = 0.25
    hits = 0
    def __init__(self, k):
        self.x, self.k = 0.5 * k, k
    def push(self, f, dt=0.5):
        self.v += f * dt
    def hit(self, w):
        if w > self.k:
            self.hits += 1
    def many(self, a, w):
        for i in range(len(a)):
            if a[i] > w:
                self.v = a[i]
def f(p, a, w):
    for i in range(len(a)):
        {body}
made = [Body(k) for k in range(3)]
for w in (0.5, 9.0, 0.25):
    f(made[0], a, w)
    f(made[1], a[:0], w)
f(made[2], a, 9.0)
own = [sorted(vars(one)) for one in made]
values = [(one.v, one.hits) for one in made]
"""
BODIES = {
    "in a branch": "if a[i] > w: p.push(a[i])",
    "in a branch that is never reached": "if a[i] > 7.0: p.push(a[i])",
    "in every iteration": "p.push(a[i])",
    "in a branch of the method": "p.hit(a[i] + w)",
    "of two": "p.push(a[i]); p.hit(a[i] - w)",
    "without a method": "p.v = p.v + a[i] if a[i] > w else p.v",
    "in a branch without a method": "if a[i] > w: p.v += a[i]",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_as_in_python(lenient, body):
    both(PROGRAM.format(body=body), a=[0.5, 0.75, 2.0, 0.125] * 5)


def test_a_loop_of_the_object_itself(lenient):
    source = PROGRAM.format(body="pass") + "made[0].many(a, 9.0)\nmade[1].many(a, 0.5)\n"
    source += "own = [sorted(vars(one)) for one in made]\n"
    both(source, a=[0.5, 0.75, 2.0, 0.125] * 5)


def test_it_is_taken(strict):
    source = PROGRAM.split("made =")[0].format(body="if a[i] > w: p.push(a[i])")
    source += "p, q = Body(0), Body(1)\nf(p, a, 9.0)\nf(q, a, 0.5)\n"
    source += "own = sorted(vars(p)), sorted(vars(q)), p.v, q.v\n"
    assert same(source, a=[0.5, 0.75, 2.0, 0.125] * 5)[17] == "compiled"


@pytest.mark.parametrize("body", ["self.t += a[i]", "self.step(a[i])"])
def test_a_default_that_the_object_has_too(strict, body):
    source = f"""
from dataclasses import dataclass
@dataclass
class P:
    t: float = 0.25
    def step(self, x):
        self.t += x
    def run(self, a):
        for i in range(len(a)):
            if a[i] > 0.5: {body}
p = P()
p.run(a)
own, t = vars(p), p.t
"""
    assert set(same(source, a=[0.5, 0.75, 2.0, 0.125] * 5).values()) == {"compiled"}
