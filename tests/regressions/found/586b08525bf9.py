"""Seed 2026, program 20887. ValueError: Exceeds the limit (4300 digits) for integer string
conversion; use sys.set_int_max_str_digits() to increase the limit
"""

setup = """\
A = values('int64', (56,), 0)
n = 40
r = 1
"""
loop = """\
for i in range(n):
    for j in range(n):
        for k in range(n):
            r += r
"""
calls = ("",)
place = "result"
threads = 3
order = 1
errors = "warn"
