"""Seed 0, program 147. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 6)
"""

setup = """\
n = 5
old = [3]
a = [0.5 * k for k in range(n)]
b = values('int64', (n,), 6)
A = values('bool', (n + 3,), 1)
M = values('float64', (n + 3, n + 3), 2)
B = A
"""
loop = """\
w = []
oo = [v for v in a]
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
