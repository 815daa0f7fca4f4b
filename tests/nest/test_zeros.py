"""``z = 0``, and then complex: a zero of the other type where nobody can tell."""

from __future__ import annotations

import pytest
from outcome import same

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
x = np.linspace(-1.5, 1.5, 12)
x[5], x[6] = 0.0, -0.0
Z = x * 1j - x[::-1] * 0.5
"""
BEGIN = """
def work(x, Z):
    o, w, q = np.zeros(12), np.zeros(12, complex), [0.0] * 12
"""
END = """
    return o, w, q
r = work(x, Z), work(x * 0, Z * 0), work(-x, -Z), work(x * 1e200, Z * 1e200)
"""

TAKEN = {
    "mandelbrot": """
    for i in range(12):
        c, z = complex(x[i], x[-i]), 0
        for k in range(20):
            if abs(z) > 2:
                break
            z = z * z + c
        o[i] = k
        w[i] = z
""",
    "a power": """
    for i in range(12):
        c, z, n = complex(x[i], 0.3), 0, 0
        while abs(z) <= 2 and n < 15:
            z = z ** 2 + c
            n += 1
        o[i] = n
""",
    "of NumPy's type": """
    for i in range(12):
        s = 0
        for k in range(9):
            s = s * s + x[k]
        o[i] = s
""",
    "complex of NumPy's type": """
    for i in range(12):
        s = 0
        for k in range(i):
            s = s * Z[0] + Z[k]
        w[i] = s
""",
    "a float at first": """
    for i in range(12):
        c, z = complex(x[i], -0.0), 0.0
        for k in range(9):
            z = z * z - c
        w[i] = z
""",
    "from one to the other": """
    for i in range(12):
        a, b = 0, 0
        for k in range(9):
            b = a + x[k]
            a = b * 0.5 if b > 0.25 else b - x[i]
        o[i] = a * b
""",
}

LEFT = {
    "negated": """
    for i in range(12):
        s = 0
        for k in range(i):
            s = -s * x[k]
            s = s + x[i]
        o[i] = 1.0 / (s + 2.0)
""",
    "put into a list": """
    for i in range(12):
        s = 0
        for k in range(i):
            s = s * s + x[k]
        q[i] = s
""",
    "divided by": """
    for i in range(12):
        s = 0
        for k in range(i):
            o[i] = x[k] / s
            s = s * s + x[k]
""",
    "a subscript": """
    for i in range(12):
        s = 0
        for k in range(2):
            o[int(s)] += 1.0
            s = s * s + 0.5
""",
    "another int": """
    for i in range(12):
        s = 1
        for k in range(i):
            s = s * s + Z[k]
        w[i] = s
""",
    "a type that tells": """
    for i in range(12):
        s, t = 0, 0
        for k in range(i):
            t = s * 3
            s = s * s + x[k]
        o[i] = t
        q[i] = s
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    code = HEAD + BEGIN + TAKEN[title] + END
    first = code[: code.index("    for i in range(12)")].count("\n") + 1
    assert same(code)[first] == "compiled"


@pytest.mark.parametrize("title", LEFT)
def test_the_same_in_any_case(title: str) -> None:
    assert same(HEAD + BEGIN + LEFT[title] + END)
