"""Arrays that the programs of these tests work on."""

from __future__ import annotations

HEAD = """
import numpy as np
rng = np.random.default_rng(7)
n, m, k = 9, 7, 3
A, B, C = rng.random((n, m)), rng.random((n, m)) - 0.5, rng.random((n, m))
S = rng.random((m, m))
u, v, w = rng.random(n), rng.random(n) - 0.5, rng.random(m)
f = rng.random((n, m)).astype(np.float32)
g = rng.random(n).astype(np.float32)
i8 = np.arange(n, dtype=np.int8)
I, J = np.arange(n) * 5 - 20, np.arange(n * m).reshape(n, m)
U = np.arange(n).astype(np.uint16)
idx = np.array([2, 0, 1, 5, -1, 3, 3, 8, 4])
c, z = 1.25, np.float32(0.75)
Z = rng.random(n) + 1j * rng.random(n)
ok = A > 0.5
one = rng.random((n, 1))
def run(*names):
    pass
"""
