"""The outcome of a test went from one copy of a loop to another without a note where the step is
no literal.
"""

setup = """\
n = 6
h = 1
t = 1.0
s = 0.0
p, q = 0.5, 1.5
pairs = [(k * 1.0, k * 0.5) for k in range(n)]
I = [k % 3 for k in range(n + 3)]
"""
loop = """\
for i in range(0, n, h):
    for u, v in pairs:
        p, q = q - v, t
    if I[i] >= I[i - 1]:
        s, t = t, s + 3
    else:
        t *= -1.5
    s, t = t, s
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = ""
