"""Seed 20261201, program 109. call 0: exception: CPython has nothing, autopar (<class
'RecursionError'>, 'maximum recursion depth exceeded in comparison', 7)
"""

setup = """\
n = 5
seen = [[]]
J = values('float64', (n + 3,), 5)
A = values('bool', (n + 3,), 1)
M = values('int64', (n + 3, n + 3), 2)
B = A.copy()
"""
loop = """\
for i in range(n):
    for j in range(n):
        note(seen, J.copy())
        for k in range(n):
            J[k] = 0.5
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def note(seen, *what):
    seen.append([(type(w).__name__, w) for w in what])
    return len(seen)
"""
