"""Seed 20261210, program 16301. call 0: s: CPython has ('int', '0x0'), autopar float [0.]"""

setup = """\
n = 5
s = 0.0
a = [0.5 * k for k in range(n)]
b = values('float64', (n,), 6)
np.random.seed(1)
D = [0.0] * (n + 3)
"""
loop = """\
oo = [v for v in a]
s = sum(sum(v for v in a) for v in a if v > v)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def half(v): return v / 2
def big(v): return v > 0.5
"""
