"""Numbers that begin as 0 and are complex from then on, in functions of the user's."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import numpy as np
counts = np.zeros((20, 20), int)
"""
TAIL = """
def run():
    for i in range(20):
        for j in range(20):
            counts[i, j] = f(complex(-2 + i * 0.15, -1 + j * 0.1), 30)
run()
"""
TAKEN = {
    "the size of it": """
def f(c, most):
    z = 0
    n = 0
    while abs(z) <= 2 and n < most:
        z = z * z + c
        n += 1
    return n
""",
    "left early": """
def f(c, most):
    z = 0
    for n in range(most):
        if abs(z) > 2:
            return n
        z = z**2 + c
    return most
""",
    "its parts": """
def f(c, most):
    z = n = 0
    while n < most and z.real * z.real + z.imag * z.imag <= 4:
        z = z**2 + c
        n += 1
    return n
""",
}
LEFT = {
    "its type is seen": """
def f(c, most):
    z = 0
    for n in range(most):
        if isinstance(z, int):
            n = 7
        z = z * z + c
    return n
""",
    "another function of that name": """
def abs(z):
    return 3 - (z == 0) * 3
def f(c, most):
    z = n = 0
    while abs(z) <= 2 and n < most:
        z = z * z + c
        n += 1
    return n
""",
    "the other sign": """
def f(c, most):
    z = 0
    for n in range(3):
        z = z.conjugate() + c
    return str(z)
""",
}


@pytest.mark.parametrize("title", TAKEN)
def test_taken(title: str) -> None:
    assert "compiled" in both(HEAD + TAKEN[title] + TAIL).loops.values()


@pytest.mark.parametrize("title", LEFT)
def test_whatever_is_seen_of_it(title: str) -> None:
    seen = TAIL.replace("f(complex", "len(str(f(complex").replace(", 30)", ", 30)))")
    both(HEAD + LEFT[title] + seen)


def test_the_parts_of_a_number_from_before() -> None:
    text = """
import numpy as np
class Own(complex):
    @property
    def real(self):
        return 42.0
def f(n, c, d, e):
    t = 0.0
    for i in range(n):
        t = t * 0.5 + c.real * i - c.imag + d.real + e.imag + d.imag + e.real
    return t
out = [f(60, 1 + 2j, 3, np.float64(2.5)), f(60, np.complex64(1 + 0.1j), True, np.int32(7))]
out += [f(50, 2.5, np.complex128(3j), 1), f(30, Own(1, 2), 1, 1)]
"""
    assert "compiled" in both(text).loops.values()
