"""Seed 20261501, program 2577. call 0: exception: CPython has nothing, autopar (<class
'NameError'>, 'kernel text calls bool, which is not known', 5)
"""

setup = """\
n = 5
s = 0.0
pt = (0.5, 1.5)
pairs = [(k + 0.5, k * 0.5) for k in range(n)]
T = values('float64', (n + 3, 2), 3)
a = [k - 2 for k in range(n)]
b = values('int64', (n,), 6)
"""
loop = """\
oo = [(max(v for v in a), v)[1] for v in (1.5, 2.5)]
s = sum(v for v in a)
"""
calls = ("",)
place = "function"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
def half(v): return v / 2
def big(v): return v > 0.5
"""
