"""Seed 20261123, program 5704. call 0: A: CPython has ndarray [ 0.3771906632801799
-0.39631458987390566 1.9212679513298463 ... -4.387055775465578 2.5493508408553525
5.5521083398544455 ], autopar ndarray [ 0.3771906632801799 -0.39631458987390566
1.9212679513298463 ... -4.387055775465578 2.5493508408553525 5.5521083398544455 ]
"""

setup = """\
A = values('float64', (9, 9, 9), 0)
B = A[::2]
C = A[1:]
X = np.arange(7) % 3
n = 5
"""
loop = """\
for i in range(n):
    if i > 1:
        A[1, 2, i] = C[1, 2, i]
    for j in range(n):
        C[n - 1 - i, i, i] = mix(A[1, X[j], j - 2], B[i, i, 2 * i])
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
helpers = """\
def mix(x, y):
    t = x * y
    if t > 1:
        t = t - y
    else:
        x = t
    return t + x
"""
