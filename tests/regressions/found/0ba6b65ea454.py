"""Seed 0, program 128. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('int64', (56,), 0)
B = values('float64', (56,), 0)
C = A[1:]
n = 40
"""
loop = """\
for i in range(n):
    A[i] = C[i]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
