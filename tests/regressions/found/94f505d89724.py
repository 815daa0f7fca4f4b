"""Seed 20261401, program 46095. call 0: exception: CPython has nothing, autopar (<class
'AssertionError'>, 'only scalars outlive the nest', 7)
"""

setup = """\
n = 5
c = 0.5
s = 0.0
t = 1.0
e = [0.5] * (n + 3)
A = values('int64', (n + 3,), 1, True)
M = values('int64', (n + 3, n + 3), 2, True)
B = A[::-1]
"""
loop = """\
f = math.cos
for i in range(n):
    for j in range(n):
        if c > 1:
            s, t = both(0.5, deep(deep(deep(0.5))))
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def deep(x, k=3): return x if k == 0 else deep(x * 0.5, k - 1)
def both(x, y): return x + y, x - y
def put(u, i, v): u[i] = v
"""
