"""A place to cut a loop at was kept for other numbers, at which it was none."""

setup = """\
n, m = 21, 4
A = values('int32', (n, n), 1)
v = values('int32', (n,), 2)
w = values('float64', (n,), 4)
i = j = k = t = 7
v = A[n // 2]
"""
loop = """\
for k in range(n - 1, -1, -1):
    for i in range(k + 2, n):
        if i != k:
            A[i, k] = A[i, k] - 0.5 * A[i, i]
        for j in range(i + 1):
            A[i, i] = max(w[k], A[i, j])
    for i in range(n - 1, -1, -1):
        for j in range(3, n - 3):
            A[i, j] = v[k - 1] + v[i]
"""
calls = ("", "n -= 1")
place = "try"
threads = 3
order = 2
errors = "warn"
helpers = ""
