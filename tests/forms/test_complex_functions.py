"""Functions of `cmath`."""

from __future__ import annotations

import pytest
from outcome import both

pytestmark = [pytest.mark.usefixtures("lenient"), pytest.mark.filterwarnings("ignore")]

HEAD = """
import cmath, math
from cmath import exp as e
import numpy as np
x = [math.sin(0.3 * i) for i in range(32)]
z = [complex(math.cos(i), 3.0 - 0.25 * i) for i in range(32)]
"""

TAKEN = {
    "a Fourier transform": """
def run(x):
    n, out = len(x), []
    for k in range(n):
        s = 0j
        for t in range(n):
            s += x[t] * cmath.exp(-2j * cmath.pi * k * t / n)
        out.append(s)
    return out
res = run(x), run(z)
""",
    "by another name": """
def run(z):
    s = 0j
    for v in z:
        s += e(v) * e(-v * 0.5)
    return s
res = run(z), run(np.array(z))
""",
    "roots": """
def run(a, b):
    s = 0j
    for i in range(len(a)):
        d = cmath.sqrt(a[i] * a[i] - 4 * b[i])
        s += (-a[i] + d) / 2
    return s
res = run(z, x), run(z[::-1], z)
""",
    "parts": """
def run(z):
    s, t = 0j, 0.0
    for i in range(len(z)):
        r, phi = cmath.polar(z[i])
        s += cmath.rect(r * 0.5, phi + 0.1 * i)
        t += cmath.phase(z[i])
    return s, t
res = run(z), run([complex(-v, -0.0) for v in (1.0, 2.0, -3.0, 0.0)])
""",
}

NUMPYS = """
res = []
for dtype in (np.complex64, np.complex128, np.float32, np.float64, np.int8):
    v = np.array([3.3, -2.5, 0.0, 1e-30, 7.0, 0.25]).astype(dtype)
    if np.iscomplexobj(v):
        v += 1j * v[::-1]
    for f in (one, two, three, four, five):
        for part in (v, v[::-2], v[:1]):
            res.append(repr(f(part)))
"""
OF_NUMPYS = """
def one(v):
    for i in range(len(v)):
        r, phi = cmath.polar(v[i])
    return r, phi
def two(v):
    out = []
    for i in range(len(v)):
        out.append(cmath.sqrt(v[i]))
    return out
def three(v):
    s = 0j
    for i in range(len(v)):
        w = cmath.exp(v[i])
        s += w * cmath.phase(v[i])
    return s, w
def four(v):
    out = []
    for i in range(len(v)):
        out.append(cmath.rect(v[i].real, v[i].imag))
    return out
def five(v):
    for i in range(len(v)):
        t = cmath.polar(v[i])
    return t
"""


def test_numbers_of_numpys() -> None:
    both(HEAD + OF_NUMPYS + NUMPYS)


ODD = ["float('inf')", "float('nan')", "800.0", "-800.0", "1e308", "complex(1e308, 1e308)",
       "complex(0.0, float('inf'))", "complex(5e-324, 0.0)", "0j", "complex(-0.0, -0.0)",
       "complex(-4.0, -0.0)", "7", "True", "1 << 80", "'a'"]  # fmt: skip


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_taken(body: str) -> None:
    found = both(HEAD + body)
    fared = found.loops_after(HEAD)
    assert fared[min(fared)] == "compiled", fared


@pytest.mark.parametrize("name", ["exp", "sqrt", "phase", "polar"])
@pytest.mark.parametrize("value", ODD)
def test_odd_arguments(name: str, value: str) -> None:
    both(
        f"""{HEAD}
def run(v, n):
    found = []
    for i in range(n):
        w = cmath.{name}(v)
        found.append(w)
    return found
try:
    res = repr(run({value}, 3))
except (ValueError, OverflowError, TypeError) as error:
    res = repr(error)
"""
    )


def test_another_function_in_its_place() -> None:
    both(
        f"""{HEAD}
def run(z):
    s = 0j
    for v in z:
        s += cmath.exp(v)
    return s
res = [run(z)]
cmath.exp, kept = lambda v: v, cmath.exp
res.append(run(z))
cmath.exp = kept
res.append(run(z))
del kept
"""
    )
