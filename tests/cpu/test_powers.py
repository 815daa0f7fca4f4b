"""Squares and other powers have the bits of C's ``pow``, not always those of a product."""

from __future__ import annotations

import ctypes
import ctypes.util

import harness
import numpy as np
import pytest
from outcome import same

from autopar.cpu import powers, runs

SOURCE = "for i in range(n):\n    b[i] = a[i] ** 2\n"


EXPONENTS = [3, 4.0, 6, 12, 0.5, 1.5, -1]


def by_pow(values, exponent=2.0):
    """What the library's ``pow`` makes of them."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    power = library.pow
    power.restype, power.argtypes = ctypes.c_double, [ctypes.c_double] * 2
    return np.array([power(value, exponent) for value in values])


@pytest.mark.parametrize(
    ("least", "most"),
    [
        (0, 1),
        (-31, 32),
        (-33, -29),
        (29, 33),
        (-470, -400),
        (-540, -450),
        (480, 512),
        (-1074, 1023),
    ],
)
def test_the_bits_of_pow(lenient, least, most):
    rng = np.random.default_rng(abs(least) + most)
    a = rng.uniform(1, 2, 40_000) * np.exp2(rng.integers(least, most, 40_000).astype(float))
    a[::3] *= -1
    a[:6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324
    b = np.zeros_like(a)
    with np.errstate(all="ignore"):  # of what is too large or too small
        here, _ = harness.run(SOURCE, a=a, b=b, n=len(a))
    assert here.record.runs == 1
    wanted = by_pow(a)
    same = (b.view(np.int64) == wanted.view(np.int64)) | (np.isnan(b) & np.isnan(wanted))
    assert same.all(), a[~same][:5]


@pytest.mark.parametrize("power", [0, 1, -20, 31, -31])
def test_squares_next_to_the_middle_between_two_numbers(lenient, power):
    a = np.random.default_rng(power + 99).uniform(1, 2, 400_000) * 2.0**power
    rest = np.abs((a.astype(np.longdouble) ** 2 - a * a) / np.spacing(a * a))
    a = a[rest > 0.47].astype(float)
    b = np.zeros_like(a)
    harness.run(SOURCE, a=a, b=b, n=len(a))
    assert len(a) > 10_000
    assert b.tobytes() == by_pow(a).tobytes()


@pytest.mark.skipif(not powers.known(), reason="of a library that is not known")
def test_products_are_not_enough():
    """There are numbers whose square is rounded to the other side, so this test can fail."""
    a = np.random.default_rng(0).uniform(1, 2, 400_000)
    assert (by_pow(a) != a * a).any()


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("most", [1, 60, 1000])
def test_the_bits_of_other_powers(lenient, exponent, most):
    rng = np.random.default_rng(most)
    scale = np.floor(rng.uniform(-most, most, 20_000) / abs(exponent))
    a = rng.uniform(1, 2, 20_000) * np.exp2(scale)
    a[::3] *= -1 if exponent % 1 == 0 else 1
    a[:8] = 0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1.0, -1.0
    b = np.zeros_like(a)
    with np.errstate(all="ignore"):
        here, _ = harness.run(
            f"for i in range(n):\n    b[i] = a[i] ** {exponent}\n", a=a, b=b, n=len(a)
        )
    assert here.record.runs == 1
    wanted = by_pow(a, float(exponent))
    same = (b.view(np.int64) == wanted.view(np.int64)) | (np.isnan(b) & np.isnan(wanted))
    assert same.all(), a[~same][:5]


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_next_to_the_middle_between_two_numbers(lenient, exponent):
    a = np.random.default_rng(7).uniform(1, 2, 200_000)
    exact = a.astype(np.longdouble) ** exponent
    rest = np.abs((exact - exact.astype(float)) / np.spacing(exact.astype(float)))
    a = a[rest > 0.48].astype(float)
    b = np.zeros_like(a)
    harness.run(f"for i in range(n):\n    b[i] = a[i] ** {exponent}\n", a=a, b=b, n=len(a))
    assert len(a) > 1_000
    assert b.tobytes() == by_pow(a, float(exponent)).tobytes()


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize(
    "body",
    [
        "b[i] = float(a[i]) ** {0}",
        "s = (s * 0.01 + a[i] * 0.5) ** {0}\n    b[i] = s",
        "b[i] = a[i] ** {0} + c[i] ** {0}",
        "s = s * 0.5 + float(a[i]) ** {0} + c[i] ** {0}\n    b[i] = s",
    ],
)
def test_one_by_one_and_together(strict, exponent, body):
    a, c = np.random.default_rng(3).uniform(0.3, 0.9, (2, 2_000))
    source = f"for i in range(n):\n    {body.format(exponent)}\n"
    ours, plain = ({"a": a, "b": np.zeros(2_000), "c": c, "s": 0.5, "n": 2_000} for _ in "12")
    here, found = harness.run(source, **ours)
    exec(compile(source, "<text>", "exec"), plain)
    assert here.record.runs == 1
    assert ours["b"].tobytes() == plain["b"].tobytes()
    assert found.get("s", 0.5) == plain["s"]


@pytest.mark.parametrize(("number", "exponent"), [(-2.0, 0.5), (-2.0, 1.5), (0.0, -1), (1e200, 3)])
def test_what_is_no_float_is_left_to_python(lenient, number, exponent):
    """A complex number, and two errors."""
    a, b = np.linspace(1.0, 2.0, 100), np.zeros(100)
    a[70] = number
    source = f"for i in range(n):\n    b[i] = float(a[i]) ** {exponent}\n"
    assert harness.run(source, a=a, b=b, n=100)[0].record.runs == 0
    assert harness.run(source, a=a, b=b, n=70)[0].record.runs == 1


SHORT = """
def f(u, v, n, m):
    a = np.zeros(n)
    b = np.zeros(n)
    for i in range(n):
        s = 0.0
        t = 0.0
        for k in range(m):
            s += (u[i, k] - v[0, k]) ** 2
            t += {}
        a[i] = s
        b[i] = t
    return a, b
