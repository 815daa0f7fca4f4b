"""Seed 5, program 1033. call 0: exception: CPython has (<class 'OverflowError'>, 'Python integer
-1 out of bounds for uint8', 3), autopar nothing
"""

setup = """\
p = SimpleNamespace()
A = values('uint8', (14,), 0)
B = values('uint8', (14,), 10)
n = 5
"""
loop = """\
for i in range(n):
    A[i] += (-2 // 3)
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
