"""A condition that assigns is asked as often as CPython asks it, also between two prints."""

setup = """\
n = 12
s = 0.0
k = 0
a = values('float64', (n + 2,), 7)
"""
loop = """\
while (k := k + 1) < n:
    if a[k] > 1:
        print(k, s)
        continue
    s += a[k]
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = ""
