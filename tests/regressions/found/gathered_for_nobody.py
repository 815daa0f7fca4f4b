"""Found beside 726675d16545: A[X] is read, and its subscripts checked, for an empty target too."""

setup = """\
n = 7
m = 5
h = 2
k = 2
r = 1
c = 0.5
X = np.arange(5) + 1
A = values('float64', (m,), 0)
B = values('float64', (n, m,), 1)
"""
loop = """\
for i in range(n):
    for j in range(1):
        B[:j] *= A[X]
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
