"""Seed 11, program 252, on a GPU. call 0: W as it came: CPython has ndarray [2.2289930e+10 inf
5.4930900e-43 1.0000000e+00 inf 0.0000000e+00 4.4863308e-11], autopar ndarray [2.2289930e+10 inf
0.0000000e+00 1.0000000e+00 inf 0.0000000e+00 4.4863308e-11]
"""

setup = """\
n = 7
m = 7
h = 2
k = 2
r = 1
c = 0.5
X = np.arange(n) % 3
A = values('float32', (n, m,), 0)
B = values('float32', (n, m,), 1)
D = values('float32', (n, m,), 2)
U = values('float32', (n,), 3)
V = values('float32', (n,), 4)
W = values('float32', (m,), 5)
"""
loop = """\
for i in range(n):
    W[:] = (W / W[::-1])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
