"""A loop that breaks where an exception is handled has done so when its ``else`` is asked."""

setup = """\
n = 5
b = values('float64', (n,), 7)
c = values('float64', (3,), 8)
"""
loop = """\
for i in range(n):
    try:
        b[i] = c[i]
    except IndexError:
        break
"""
calls = ("",)
place = "else"
threads = 3
order = 1
errors = "warn"
helpers = """\
"""
