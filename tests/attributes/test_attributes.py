"""Attributes of objects that a nest assigns: `self.t += dt`, `self.u, self.v = self.v, self.u`."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

TAKEN = {
    "a number and an array": """
import numpy as np
class P: pass
p = P(); p.t = 0.0; p.u = np.arange(50.0); p.k=0
def run(self, n):
    for i in range(n):
        self.t += 0.5
        self.u[i] = self.u[i] * self.t
        self.k = i
run(p, 20)
res = p.t, p.k, p.u
""",
    "whole arrays": """
import numpy as np
class P: pass
p = P(); p.t = 0.0; p.u = np.arange(50.0); p.h=0.1
def run(self, n):
    for i in range(n):
        lap = self.u[2:] - 2*self.u[1:-1] + self.u[:-2]
        self.u[1:-1] += self.h*lap
        self.t += self.h
run(p, 20)
def step(self):
    v = self.u * self.h + 1
    self.u = self.u + v * self.h
    self.w = v * 2
    self.t += np.sum(v * self.w)
for k in range(3):
    step(p); print(k)
res = p.t, p.u, p.w
""",
    "arrays that change places": """
import numpy as np
class P: pass
p = P(); p.u = np.arange(50.0); p.v=np.zeros(50)
def run(self, n):
    for i in range(n):
        self.v[1:-1] = self.u[2:] - 2*self.u[1:-1] + self.u[:-2]
        self.u, self.v = self.v, self.u
u0 = p.u
run(p, 3)
res = p.u, p.v, p.u is u0
""",
    "through a method": """
import numpy as np
class P:
    def __init__(self): self.t = 0.0; self.u = np.arange(50.0)
    def f(self, x): return x + self.t
    def run(self, n):
        for i in range(n):
            self.t += 0.5
            self.u[i] = self.f(self.u[i])
p = P()
p.run(20)
res = p.t, p.u
""",
    "of an object in an object": """
import numpy as np
class P: pass
p = P(); p.grid = P(); p.grid.u = np.arange(30.0); p.grid.total = 0; p.n = 20
def run(self):
    for i in range(self.n):
        self.grid.total += i
        self.grid.u[i] = self.grid.u[i + 1] * self.grid.total
    return self.grid.total
res = run(p), p.grid.total, p.grid.u
""",
    "assigned in some iterations": """
import numpy as np
class P: pass
p = P(); q = P(); u = np.arange(30.0)
def run(self, limit):
    for i in range(30):
        if u[i] > limit:
            self.last = u[i]
            self.place = i
run(p, 3)
res = p.last, p.place
run(q, 100)
res2 = hasattr(q, "last"), hasattr(q, "place")
""",
    "slots": """
import numpy as np
class P:
    __slots__ = ("t",)
p = P(); u = np.arange(50.0); p.t = 0.0
def run(p, n):
    for i in range(n):
        p.t += u[i]
run(p, 20)
res = p.t
""",
    "two objects": """
import numpy as np
class P: pass
p = P(); q = P(); u = np.arange(50.0); p.t = 0.0; q.t = 2.0
def run(p, q, n):
    for i in range(n):
        p.t = u[i] + q.t
run(p, q, 20)
res = p.t, q.t
""",
    "left early": """
import numpy as np
class P: pass
p = P(); u = np.arange(50.0); p.t = 0.0
def run(p, n):
    for i in range(n):
        p.t += u[i]
        if p.t > 40:
            return p.t * 2
    return -1
res = run(p, 40), p.t, run(p, 2), p.t
""",
}

LEFT = {
    "a property": """
import numpy as np
class P:
    n = 0
    @property
    def t(self): return 1.0
    @t.setter
    def t(self, v): self.n += 1
p = P(); u = np.arange(50.0)
def run(self, n):
    for i in range(n):
        self.t = u[i]
run(p, 20)
res = p.t, p.n
""",
    "one object under two names": """
import numpy as np
class P: pass
p = P(); q = p; u = np.arange(50.0); p.t = 0.0
def run(p, q, n):
    for i in range(n):
        p.t = u[i] + q.t
run(p, q, 20)
res = p.t
""",
    "no room for it": """
import numpy as np
u = np.arange(50.0)
class Q:
    __slots__ = ()
def run(p, n):
    for i in range(n):
        u[i] = 7
        p.t = u[i]
try:
    run(Q(), 20)
except AttributeError as error:
    message = str(error)
""",
    "an object that counts": """
import numpy as np
u = np.arange(50.0)
class P:
    count = 0
    def __setattr__(self, name, value):
        type(self).count += 1
        object.__setattr__(self, name, value)
p = P()
def run(p, n):
    for i in range(n):
        p.t = u[i]
run(p, 20)
res = p.t, P.count
""",
    "a frozen object": """
import numpy as np
from dataclasses import dataclass
u = np.arange(50.0)
@dataclass(frozen=True)
class P:
    t: float
p = P(1.0)
def run(p, n):
    for i in range(n):
        u[i] = p.t + 1
        p.t = u[i]
try:
    run(p, 20)
except AttributeError as error:
    message = str(error)
""",
    "a class": """
import numpy as np
u = np.arange(50.0)
class P: t = 0.0
def run(p, n):
    for i in range(n):
        p.t += u[i]
run(P, 20)
res = P.t
""",
    "a module": """
import numpy as np, sys, types
u = np.arange(50.0)
here = types.ModuleType("here")
here.t = 0.0
def run(p, n):
    for i in range(n):
        p.t += u[i]
run(here, 20)
res = here.t
""",
    "what another path reads as an array": """
import numpy as np
class P: pass
p = P(); p.u = np.arange(50.0); p.v = np.ones(50); q = P(); q.p = p
def run(p, q, n):
    for i in range(n):
        p.u = p.v
        q.p.u[i] += 1
run(p, q, 20)
res = p.u, p.v
""",
    "an object that changes": """
import numpy as np
class P: pass
ps = [P() for _ in range(5)]
def run(ps):
    for i in range(5):
        p = ps[i]
        p.t = i * 2.0
run(ps)
res = [p.t for p in ps]
""",
    "a name of the class's own": """
import numpy as np
class P:
    def __init__(self): self.__t = 0.0
    def run(self, n):
        for i in range(n):
            self.__t += i
        return self.__t
res = P().run(20)
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title):
    assert "compiled" in both(TAKEN[title]).loops.values()


@pytest.mark.parametrize("title", LEFT)
def test_left_to_the_interpreter(title):
    loops = both(LEFT[title]).loops
    assert "compiled" not in loops.values(), loops
