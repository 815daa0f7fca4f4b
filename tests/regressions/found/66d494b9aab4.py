"""Seed 77, program 197. The condition of a dependence took isl for ever to write."""

setup = """\
A = np.asfortranarray(values('int8', (9, 9, 9), 4, True))
n = 5
m = 4
h = 1
c = 2.1
t = 0.0
"""
loop = """\
for i in range(2, n + 1):
    for j in range(i + 1, n):
        for k in range(max(0, j - 1), min(n, j + 2)):
            A[n - 1 - i, j + k, k * 1 % 7] += (A[n - 1 - k, j, k] & k)
            A[i * 1 % 7][i + 1][j] = t = c
            A[j + 2, j + i, j - 1] = (A[i, k + h, i + m] + A[k, k, k])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
