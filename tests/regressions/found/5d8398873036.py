"""So has an inner loop."""

setup = """\
n = 5
s = 0
b = values('float64', (n, n), 7)
c = values('float64', (3,), 8)
"""
loop = """\
for i in range(n):
    for j in range(n):
        try:
            b[i, j] = c[j]
        except IndexError:
            break
    else:
        s += 1
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
"""
