"""Seed 0, program 6. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('float32', (56,), 0)
B = values('float32', (56,), 0)
n = 40
"""
loop = """\
for i in range(n):
    A[i] = (A[i] + A[i])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
