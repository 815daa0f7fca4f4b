"""Seed 20261202, program 2267. call 0: exception: CPython has nothing, autopar (<class
'ValueError'>, 'tuple.index(x): x not in tuple', 6)
"""

setup = """\
n = 5
s = 0.0
seen = [[]]
J = values('float64', (n + 3,), 5)
U = values('float64', (n + 1,), 1)
V = U
W = values('float64', (n + 1, n + 1), 3)
"""
loop = """\
for i in range(n):
    if i % 3 == 0:
        print(i, s)
    else:
        print(i, s)
        for k in range(n):
            if k == 2:
                print(k, J[k])
    U[U > 0] = 0
    W = W + U
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def note(seen, *what):
    seen.append([(type(w).__name__, w) for w in what])
    return len(seen)
"""
