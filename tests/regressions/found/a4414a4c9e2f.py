"""Seed 77, program 1111. call 0: warnings: CPython has {(<class 'RuntimeWarning'>, 'invalid value
encountered in log', 3)}, autopar set()
"""

setup = """\
n = 2
m = 5
h = 2
k = 2
r = 1
c = 0.5
s = 0.5
t = 1
X = np.arange(n) % 3
A = values('float64', (n, m,), 0)
B = values('float64', (n, m,), 1)
D = values('int64', (n, m,), 2)
U = values('float64', (n,), 3)
V = values('float64', (n,), 4)
W = values('float64', (m,), 5)
"""
loop = """\
for i in range(n):
    A[2:, :] = np.log(W[:])
    P = (U + 2.0)
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
