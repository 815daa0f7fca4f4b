"""Seed 0, program 99. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 4)
"""

setup = """\
n = 5
U = values('float64', (n + 1,), 1)
V = values('float64', (n + 1,), 2)
W = values('float64', (n + 1, n + 1), 3)
"""
loop = """\
U = ((U + U) + U) + U
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def twice(x): return x * 2 + 1
"""
