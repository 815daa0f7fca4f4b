"""Seed 20261125, program 7605. call 0: exception: CPython has nothing, autopar (<class
'AssertionError'>, 'every live-in path has its root', 5)
"""

setup = """\
n = 5
E = values('int64', (n,), 5)
F = E
G = values('float64', (n, 3), 8)
ee = [3, 1, 2]
d = {k: k * 0.5 for k in range(n + 3)}
H = values('float64', (n + 3,), 3)
I = np.arange(n + 3)
"""
loop = """\
for i in reversed(range(n)):
    d[2] += abs((I[i] + I[i]))
    for j in reversed(range(n)):
        H[j] = (d[j] * j)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
