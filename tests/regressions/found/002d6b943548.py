"""Seed 0, program 33. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 7)
"""

setup = """\
n = 5
e = [0.5] * (n + 3)
a = [0.5 * k for k in range(n)]
b = values('float64', (n,), 6)
"""
loop = """\
oo = [v for v in a]
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def both(x, y): return x + y, x - y
def put(u, i, v): u[i] = v
def half(v): return v / 2
def big(v): return v > 0.5
"""
