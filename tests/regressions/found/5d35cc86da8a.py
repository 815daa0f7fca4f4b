"""Seed 0, program 149. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
x = [0.5 * k - 1 for k in range(n + 3)]
y = [(3 * k) % 5 for k in range(n + 3)]
z = x[:]
"""
loop = """\
for i in range(n):
    x[i] = (x[i] + x[i])
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
