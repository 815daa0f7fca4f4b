"""Seed 0, program 23. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
s = 0.0
C = values('int64', (n + 3,), 5, True)
DD = values('int64', (n + 3, n + 3), 6, True)
u = (3, 1)
L = [[0] * (n + 3) for k in range(n + 3)]
K = [row[:] for row in L]
row = L[1]
A = values('int64', (n + 3,), 1, True)
M = values('float64', (n + 3, n + 3), 2, True)
B = A
"""
loop = """\
for i in range(n):
    s = s * 0.5 + np.median(C)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
