"""Seed 2026, program 175. call 0: warnings: CPython has {(<class 'RuntimeWarning'>, 'overflow
encountered in scalar multiply', 3)}, autopar set()
"""

setup = """\
A = values('uint8', (9,), 0)
B = A[1:]
n = 5
"""
loop = """\
for i in range(n):
    A[i] = B[i] * 3
"""
calls = ("",)
place = "result"
threads = 3
order = 1
