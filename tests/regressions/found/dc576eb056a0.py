"""Seed 0, program 110. UnboundLocalError: cannot access local variable 'found' where it is not
associated with a value
"""

setup = """\
A = values('float32', (9,), 0)
n = 5
"""
loop = """\
for i in range(n):
    for j in range(n):
        A[j] = (A[j] + A[j])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
