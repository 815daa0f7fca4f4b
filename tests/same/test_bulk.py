"""NumPy's functions and squares for many iterations at once: which are, and what comes out."""

from __future__ import annotations

import math

import harness
import numpy as np
import pytest

from autopar.cpu import powers

# Statements of an iteration, and how many calls are made for a strip.
IN_STRIPS = {
    "b[i] = np.exp(a[i])": 1,
    "u = a[i] * 0.5\n    b[i] = np.exp(u) + u": 1,
    "u = a[i] * 0.5\n    b[i] = np.exp(u) + np.exp(u) * np.log(u)": 2,
    "u = a[i] * 0.5\n    v = np.exp(u)\n    u = v - 0.9\n    b[i] = np.exp(u) + v": 2,
    "u = np.exp(a[i])\n    b[i] = np.log(u + 1.0)": 2,
    "b[i] = np.exp(a[i])\n    c[i] = np.exp(-a[i])": 2,
    "b[i] = np.exp(a[i])\n    c[i] = np.exp(a[i])": 1,
    # Also once more, to name what it warns of after `c` has been put back.
    "b[i] = np.exp(c[i])\n    c[i] = b[i] - 1.0": 3,
    "s = a[i]\n    if s > 2.0:\n        s = -s\n    b[i] = np.exp(s)": 1,
    "if a[i] > 2.0:\n        s = a[i] * 0.5\n        t = s + 2.0\n    else:\n        s = t = a[i]\n"
    "    b[i] = np.exp(s)\n    c[i] = np.log(t)": 2,
    "b[i] = np.exp(a[i]) if a[i] < 2.0 else 0.0\n    c[i] = np.exp(a[i])": 1,
    # What some iterations do.
    "if a[i] > 2.0:\n        b[i] = np.exp(a[i])": 1,
    "if a[i] > 2.0:\n        b[i] = 1.0\n    c[i] = np.exp(a[i])": 1,
    "if a[i] > 2.0:\n        b[i] = np.exp(a[i])\n    else:\n        b[i] = np.log(a[i])": 2,
    "u = a[i] - 2.0\n    if u > 0.0:\n        v = u * 0.5\n        b[i] = np.exp(v) + np.log(v)\n"
    "        c[i] = np.exp(v)\n    elif u < -1.0:\n        b[i] = np.exp(u)": 2,
    "if a[i] > 2.0:\n        b[i] = np.log(np.exp(a[i]) + np.exp(c[i]))": 3,
    "if a[i] > 2.0:\n        u = np.exp(a[i])\n        b[i] = np.exp(np.log(u) * 0.1 * u)": 3,
    "u = a[i]\n    if a[i] > 2.0:\n        u = np.exp(a[i] - 2.0)\n    b[i] = np.log(u)": 2,
    "if np.exp(a[i]) > 9.0:\n        b[i] = np.exp(a[i])\n    c[i] = np.exp(a[i])": 2,
    "if np.exp(a[i]) > 9.0 or np.log(a[i]) < 0.0:\n        b[i] = 1.0": 1,
    # Sums.
    "s += np.exp(a[i] * 0.01)\n    c[i] = s": 1,
    "if a[i] > 2.0:\n        s += np.exp(a[i] * 0.01)": 1,
    "u = np.log(a[i])\n    s = s * 0.5 + u": 1,
}
ONE_BY_ONE = [
    "b[i] = a[i] * 2.0\n    c[i] = np.exp(b[i])",
    "b[i] = a[i] * 2.0\n    u = b[i]\n    c[i] = np.exp(u)",
    "c[i] = np.exp(c[i]) + 0.5 if a[i] > 2.0 else 0.5",
    "if a[i] > 2.0:\n        b[i] = 1.0\n    c[i] = np.exp(b[i])",
    "if a[i] > 2.0:\n        b[i] = a[i]\n        c[i] = np.exp(b[i])",
    "if b[i] < 1.0:\n        b[i] = np.exp(c[i - 1])\n        c[i] = 0.5",
    "s = s * 0.5 + a[i]\n    u = s - 1.0\n    c[i] = np.exp(u)",
]
# In a branch: whether what it is handed is known where the branch is not taken.
KNOWN = {
    "if a[i] > 2.0:\n        b[i] = np.exp(a[i])": True,
    "u = a[i] * 0.5\n    if c[i] > a[i]:\n        b[i] = np.arctan2(-u, c[i])": True,
    "u = c[i]\n    if a[i] < 2.0:\n        b[i] = 1.0\n    else:\n        b[i] = np.exp(u)": True,
    # Nobody has read it, or not in each iteration; there is something to compute.
    "if i > 3:\n        b[i] = np.exp(a[i - 3])": False,
    "if a[i] > 2.0 and c[i] > 0.5:\n        b[i] = np.exp(c[i])": False,
    "if a[i] > 2.0:\n        b[i] = np.exp(a[i] * 0.5)": False,
    "if a[i] > 2.0:\n        u = a[i]\n        b[i] = np.exp(u)": False,
    "j = i\n    u = a[j]\n    j = k[i]\n    if u > 2.0:\n        b[i] = np.exp(a[j])": False,
    # It would be converted, or negated, with a warning of its own.
    "if a[i] > 2.0:\n        b[i] = np.arctan2(f[i], 1e300)": False,
    "if i > 3:\n        b[i] = np.exp(-k[i])": False,
}
SQUARES = {
    "b[i] = a[i] ** 2": 1,
    "u = a[i] - 1.0\n    v = a[i] + c[i]\n    b[i] = u ** 2 + v ** 2": 2,
    "b[i] = (a[i] ** 2 + 1.0) ** 2": 2,
    "b[i] = float(a[i]) ** 2 + float(a[i]) ** 2": 1,
    "if a[i] ** 2 + c[i] ** 2 <= 6.0:\n        s += 1.0": 2,
}


