"""Seed 20261126, program 923. call 0: U: CPython has ndarray [ 66.35216487643892 -inf
63.44391862721033 -250.20618846803728 173.8283264012386 85.70391789389016 -103.09502118917476],
autopar ndarray [ 66.35216487643892 -inf 126.88783725442066 -500.41237693607457
347.6566528024772 171.40783578778033 -206.19004237834952]
"""

setup = """\
n = 6
t = 1.0
class Box:
    pass
p = Box()
p.u = values('float64', (n + 3,), 7)
p.v = p.u
p.k = 0
p.t = 1
p.x = [0] * (n + 3)
o = SimpleNamespace(t=1.5, k=2)
U = values('float64', (n + 1,), 1, True)
V = U
W = values('int64', (n + 1, n + 1), 3)
"""
loop = """\
for i in range(n):
    U = (-(-U)) + U
"""
calls = ("",)
place = "try"
threads = 3
order = 1
errors = "warn"
helpers = """\
import numpy as np
"""
