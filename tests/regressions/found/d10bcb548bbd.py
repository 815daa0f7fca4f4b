"""Seed 0, program 133. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
n = 5
s = 0.0
old = [0.5]
w = []
"""
loop = """\
for i in range(n):
    s += (0.5 + 0.5)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
