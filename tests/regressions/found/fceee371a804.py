"""Seed 0, program 111. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
n, m = 6, 4
A = values('int64', (n, n), 1)
v = values('int64', (n,), 2)
w = values('float64', (n,), 4)
i = j = k = t = 7
"""
loop = """\
for k in range(n):
    for i in range(n):
        A[i, k] = A[k, i] + A[k, i]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "ignore"
helpers = ""