def ran(body: str, n: int, **names) -> None:
    """Assert that arrays are left as Python leaves them."""
    source = f"for i in range(n):\n    {body}\n"
    made = []
    for _ in range(2):
        rng = np.random.default_rng(n)
        given = {"a": rng.uniform(0.1, 4.0, n), "b": np.zeros(n), "c": np.ones(n), "s": 0.5}
        made.append({**given, "n": n, "np": np, "math": math, **names})
    ours, plain = made
    here, _ = harness.run(source, **ours)
    assert here.record.runs == 1
    exec(compile(source, "<text>", "exec"), plain)
    for name in "abc":
        assert ours[name].tobytes() == plain[name].tobytes(), name


@pytest.mark.parametrize("n", [3, 700])
@pytest.mark.parametrize("body", IN_STRIPS)
def test_functions_in_strips(body, n, kernel_texts):
    ran(body, n)
    assert "".join(kernel_texts).count('many_("numpy_') == IN_STRIPS[body]


@pytest.mark.parametrize("body", KNOWN)
def test_what_all_iterations_may_hand_over(body, kernel_texts):
    k = np.array([-(2**63), *range(699)])
    ran(body, 700, f=np.ones(700, np.float32), k=k)
    text = kernel_texts[-1]
    handed = text.index("at_] =")
    chosen = text.index("if many0_float")
    assert (handed < chosen) is KNOWN[body]


@pytest.mark.parametrize("body", ONE_BY_ONE)
def test_functions_one_by_one(body, kernel_texts):
    ran(body, 700)
    assert "".join(kernel_texts).count("many_(") == 0


@pytest.mark.skipif(not powers.known(), reason="squares are left to the C library")
@pytest.mark.parametrize("n", [1, 8, 13, 512, 1100])
@pytest.mark.parametrize("body", SQUARES)
def test_squares(body, n, kernel_texts):
    ran(body, n)
    assert "".join(kernel_texts).count('many_("squares_"') == SQUARES[body]


@pytest.mark.parametrize("body", ["b[i] = np.exp(u)", "s += np.exp(u)", "b[i] = u ** 2"])
def test_what_is_drawn_is_drawn_once(body, kernel_texts):
    source = f"for i in range(n):\n    u = g.random()\n    {body}\n"
    left = [{"b": np.zeros(700), "s": 0.5, "n": 700, "g": np.random.default_rng(1)} for _ in "12"]
    here, found = harness.run(source, np=np, **left[0])
    exec(compile(source, "<text>", "exec"), {"np": np}, left[1])
    assert here.record.runs == 1
    assert left[0]["b"].tobytes() == left[1]["b"].tobytes()
    assert found.get("s", 0.5) == left[1]["s"]
    assert left[0]["g"].random() == left[1]["g"].random()


def test_where_arrays_may_share_memory_a_store_is_the_end(kernel_texts):
    """The second call is handed what the first store may have changed."""
    body = "b[i] = np.exp(a[i])\n    c[i] = np.exp(-d[i])"
    for shift in (0, 1):
        shared = [np.linspace(0.0, 1.0, 700) for _ in range(2)]
        ours, plain = ({"b": x[: 700 - shift], "d": x[shift:]} for x in shared)
        given = {"a": np.linspace(-1.0, 1.0, 700), "np": np, "n": 600}
        left = [{**given, **one, "c": np.zeros(700)} for one in (ours, plain)]
        source = f"for i in range(n):\n    {body}\n"
        harness.run(source, **left[0])
        exec(compile(source, "<text>", "exec"), left[1])
        assert shared[0].tobytes() == shared[1].tobytes()
        assert left[0]["c"].tobytes() == left[1]["c"].tobytes()
    assert kernel_texts


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("number", [np.inf, np.nan, 1e200, 0.0])
@pytest.mark.parametrize(
    "body",
    ["u = c[i] * d\n    a[i] = np.exp(u)", "if c[i] != 1.5:\n        a[i] = np.log(c[i])"],
)
def test_warnings_are_those_of_the_statement(body, number):
    """In the strip that is run again to name them."""
    c = np.linspace(1.0, 2.0, 600)
    c[[5, 520]] = number
    source = f"for i in range(n):\n    {body}\n"
    harness.same_warnings(source, np.zeros(600), c=c, d=np.float64(3.0), n=600, np=np)


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("operand", ["a[i]", "float(a[i])"])
def test_squares_that_are_too_large_are_left_to_python(operand):
    """Which warns of one, and raises for the other."""
    a, b = np.linspace(1.0, 2.0, 600), np.zeros(600)
    a[530] = 1e200
    here, left = harness.run(f"for i in range(n):\n    b[i] = {operand} ** 2\n", a=a, b=b, n=600)
    assert left is None
    assert here.record.runs == 0


@pytest.mark.skipif(not powers.known(), reason="squares are left to the C library")
@pytest.mark.parametrize("n", [5, 700])
def test_what_a_power_is_of_is_computed_once(n, kernel_texts):
    body = "b[i] = math.sin(a[i] / 2) ** 2 + c[i]\n"
    ran(body + "    if a[i] > 2.0:\n        c[i] = abs(math.cos(a[i])) ** 1.5", n)
    text = "".join(kernel_texts)
    assert text.count("many_(") == 2
    assert [text.count(f"libm_{name}(") for name in ("sin", "cos")] == [1, 1]
