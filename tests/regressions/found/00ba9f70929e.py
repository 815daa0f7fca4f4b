"""Seed 5, program 956. call 0: exception: CPython has (<class 'OverflowError'>, 'Python integer -6
out of bounds for uint64', 5), autopar nothing
"""

setup = """\
A = values('uint64', (56,), 0)
n = 40
"""
loop = """\
for i in range(n):
    A[i] = A[i]
    for j in range(n):
        A[j] = (-2 * 3)
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
