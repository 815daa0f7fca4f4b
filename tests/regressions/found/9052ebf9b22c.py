"""Seed 0, program 13. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 6)
"""

setup = """\
n = 5
x = [0.5 * k - 1 for k in range(n + 3)]
y = [(3 * k) % 5 for k in range(n + 3)]
z = x[:]
a = [1.5, 2.5] * 3
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
def twice(x): return x * 2 + 1
def half(v): return v / 2
def big(v): return v > 0.5
"""
