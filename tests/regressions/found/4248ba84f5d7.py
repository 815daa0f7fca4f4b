"""Seed 0, program 139. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
n = 5
U = values('float64', (n + 1,), 1)
V = U
W = values('float64', (n + 1, n + 1), 3)
"""
loop = """\
W = W + U
"""
calls = ("",)
place = "if"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
