"""Seed 0, program 25. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
n = 5
c = 0.5
s = 0.0
old = [1.5, 2.5]
w = []
"""
loop = """\
for v in w[:3]:
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
