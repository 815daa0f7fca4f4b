"""Seed 0, program 43. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
x = [1.5] * (n + 3)
y = [0] * (n + 3)
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
