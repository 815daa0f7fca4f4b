"""Every live-in path has its root: the closed form of an attribute is a name of its own."""

setup = """\
n = 5
class Box:
    pass
p = Box()
p.u = values('float64', (n + 3,), 7)
p.k = 0
"""
loop = """\
for i in range(n):
    p.k += (1 + 1)
    for j in range(n):
        p.u += 1
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
