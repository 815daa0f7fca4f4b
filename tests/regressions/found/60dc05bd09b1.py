"""Seed 4711, program 294. call 0: B as it came: CPython has ndarray [ 0.31404498 -2.419636
2.6759193 -2.7856524 -3.407003 1.540374 1. 3.8274531 4.0668006 ], autopar ndarray [ 0.31404498
-2.419636 2.6759193 -2.7856524 -3.407003 1.540374 0. 3.8274531 4.0668006 ]
"""

setup = """\
A = values('int32', (14, 14), 5)[1:]
B = np.asfortranarray(values('float32', (9,), 53))
n = 6
s = np.float64(0.5)
t = 0
"""
loop = """\
for i in range(n - 1, -1, -1):
    if s >= 2.1:
        s = 2.1
    for j in range(n - i, 0, -1):
        t = B[j + 1]
        for k in range(2, n + 1):
            B[-3] = k % (j + 1) == 0
        A[i, j] = 7
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = ""
