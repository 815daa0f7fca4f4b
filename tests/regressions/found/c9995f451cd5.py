"""Seed 20266002, program 14332. A KeyError: scalars that stand for cells of an array were forgotten
where loops were joined afterwards.
"""

setup = """\
n = 1
m = 5
h = 2
k = 2
r = 1
c = 0.5
X = np.arange(n) % 3
A = values('int64', (n, m,), 0)
B = values('int64', (n, m,), 1)
D = values('int64', (n, m,), 2, True)
U = values('int64', (n,), 3)
V = values('int64', (n,), 4)
W = values('int32', (m,), 5)
"""
loop = """\
for i in range(1, n):
    B[:-1, :] -= B[1:, :]
    U[::2] = ((V[::2] // 2.0) * V[::2])
    T = U.copy()
    T[-h:] = np.maximum(2.0, A.sum(axis=1)[:h])
"""
calls = ("", "A = A.T\n")
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
