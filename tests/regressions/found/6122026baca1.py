"""Seed 20261201, program 612. call 0: warnings: CPython has {(<class 'RuntimeWarning'>, 'overflow
encountered in multiply', 3)}, autopar {(<class 'RuntimeWarning'>, 'overflow encountered in
cast', 3)}
"""

setup = """\
n = 7
m = 5
h = 2
k = 2
r = 1
c = 3
X = np.arange(n) % 3
A = values('int64', (n, m,), 0)
B = values('float32', (n, m,), 1)
D = values('float32', (n, m,), 2)
U = values('bool', (n,), 3)
V = values('float32', (n,), 4)
W = values('int64', (m,), 5)
"""
loop = """\
for i in range(n):
    D[:, 1:] *= (D[:, :-1] + A[:, 1:])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
