"""Seed 20261125, program 42695. call 0: pi: CPython has ('Body', 5, ('k', ('int', '0x7')), ('x',
('float', '<f8', b'/x00/x00/x00/x00/x00/x00/xf0?'))), autopar ('Body', 5, ('k', ('int', '0x7')),
('v', ('float', '<f8', b'/x00/x00/x00/x00/x00/x00/xd0?')), ('x', ('float', '<f8',
b'/x00/x00/x00/x00/x00/x00/xf0?')))
"""

setup = """\
n = 5
E = values('float64', (n,), 5)
F = E
G = values('float64', (n, 3), 8)
ee = [3, 1, 2]
"""
loop = """\
ps = [Body(k) for k in range(n + 3)]
for pi in ps:
    for pj in ps:
        if pi.x > pi.x:
            pj.push((-pi.x))
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
class Body:
    v = 0.25
    def __init__(self, k):
        self.x, v, self.k = 1.0, k, k
    def push(self, f, dt=0.5): self.v += f * dt
    def move(self, dt): self.x += self.v * dt
    def force(self): return -self.x * 0.5
    def bump(self):
        self.k += 1
        return self.k
    def step(self, dt):
        self.push(self.force(), dt)
        self.v = self.v * 0.75 + self.force()
        self.move(dt)
"""
