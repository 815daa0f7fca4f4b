"""Seed 12, program 1835. call 0: exception: CPython has nothing, autopar (<class 'TypeError'>,
't_6 changes its type', 6)
"""

setup = """\
n = 5
m = 3
s = 0.0
t = 1.0
q = 0
r = 1
pt = (1.5, 2.5)
pairs = ((1, 2), (3, 4))
T = values('float64', (n + 3, 2), 3)
E = values('float32', (n,), 5)
F = E.copy()
G = values('float64', (n, 3), 8)
ee = [0.5 * k for k in range(n)]
"""
loop = """\
for i in range(n):
    for j in range(m):
        if j % 2 == 0:
            for l in range(1, n):
                q, r = r, q
                s, t = t, pt[-1]
                E[l] = (s + l)
        else:
            G[0, 1] *= 0.5
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def clip(x, low=-0.5, high=2):
    if x < low: return low
    return high if x > high else x
"""
