"""Seed 0, program 59. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
t = 1.0
class Box:
    pass
p = Box()
p.u = values('float64', (n + 3,), 7)
p.v = p.u.copy()
p.k = 0
p.t = 1
p.x = [0.5 * k for k in range(n + 3)]
o = SimpleNamespace(t=1.5, k=2)
L = [[k * 0.5 - j for j in range(n + 3)] for k in range(n + 3)]
K = L
row = L[1]
"""
loop = """\
for row in L:
    p.v = p.u
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
