"""Functions of `math` on integers."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import math, operator
from math import gcd
import numpy as np
n = 60
I, J = np.arange(n) - 20, (np.arange(n) * 7 % 31).astype(np.int32)
U = np.arange(n).astype(np.uint8)
"""

TAKEN = {
    "common divisors": """
c = 0
for i in range(1, 50):
    for j in range(1, 50):
        if gcd(i, j) == 1:
            c += 1
for i in range(n):
    x, y, z = math.gcd(I[i], J[i]), math.gcd(int(I[i]), 12), math.gcd(0, U[i])
    w, v = math.lcm(I[i], 6), math.gcd(True, 4)
    q = operator.index(J[i])
    I[i] = math.lcm(i, 0) + math.lcm(i, 15) - math.gcd(-i, i + 6)
""",
    "roots": """
c = 0
for k in range(2, 300):
    prime = True
    for d in range(2, math.isqrt(k) + 1):
        if k % d == 0:
            prime = False
            break
    if prime:
        c += 1
def roots(start):
    last = 0
    for i in range(5):
        last = last + math.isqrt(start - i)
    return last
big = [roots(k) for k in (4, 2**52 + 3, 2**53 + 3, (2**31 - 1) ** 2 + 2, 3037000499**2 + 1)]
""",
    "powers": """
c, e = 0, 0.0
for i in range(1, 40):
    c += pow(i, 3) + pow(2, i % 7) + pow(-i, i % 4)
    e += pow(i * 0.5, 1.5) + pow(2.0, -i)
""",
    "powers modulo": """
c = 0
for i in range(-30, 60):
    for m in (7, 13, -5, 1, 1000003, 3037000499):
        c = (c * 31 + pow(i, abs(i) % 17, m)) % 1000000007
def strong(n):
    d = n - 1
    s = 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in (2, 3):
        x = pow(a, d, n)
        if x == 1 or x == n - 1:
            continue
        other = True
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                other = False
                break
        if other:
            return False
    return True
for k in range(5, 400, 2):
    if strong(k):
        c += k
""",
    "bits": """
c = 0
for i in range(-70, 70):
    c = c * 3 % 10007 + i.bit_length() + (i ^ (i >> 1)).bit_count()
    c += bin(i).count("1") * 2 + (i * 2**56).bit_length()
for i in range(n):
    c += bin(I[i]).count("1") + bin(U[i]).count("1")
for i in range(3):
    c += (i > 1).bit_length() + (i - 2**62).bit_count()
""",
}

INTERPRETED = {
    "inverses": """
for i in range(1, 5):
    c = pow(i, -1, 7)
""",
    "modulo nothing": """
try:
    for i in range(5):
        c = pow(i, 2, 3 - i)
except ValueError:
    i = -1
""",
    "powers of NumPy's integers, modulo": """
try:
    for i in range(5):
        c = pow(I[i], 2, 5)
except TypeError:
    i = -1
""",
    "powers of floats, modulo": """
try:
    for i in range(5):
        c = pow(i, 2, 5.0)
except TypeError:
    i = -1
""",
    "large powers, modulo": """
for i in range(5):
    c = pow(2**40 + i, 5, 2**61 - 1)
""",
    "bits of NumPy's integers": """
try:
    for i in range(5):
        c = I[i].bit_length() + (I[i] * 1.5)
except AttributeError:
    i = -1
""",
    "bits of floats": """
try:
    for i in range(5):
        c = bin(i * 0.5).count("1")
except TypeError:
    i = -1
""",
    "another bin": """
def bin(i):
    return "1" * i
for i in range(5):
    c = bin(i).count("1")
""",
    "roots of what is negative": """
try:
    for i in range(5):
        c = math.isqrt(3 - i)
except ValueError:
    i = -1
""",
    "floats": """
try:
    for i in range(5):
        c = math.gcd(i, i * 1.0)
except TypeError:
    i = -1
""",
    "bools of NumPy's": """
b = np.array([True, False])
try:
    for i in range(2):
        c = math.gcd(b[i], 3)
except TypeError:
    i = -1
""",
    "integers beyond 64 bits": """
for i in range(5):
    c = math.gcd(i - 2**63 + 1, 2**62 * 2 - 1)
    d = math.lcm(2**62 - i, 2**61 - 1)
    e = math.isqrt(2**63 - 1 - i)
""",
    "three of them": """
for i in range(5):
    c = math.gcd(i, 2, 3)
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title, same):
    loops = same(HEAD + TAKEN[title])
    assert set(loops.values()) <= {"compiled", "not asked"}, loops
    assert "compiled" in loops.values()


@pytest.mark.parametrize("title", INTERPRETED)
def test_left_to_the_interpreter(title, same):
    loops = same(HEAD + INTERPRETED[title])
    assert "compiled" not in loops.values(), loops
