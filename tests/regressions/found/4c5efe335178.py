"""Seed 0, program 48. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('float64', (9,), 0)
B = A[1:]
n = 5
"""
loop = """\
for i in range(n):
    for j in range(n):
        A[j] = B[j]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
