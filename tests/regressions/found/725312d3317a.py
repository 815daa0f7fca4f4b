"""Seed 0, program 72. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('float64', (9,), 0)
B = A
C = values('float64', (9,), 10)
n = 5
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
