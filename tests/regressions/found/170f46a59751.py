"""Seed 0, program 106. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('int64', (56,), 0)
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
