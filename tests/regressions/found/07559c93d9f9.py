"""Seed 0, program 25. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
L = [[k * 0.5 - j for j in range(n + 3)] for k in range(n + 3)]
K = [row[:] for row in L]
row = L[1]
A = values('int64', (n + 3,), 1)
M = values('float64', (n + 3, n + 3), 2)
B = A.copy()
"""
loop = """\
for row in L:
    row = L[0]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
