"""Seed 0, program 6. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('float32', (56,), 0)
B = values('float32', (56,), 0)
n = 40
"""
loop = """\
for i in range(n):
    A[i] = (A[i] + A[i])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
