"""Seed 11, program 2010. call 0: exception: CPython has nothing, autopar (<class 'KeyError'>,
"'<once>'", 5)
"""

setup = """\
n = 5
s = 0.0
pt = (0.5, 1.5)
pairs = ((1, 2), (3, 4))
T = values('float64', (n + 3, 2), 3)
Z = values('float64', (n + 3,), 3)
zeros = [1, 2, 0, 1] * 3
"""
loop = """\
i = 0
s = 3.5
while s > 0.1 and i < 9:
    pt = 1 / pt[0], pt[0]
    j = 0
    s = 3.5
    while s > 0.1 and j < 9:
        u, v = pt
        s *= 0.5
        j += 1
    s *= 0.5
    i += 1
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
