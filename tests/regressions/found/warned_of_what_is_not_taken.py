"""Read by a hostile eye: operands of a call in a branch, stored for iterations that do not take it,
were negated and converted for them as well, and that warned.
"""

setup = """\
import numpy as np
x = np.arange(900) % 20
x[7] = -2**63
f = (np.arange(900) % 20).astype(np.float32)
y, z = np.zeros(900), np.zeros(900, np.float32)
n = 900
"""
loop = """\
for i in range(n):
    if x[i] > -1000:
        y[i] = np.exp(-x[i])
    if f[i] > 100:
        z[i] = np.arctan2(f[i], 1e300)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
