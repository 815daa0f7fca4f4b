"""Seed 7700, program 977. call 0: q: CPython has ('int', '-0x17ffffffffffffffe'), autopar ('int',
'-0x13ffffffffffffffe')
"""

setup = """\
n = 5
m = 3
q = 0
x = [0.5 * k - 1 for k in range(n + 3)]
y = [0] * (n + 3)
z = x[:]
"""
loop = """\
for i in range(m):
    for j in range(n):
        y[j] = 1
    q -= y[i + 4]
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
