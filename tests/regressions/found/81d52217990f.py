"""What a branch may read stays what it was before a later part of the expression assigns it."""

setup = """\
n = 5
b = values('float64', (n,), 7)
c = values('float64', (n,), 8)
x = 1.0
y = 0.0
"""
loop = """\
for i in range(n):
    b[i] = (x if (y := c[i]) > 0 else 0.5) + (x := y * 2)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = ""
