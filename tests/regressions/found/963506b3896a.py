"""Seed 0, program 89. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
n = 5
x = [0.5 * k - 1 for k in range(n + 3)]
y = [(3 * k) % 5 for k in range(n + 3)]
z = x
U = values('int64', (n + 1,), 1)
V = U
W = values('int64', (n + 1, n + 1), 3)
"""
loop = """\
U = ((-U) + U) + U
U = ((U + U) + U) + U
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
