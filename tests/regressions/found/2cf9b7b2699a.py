"""Seed 20261201, program 221. call 0: exception: CPython has nothing, autopar (<class
'RecursionError'>, 'maximum recursion depth exceeded in comparison', 7)
"""

setup = """\
n = 5
s = 0.0
q = 0
seen = [[]]
J = values('float64', (n + 3,), 5)
d = {k: k * 0.5 for k in range(n + 3)}
H = values('float64', (n + 3,), 3)
I = np.arange(n + 3)
A = values('int64', (n + 3,), 1)
M = values('float64', (n + 3, n + 3), 2)
B = A[::-1]
"""
loop = """\
for i in range(n):
    for j in range(n):
        if j % 3 == 0:
            q = note(seen, j)
            seen.append(s)
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
