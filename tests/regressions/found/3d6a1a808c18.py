"""Seed 0, program 35. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
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
p.t = 0.0
p.x = [0] * (n + 3)
o = SimpleNamespace(t=1.5, k=2)
A = values('bool', (n + 3,), 1)
M = values('int64', (n + 3, n + 3), 2)
B = A
"""
loop = """\
for i in range(n):
    p.u[i] = p.t
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
