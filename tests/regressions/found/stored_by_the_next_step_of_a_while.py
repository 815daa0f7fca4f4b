"""Read by a hostile eye: a nest in which a `while` goes through a loop twice, and its second step
stores what the first one reads, was taken for one that comes to the same when it is run again.
"""

setup = """\
import numpy as np
n = 3000
a, c, x = np.linspace(0, 1, n), np.zeros(n), np.full(n, 2.0)
x[5] = 1e308
"""
loop = """\
for t in range(1):
    k = 0.0
    while k < 1.5:
        for i in range(1, n):
            if k > 0.5:
                a[i] = x[i] * 2.0
            else:
                c[i] = a[i - 1] * 3.0
        k = k + 1.0
"""
calls = ("",)
place = "function"
threads = 3
order = 1
