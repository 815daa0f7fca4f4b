"""Seed 20261125, program 28543. call 0: ps: CPython has ('list', 9, (('Body', 10, ('k', ('int',
'0x0')), ('x', ('float', '<f8', b'/x00/x00/x00/x00/x00/x00/x00/x00'))), ('Body', 11, ('k',
('int', '0x1')), ('x', ('float', '<f8', b'/x00/x00/x00/x00/x00/x00/xe…, autopar ('list', 9,
(('Body', 10, ('k', ('int', '0x0')), ('v', ('float', '<f8', b'/x00/x00/x00/x00/x00/x00/xd0?')),
('x', ('float', '<f8', b'/x00/x00/x00/x00/x00/x00/x00/x00'))), ('Body', 11, ('k', ('int', '0…
"""

setup = """\
n = 5
L = [[k - j for j in range(n + 3)] for k in range(n + 3)]
K = L
row = L[1]
"""
loop = """\
ps = [Body(k) for k in range(n + 3)]
for row in L:
    if len(ps) < 1:
        ps[0].push((ps[0].x + ps[0].x))
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
        self.x, v, self.k = 0.5 * k, k, k
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
