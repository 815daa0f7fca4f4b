"""Seed 112801, program 5004: a broadcast operand is computed for no elements, and warns."""

setup = """\
n = 7
m = 5
h = 2
k = 2
r = 1
c = 0.5
X = np.arange(n) % 3
A = values('float64', (n, m,), 0)
B = values('float64', (n, m,), 1)
D = values('float64', (n, m,), 2)
U = values('float64', (n,), 3)
V = values('float64', (n,), 4)
W = values('float64', (m,), 5)
"""
loop = """\
for i in range(n):
    W[i:] = np.tanh(c)
    for j in range(2):
        V[:] += 2.0
        B[:j, 1:-1] /= (W[:-2] % j)
        U[j] = -1
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
