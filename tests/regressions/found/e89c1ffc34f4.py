"""Seed 0, program 112. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('float64', (9,), 0)
n = 5
s = 0.0
"""
loop = """\
for i in range(n):
    s = A[i]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
