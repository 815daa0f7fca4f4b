"""Seed 0, program 71. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
W = values('float64', (n + 3,), 5)
x = [0.5 * k - 1 for k in range(n + 3)]
y = [(3 * k) % 5 for k in range(n + 3)]
z = x[:]
"""
loop = """\
for i in range(n):
    W[i] = (W[i] + W[i])
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
