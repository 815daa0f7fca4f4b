"""A power of what NumPy has computed, read backwards: another function of the C library than
forwards, another last bit.
"""

setup = """\
n = 5
m = 3
B = values('float32', (n, m,), 1)
P = np.zeros(m)
"""
loop = """\
for i in range(2):
    P[::-1] = (B.max(axis=0)[::-1]) ** 3
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = ""
