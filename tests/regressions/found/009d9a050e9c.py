"""Seed 0, program 84. An AssertionError under AUTOPAR_CHECK=1: both comparisons of a chain had the
same A[i], so two accesses shared an id.
"""

setup = """\
A = values('int64', (14,), 35)
n = 5
c = 2.1
"""
loop = """\
for i in range(n - 1, -1, -1):
    if not 0 < A[i] < c:
        continue
    A[i] = A[i + 1]
"""
calls = ("",)
place = "function"
threads = 3
order = 1
