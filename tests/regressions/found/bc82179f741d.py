"""Seed 0, program 32. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('float64', (56,), 0)
B = A
n = 40
"""
loop = """\
for i in range(n):
    A[i] = B[i]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
