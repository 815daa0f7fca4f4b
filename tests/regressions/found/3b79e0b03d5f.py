"""A row of a triangle that begins with what the scalar was in the row before is no cell."""

setup = """\
n = 40
a = values('float64', (n, n), 7)
b = values('float64', (n,), 8)
x = values('float64', (n,), 9)
w = b[3]
"""
loop = """\
for _ in 'a':
    solve(a, b, x, n, w)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
def solve(a, b, x, n, w):
    for i in range(n):
        w = w * 0.5 + b[i]
        for j in range(i):
            w -= a[i, j] * x[j]
        x[i] = w / 900
"""
