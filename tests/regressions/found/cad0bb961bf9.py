"""Seed 20261123, program 25279. call 0: H as it came: CPython has ndarray [ 0.19133616762986086
-0.23959359668570454 0.039196766880541765 -0.05322840057449342 -0.0424358711353543
-0.6467914892692976 -6.059958387441753 -0.6957971329325684 ], autopar ndarray [
1.8685172620103600e-04 -2.3397812176338334e-04 3.8278092656779068e-05 -5.1980859936028731e-05
-4.1441280405619431e-05 -6.4679148926929764e-01 -6.0599583874417533e+00 -6.9579713293256840e-01]
"""

setup = """\
n = 5
t = 1.0
d = {k: k * 0.5 for k in range(n + 3)}
H = values('float64', (n + 3,), 3)
I = np.arange(n + 3)
class Box:
    pass
p = Box()
p.u = values('int64', (n + 3,), 7)
p.v = p.u
p.k = 0
p.t = 0.0
p.x = [0.5 * k for k in range(n + 3)]
o = SimpleNamespace(t=1.5, k=2)
x = [0.5 * k - 1 for k in range(n + 3)]
y = [(3 * k) % 5 for k in range(n + 3)]
z = x[:]
"""
loop = """\
for i in range(n):
    for j in range(n):
        H[j] *= 0.5
        p.u[i] = (d[j] + d[j])
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
