"""Seed 0, program 74. call 0: exception: CPython has nothing, autopar (<class 'NameError'>, "name
'contextmanager' is not defined", 2)
"""

setup = """\
p = SimpleNamespace()
A = values('float64', (9,), 0)
n = 5
q = 0
"""
loop = """\
for i in range(n):
    q = (3 + 3)
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
