"""Seed 0, program 66. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('float64', (14,), 0)
B = values('float64', (14,), 0)
n = 5
"""
loop = """\
for i in range(n):
    for j in range(n):
        A[j] = (A[j] + A[j])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
