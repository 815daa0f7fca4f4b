"""Calls of the C library whose arguments do not change are made once."""

import math

import numpy as np
import pytest
from tests.same.outcome import both, same

from autopar.cpu.invariant import first

BODY = """\
    s = float64(0)
    v1_ = n
    for i in range(0, 5):
        v2_ = x
        v3_ = squared(v2_)
        if v3_ - v3_ != 0.0:
            return 1
        v4_ = (v3_ * float64(n))
        v5_ = libm_exp(v4_)
        v6_ = libm_exp(s)
        v7_ = a[0]
        v8_ = libm_exp(v7_)
        v9_ = libm_pow(x, (n // m))
        v10_ = (x + 1.0)
        s = ((s + v5_) + v6_)
    return 0""".splitlines()


def test_what_is_moved_to_the_beginning():
    found = first(BODY, {"x", "n", "m"})
    moved = ["v2_ = x", "v3_ = squared(v2_)", "v4_ = (v3_ * float64(n))", "v5_ = libm_exp(v4_)"]
    assert found[:4] == ["    " + line for line in moved]
    assert sorted(line.strip() for line in found) == sorted(line.strip() for line in BODY)
    rest = [line for line in BODY if line.strip() not in moved]
    assert found[4:] == rest


@pytest.mark.parametrize(
    "line",
    ["v1_ = libm_exp(s)", "v1_ = libm_exp(a[0])", "v1_ = libm_pow(x, float64(n % m))",
     "v1_ = libm_pow(x, float64(n // m))", "v1_ = checked_add(n, m)", "y = libm_exp(x)",
     "v1_ = libm_exp(y)", "v1_ = libm_exp(float64(int64(x)))"],
)  # fmt: skip
def test_what_stays(line):
    body = ["    for i in range(0, 5):", "        " + line, "    return 0"]
    assert first(body, {"x", "n", "m"}) == body


def test_a_name_that_is_assigned_twice_stays():
    body = ["    for i in range(0, 5):", "        v1_ = libm_exp(x)", "        v1_ = libm_sin(x)"]
    assert first(body, {"x"}) == body


def test_nothing_is_moved_without_a_loop():
    body = ["    if x > 0.0:", "        v1_ = libm_exp(x)", "    return 0"]
    assert first(body, {"x"}) == body


SOURCE = """
def f(a, x, y, n):
    s = 0.0
    for i in range(n):
        if a[i] > 0.0:
            s += {value}
        a[i] += s
    return s
a = given.copy()
try:
    r = f(a, x, y, n)
except Exception as error:
    r = repr(error)
"""
VALUES = ["x**2", "x**y", "math.exp(x * y)", "math.log(x)", "math.sqrt(x) * math.sin(y)",
          "y**-1.5", "math.pow(x, y) / y", "2.0**x", "n**0.5", "math.atan2(y, x)",
          "math.fmod(x, y)"]  # fmt: skip
NUMBERS = [(0.2, 3.0), (-1.5, 2.0), (0.0, -1.0), (1e200, 1e3), (-0.0, 0.0), (3, -2),
           (math.inf, 1.0), (math.nan, 2.0)]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("x", "y"), NUMBERS)
@pytest.mark.parametrize("value", VALUES)
def test_the_same_numbers_and_the_same_errors(lenient, value, x, y):
    for a in ([1.0, -1.0, 2.0, 0.5], [-1.0, -9.0], []):
        names = {"given": np.array(a), "x": x, "y": y, "n": len(a), "math": math}
        both(SOURCE.format(value=value), **names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", ["x**2", "np.exp(x)", "x**y", "1 / x**2"])
@pytest.mark.parametrize("x", [np.float64(1e200), np.float64(0.2), np.float32(0.2)])
def test_numpys_numbers(lenient, value, x):
    for a in ([1.0, -1.0], [-1.0]):
        both(SOURCE.format(value=value), given=np.array(a), x=x, y=1e3, n=len(a), np=np)


def test_they_are_compiled(strict):
    source = SOURCE.format(value="x**2 * math.exp(y)")
    names = {"given": np.ones(5), "x": 0.2, "y": 1.5, "n": 5, "math": math}
    assert same(source, **names)[4] == "compiled"
