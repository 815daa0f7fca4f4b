"""Seed 0, program 101. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 5)
"""

setup = """\
n = 5
a = [k - 2 for k in range(n)]
b = values('float64', (n,), 6)
x = [1.5] * (n + 3)
y = [0] * (n + 3)
z = x
A = values('int64', (n + 3,), 1)
M = values('bool', (n + 3, n + 3), 2)
B = A
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
def half(v): return v / 2
def big(v): return v > 0.5
"""
