"""Seed 0, program 134. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('int64', (14,), 0)
n = 5
"""
loop = """\
for i in range(n):
    A[i] = A[i]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
