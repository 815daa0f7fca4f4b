"""Seed 0, program 133. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 3)
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
