"""Loops over a few arrays in a nest: the same for each of them, or left to Python."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
n = 40
x, y, z = np.arange(n) * 0.5, np.arange(n)[::-1] * 0.25, np.arange(n, dtype=np.int32)
p = np.arange(n) * 7 % n
class Fields:
    def __init__(self):
        self.u, self.v = x * 3, y * 2
s = Fields()
def f(x, y, z, p, s, n):
"""
CALL = """
try:
    r = f(x, y, z, p, s, n)
except Exception as error:
    r = repr(error)
u, v = s.u, s.v
"""
TAKEN = {
    "of names": """
    for i in range(n):
        for a in (x, y, z):
            a[i] = a[p[i]] + 1
""",
    "of attributes": """
    for i in range(n):
        for a in (s.u, s.v):
            a[i] = a[p[i]] * 0.5
""",
    "in a list": """
    for i in range(n):
        if i % 3:
            for a in [x, y]:
                a[i] -= 1
                a[n - 1 - i] *= 2
""",
    "one array twice": """
    for i in range(n):
        for a in (x, x, y):
            a[i] = 2 * a[i] + a[p[i]]
""",
    "one in the other": """
    for i in range(n):
        for a in (x, y):
            for b in (s.u, s.v):
                a[i] += b[p[i]]
                b[i] = a[p[i]]
""",
    "with a scalar": """
    t = 0.0
    for i in range(n):
        for a in (x, y):
            t += a[i]
            a[i] = t
    return t
""",
}
LEFT = {
    "read afterwards": """
    for i in range(n):
        for a in (x, y):
            a[i] = 1
    return a
""",
    "another array meanwhile": """
    for i in range(n):
        for a in (x, y):
            a[i] += 1
            x = y
    return x
""",
    "another attribute meanwhile": """
    for i in range(n):
        for a in (s.u, s.v):
            a[i] += 1
            s.u = s.v
""",
    "left early": """
    for i in range(n):
        for a in (x, y):
            if a[i] > 3:
                break
            a[i] += 1
""",
    "skipped": """
    for i in range(n):
        for a in (x, y):
            if a[i] > 3:
                continue
            a[i] += 1
""",
    "else": """
    for i in range(n):
        for a in (x, y):
            a[i] += 1
        else:
            x[i] = 0
""",
    "as a whole": """
    for i in range(n):
        for a in (x, y):
            a += 1
""",
    "handed on": """
    def g(a, i):
        a[i] = 2.5
    for i in range(n):
        for a in (x, y):
            g(a, i)
            a[i] += 1
""",
    "beyond the end": """
    for i in range(n):
        for a in (x, y):
            a[i + n // 2] += 1
""",
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken(body):
    loops = both(HEAD + body + CALL).loops
    assert set(loops.values()) == {"compiled"}, loops


@pytest.mark.parametrize("name", LEFT)
def test_the_same_where_it_is_another_matter(name):
    loops = both(HEAD + LEFT[name] + CALL).loops
    assert name == "handed on" or set(loops.values()) != {"compiled"}, loops
