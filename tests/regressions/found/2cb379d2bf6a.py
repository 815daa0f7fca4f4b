"""Seed 20261125, program 4247. call 0: exception: CPython has nothing, autopar (<class
'KeyError'>, "'float32'", 5)
"""

setup = """\
n = 5
old = [1.5, 2.5]
x = [1.5] * (n + 3)
y = [(3 * k) % 5 for k in range(n + 3)]
z = x[:]
U = values('float32', (n + 1,), 1)
V = U
W = values('float32', (n + 1, n + 1), 3)
"""
loop = """\
w = []
for i in range(n):
    for j in range(n):
        x[j] = (-0.5)
    x[i] = U[i]
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
