"""Seed 0, program 121. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
n = 5
a = [1.5, 2.5] * 3
b = values('float64', (n,), 6)
old = [3]
w = [0.5, 1.5]
"""
loop = """\
oo = [v for v in a]
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def half(v): return v / 2
def big(v): return v > 0.5
"""