a = f(u, v, len(u), m)
"""
OTHERS = [
    "(u[i, k] + v[1, k]) ** 2 * 0.5",
    "(u[i, k] - v[1, k]) ** 3",
    "abs(u[i, k]) ** 1.5 + v[0, k] ** 2",
    "((u[i, k] * 0.75) ** 3 - u[i, k] ** 2) ** 2",
]


@pytest.mark.parametrize("m", [0, 1, 7, 8, 9, 64, 130, 300])
@pytest.mark.parametrize("other", OTHERS)
def test_many_in_short_loops(lenient, other, m):
    """Those of several iterations of the loop around are found at once."""
    rng = np.random.default_rng(m)
    u, v = rng.normal(size=(23, m)), rng.normal(size=(2, m))
    text = f"{SHORT.format(other)}# {m}\n"
    assert "compiled" in same(text, u=u, v=v, m=m, np=np).values()


@pytest.mark.parametrize("odd", [float("inf"), float("nan"), 1e200, 1e-200, -0.0])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.filterwarnings("ignore")
def test_odd_numbers_in_short_loops(lenient, other, odd):
    """What NumPy warns of is looked at behind the powers."""
    rng = np.random.default_rng(3)
    u, v = rng.normal(size=(23, 8)), rng.normal(size=(2, 8))
    u[5, 3] = u[20, 7] = odd
    same(SHORT.format(other), u=u, v=v, m=8, np=np)


def test_which_are_found_at_once(apart, monkeypatch):
    """Not those of which one needs another."""
    together: list[int] = []
    find = runs.RunWriter.find_together

    def noted(writer, found, *more):
        together.append(len(found))
        return find(writer, found, *more)

    monkeypatch.setattr(runs.RunWriter, "find_together", noted)
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(23, 8)), rng.normal(size=(2, 8))
    apart(None)
    for other, count in zip(OTHERS, (2, 2, 3, 0), strict=True):
        together.clear()
        same(SHORT.format(other), u=u, v=v, m=8, np=np)
        assert set(together) == ({count} if count else set()), other
