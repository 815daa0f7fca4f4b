"""Seed 0, program 74. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
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
