"""Seed 0, program 43. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
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
