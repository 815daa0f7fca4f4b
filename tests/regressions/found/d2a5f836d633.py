"""Seed 2026, program 26155. Simplifying the condition of a bound took isl for ever."""

setup = """\
A = np.asfortranarray(values('float64', (14, 14), 66))
B = np.asfortranarray(values('float64', (14, 14), 166))
n = 5
m = 4
"""
loop = """\
for i in range(m):
    for j in range(i % 3, m, 2):
        A[j + 3, -3] = 2.1
        for k in range(j % 3, m, 2):
            for l in range(k + 1, n):
                B[i * 1 % 7, n] = np.maximum(B[i + 3, j + 1], B[i // 2][2 * j])
    A[2, i] = (A[i, i] + A[i, i])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
