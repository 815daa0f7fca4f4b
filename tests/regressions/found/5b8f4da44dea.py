"""Seed 0, program 142. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('float64', (14,), 0)
n = 5
s = 0.0
"""
loop = """\
for i in range(n):
    A[i] = s
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
