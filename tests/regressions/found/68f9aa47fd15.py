"""Seed 2026, program 156. call 0: warnings: CPython has {(<class 'RuntimeWarning'>, 'overflow
encountered in scalar subtract', 7), (<class 'RuntimeWarning'>, 'overflow encountered in scalar
subtract', 8), (<class 'RuntimeWarning'>, 'overflow encountered in…, autopar {(<class
'RuntimeWarning'>, 'overflow encountered in scalar subtract', 7), (<class 'RuntimeWarning'>,
'overflow encountered in scalar subtract', 8)}
"""

setup = """\
A = values('uint16', (18, 18), 19)[::2, ::2]
B = A[::2]
n = 6
"""
loop = """\
for i in range(n, 0, -2):
    for j in range(i):
        for k in range(j, -1, -1):
            B[j, k] = A[j - 1, k] * 2
            A[j, k] = A[j, k + 1] - A[1, k]
            A[j, k] = A[j, k - 1] - 3
"""
calls = ("",)
place = "twice"
threads = 3
order = 0
