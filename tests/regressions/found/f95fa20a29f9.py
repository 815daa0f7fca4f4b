"""Seed 0, program 148. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
n = 7
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
D = values('float64', (n, m,), 2)
U = values('float64', (n,), 3)
V = values('float64', (n,), 4)
W = values('float64', (m,), 5)
"""
loop = """\
for i in range(n):
    U[:] = (2.0 + 2.0)
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
