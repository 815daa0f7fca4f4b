"""Seed 0, program 51. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
"""

setup = """\
n = 5
c = 0.5
s = 0.0
d = {k: k * 0.5 for k in range(n + 3)}
H = values('float64', (n + 3,), 3)
I = np.arange(n + 3)
A = values('float64', (n + 3,), 1)
M = values('float64', (n + 3, n + 3), 2)
B = A
"""
loop = """\
for i in range(n):
    s *= c
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
