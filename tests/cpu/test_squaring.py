"""Squares that stand side by side are found at once, with the bits of each found alone."""

from __future__ import annotations

import harness
import numpy as np
import pytest
from test_powers import by_pow

from autopar.cpu import powers
from autopar.cpu.squaring import MOST, together


def lines(*body: str) -> list[str]:
    return ["    " + line for line in body]


def at_once(*body: str) -> int:
    """How many squares of these lines are found together with others."""
    text = "\n".join(together(lines(*body)))
    return text.count("float64(sq")


def test_a_group_as_text():
    body = lines("for i in range(0, n):", "    s = s + squared(x[i] - u)", "    t = squared(s0)")
    assert together(body) == lines(
        "for i in range(0, n):",
        "    sq0_, sq1_ = squares_(x[i] - u, s0)",
        "    s = s + float64(sq0_)",
        "    t = float64(sq1_)",
    )


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (("a = squared(x)", "b = squared(y)"), 2),
        (("a = squared(x) + squared(y) * squared(x)",), 3),
        (("a = squared(x)", "y = a", "b = squared(y)"), 0),  # it needs what comes between
        (("a = squared(x[i])", "y[i] = a", "b = squared(x[j])"), 0),  # which may be the same cell
        (("a = squared(x[i])", "y[i] = a", "b = squared(z)"), 2),
        (("a = squared(x)", "b = squared(y) if c else 0.0"), 0),
        (("a = squared(x)", "b = c and squared(y) > 1.0"), 0),
        (("a = squared(x)", "b = squared(y) > 1.0 and c"), 2),
        (("a = squared(x)", "if a > 1.0:", "    return 1", "b = squared(y)"), 0),
        (("a = squared(squared(x))", "b = squared(y)"), 2),  # the outer one
        (("a, b = squared(x), squared(y)",), 2),
        (("a = squared(x)", "x, c = z, a", "b = squared(x)"), 0),
    ],
)
def test_which_are_found_together(body, count):
    assert at_once(*body) == count


def test_no_more_than_fill_a_vector():
    body = [f"a{k} = squared(x{k})" for k in range(MOST + 3)]
    text = "\n".join(together(lines(*body)))
    assert text.count("squares_(") == 2
    assert text.count(" = squared(") == 0


def values(count: int) -> np.ndarray:
    """Numbers of all sizes, and such whose squares are near the middle between two numbers."""
    rng = np.random.default_rng(count)
    some = rng.uniform(-2, 2, 3000) * np.exp2(rng.integers(-540, 500, 3000).astype(float))
    near = rng.uniform(1, 2, 60_000)
    rest = np.abs((near.astype(np.longdouble) ** 2 - near * near) / np.spacing(near * near))
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, 1e-160, 3e-10, 3.2e9]
    found = np.concatenate([odd, near[rest > 0.47][:3000], some, rng.normal(size=3000)])
    return rng.permutation(found)


@pytest.mark.skipif(not powers.known(), reason="of a library that is not known")
@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9])
def test_the_bits_of_pow(lenient, count):
    names = [f"a{k}" for k in range(count)]
    data = {name: np.roll(values(count), 7 * k) for k, name in enumerate(names)}
    out = {f"b{k}": np.zeros(len(data["a0"])) for k in range(count)}
    body = [f"    t{k} = {name}[i] ** 2\n" for k, name in enumerate(names)]
    body += [f"    b{k}[i] = t{k}\n" for k in range(count)]
    source = "for i in range(n):\n" + "".join(body)
    with np.errstate(all="ignore"):
        here, _ = harness.run(source, **data, **out, n=len(data["a0"]))
    assert here.record.runs == 1
    for k, name in enumerate(names):
        wanted, found = by_pow(data[name]), out[f"b{k}"]
        nan = np.isnan(wanted)
        assert (np.isnan(found) == nan).all()
        assert found[~nan].tobytes() == wanted[~nan].tobytes()


SUMS = """
for i in range(n):
    s = 0.0
    u = 0.0
    for k in range(m):
        s += (p[q, k] - p[i, k]) ** 2
        u += (p[r, k] - p[i, k]) ** 2
    a[i] = s
    b[i] = math.sqrt(u)
"""


def test_sums_of_squares(lenient):
    import math

    p = np.random.default_rng(4).normal(size=(61, 8))
    here, _ = harness.run(
        SUMS, p=p, a=np.zeros(61), b=np.zeros(61), q=3, r=60, n=61, m=8, math=math
    )
    assert here.record.runs == 1


def test_python_numbers_that_overflow(lenient):
    """``x ** 2`` of a Python float raises where the square is infinite: the interpreter says so."""
    x = [1.0, 2.0, 1e200, 3.0]
    source = "for i in range(n):\n    s = x[i] ** 2 + y[i] ** 2\n    z[i] = s\n"
    with pytest.raises(OverflowError):
        exec(source, {"x": x, "y": [1.0] * 4, "z": [0.0] * 4, "n": 4})
    here, found = harness.run(source, x=x, y=[1.0] * 4, z=[0.0] * 4, n=4)
    assert found is None
    assert here.record is None or here.record.runs == 0
