"""Seed 0, program 94. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
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
