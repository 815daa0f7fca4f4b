"""Seed 0, program 86. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('int64', (9,), 0)
B = A[1:]
n = 5
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
