"""Seed 0, program 94. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
A = values('float64', (14,), 0)
B = values('float64', (9,), 0)
n = 5
r = 0
"""
loop = """\
for i in range(n):
    r += 3
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
