"""Read by a hostile eye: an `if` that gives a call its operand, computed ahead for many iterations,
also set what the next iteration reads.
"""

setup = """\
import numpy as np
x = values('float64', (6, 40), 3)
r = np.zeros(6)
n = 40
"""
loop = """\
for j in range(6):
    c = r[j] > 9.0
    s = r[j]
    for i in range(n):
        if c:
            s += 1.0
        if x[j, i] > 0.7:
            u = x[j, i] * 0.5
            c = True
        else:
            u = x[j, i] + 1.0
        s += np.exp(u)
    r[j] = s
"""
calls = ("",)
place = "function"
threads = 3
order = 1
