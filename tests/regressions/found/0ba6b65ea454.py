"""Seed 0, program 128. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('int64', (56,), 0)
B = values('float64', (56,), 0)
C = A[1:]
n = 40
"""
loop = """\
for i in range(n):
    A[i] = C[i]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
