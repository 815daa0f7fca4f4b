"""Seed 2026, program 620. call 0: warnings: CPython has {(<class 'RuntimeWarning'>, 'overflow
encountered in scalar subtract', 5), (<class 'RuntimeWarning'>, 'overflow encountered in scalar
multiply', 3)}, autopar {(<class 'RuntimeWarning'>, 'overflow encountered in scalar subtract',
5)}
"""

setup = """\
p = SimpleNamespace()
p.A = values('uint16', (14,), 80)
B = p.A[:-1]
p.C = B
n = 5
"""
loop = """\
for i in range(n - 1, -1, -1):
    B[i] = p.A[i + 1] * 3
    for j in range(0, n, 2):
        p.A[j] = (B[i] - 1)
"""
calls = ("",)
place = "result"
threads = 3
order = 1
