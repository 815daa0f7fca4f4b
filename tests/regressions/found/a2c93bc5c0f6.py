"""Kernel text calls bool, which is not known: a choice between elements of bools, one of them
checked.
"""

setup = """\
n = 5
i = 1
J = values('float64', (n + 3,), 5)
B = values('bool', (n + 3,), 1)
"""
loop = """\
for j in range(n - 1, -1, -1):
    J[j] -= (B[i + 1] if j > 1 else B[j - 1])
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = ""
