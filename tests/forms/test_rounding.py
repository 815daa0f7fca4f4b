"""`round` to decimals and `divmod`: bit for bit, with Python's types, warnings and exceptions."""

from __future__ import annotations

import random

import pytest
from tests.fuzz.compare import judge
from tests.fuzz.program import Program
from tests.fuzz.setting import eager

COMPILED = ("parallel", "sequential")


def judged(setup: str, loop: str) -> str:
    with eager():
        return judge(Program(f"n = 40\n{setup}\n", loop, errors="warn")).status


# ---------------------------------------------------------------------------- round


@pytest.mark.parametrize("places", range(9))
def test_round_of_floats(places: int) -> None:
    """Ties, numbers next to ties, and what is a tie only once it has been multiplied."""
    source = random.Random(places)
    x = [source.uniform(-9, 9) for _ in range(2000)]
    x += [k / 2**e for k in range(-200, 200) for e in (1, 3, 5, 9)]
    x += [(k + 0.5) / 10**places for k in range(-1500, 1500)]
    x += [0.0, -0.0, 1e-320, -1e-320, float("inf"), float("-inf"), -0.4 / 10**places]
    loop = f"for i in range(len(x)):\n    y[i] = round(x[i], {places})\n"
    head = "from numpy import inf, nan\n"
    assert judged(f"{head}x = {x!r}\ny = [0.0] * len(x)", loop) == "parallel"
    arrays = f"{head}x = np.array({[*x, float('nan')]!r})\ny = np.zeros(len(x))"
    judged(arrays, loop)
    finite = f"{arrays}\nx = np.where(abs(x) < 99, x, 0.5)"
    assert judged(finite, loop) == "parallel"


@pytest.mark.parametrize("large", ["2.0**52 - 0.5", "1e300", "-(2.0**49) - 0.25"])
def test_round_of_large_floats_is_left_to_python(large: str) -> None:
    loop = "for i in range(n):\n    y[i] = round(x[i], 3)\n"
    assert judged(f"x = [1.2345] * n\nx[7] = {large}\ny = [0.0] * n", loop) == "interpreted"


def test_round_of_integers() -> None:
    kinds = ("int64", "uint8", "int16")
    for kind in kinds:
        setup = f"a = values({kind!r}, (n,), 1)\ny = np.zeros(n)\ns = 0"
        loop = (
            "for i in range(n):\n    y[i] = round(a[i]) + round(i, 2) + round(i > 3, 1)\n"
            "    s = round(a[i], 1)\n    t = round(a[i])\n"
        )
        assert judged(setup, loop) in COMPILED
    loop = "for i in range(n):\n    s += round(a[i])\n"
    assert judged("a = values('uint64', (n,), 1)\na[3] = 2**64 - 1\ns = 0", loop) == "interpreted"


@pytest.mark.parametrize(
    ("setup", "text"),
    [
        ("x = [1.25] * n", "round(x[i], -1)"),
        ("x = [1.25] * n", "round(x[i], 9)"),
        ("x = [1.25] * n", "round(x[i], i)"),
        ("x = [1.25] * n", "round(x[i], True)"),
        ("x = [1.25] * n", "round(x[i], None)"),
        ("x = [1.25] * n", "round(x[i], ndigits=1)"),
        ("x = [1.25] * n; x[3] = np.float64(2.675)", "round(x[i], 2)"),
        ("x = np.ones(n, np.float32) / 3", "round(x[i], 1)"),
        ("x = np.ones(n, np.complex64) / 3", "round(x[i], 1)"),
        ("x = np.ones(n, bool)", "round(x[i], 1)"),
        ("x = np.ones(n, bool)", "round(x[i])"),
    ],
)
def test_round_that_is_left_to_python(setup: str, text: str) -> None:
    assert judged(f"{setup}\ny = np.zeros(n)", f"for i in range(n):\n    y[i] = {text}\n") == (
        "interpreted"
    )


def test_round_of_what_overflows_warns() -> None:
    setup = "x = np.ones(n)\nx[5] = 1e307\ny = np.zeros(n)"
    assert judged(setup, "for i in range(n):\n    y[i] = round(x[i], 3)\n") == "interpreted"


def test_another_round_is_another_function() -> None:
    setup = "x = [1.25] * n\ny = [0.0] * n\nround = lambda x, n: x * n"
    judged(setup, "for i in range(n):\n    y[i] = round(x[i], 1)\n")


# ---------------------------------------------------------------------------- divmod

NUMBERS = {
    "floats": "a = [0.5 * k - 7 for k in range(n)]\nb = [1.5, -2.5] * n",
    "ints": "a = [3 * k - 50 for k in range(n)]\nb = [7, -4] * n",
    "doubles": "a = values('float64', (n,), 1)\nb = values('float64', (n,), 2) + 5",
    "wild doubles": "a = values('float64', (n,), 1, True)\nb = values('float64', (n,), 2, True)",
    "singles": "a = values('float32', (n,), 1)\nb = values('float32', (n,), 2) + 9",
    "small integers": "a = values('int8', (n,), 1) % 90\nb = values('int8', (n,), 2) | 1",
    "unsigned": "a = values('uint16', (n,), 1)\nb = values('uint16', (n,), 2) | 1",
    "integers and floats": "a = values('int32', (n,), 1)\nb = [1.5, -2.5] * n",
    "zeros": "a = values('float64', (n,), 1)\nb = np.zeros(n)",
    "zeros of Python's": "a = [1.0, 2.0] * n\nb = [3.0, 0.0] * n",
    "zeros of integers": "a = np.arange(n)\nb = np.arange(n) % 7",
    "least": "a = np.full(n, -128, np.int8)\nb = np.full(n, -1, np.int8)",
    "infinite": "a = [-1.0, 2.0, float('inf')] * n\nb = [float('inf'), float('-inf'), 1.0] * n",
    "flags": "a = [True, False] * n\nb = [2, 3] * n",
    "NumPy's flags": "a = np.arange(n) > 3\nb = [2, 3] * n",
    "complex": "a = [1j] * n\nb = [2, 3] * n",
    "large": "a = [2**70, 5] * n\nb = [3, 2**65] * n",
}
LEFT = {
    "wild doubles", "zeros", "zeros of Python's", "zeros of integers", "least", "NumPy's flags",
    "complex", "large", "infinite",
}  # fmt: skip


@pytest.mark.parametrize("title", NUMBERS)
def test_divmod(title: str) -> None:
    loop = "for i in range(n):\n    q, r = divmod(a[i], b[i])\n    y[i] = q * 0.5 + r\n"
    status = judged(f"{NUMBERS[title]}\ny = np.zeros(n)", loop)
    assert title in LEFT or status in COMPILED


def test_places_in_a_table() -> None:
    setup = "A = np.zeros((5, 8))\nx = [0.5 * k for k in range(n)]"
    loop = "for k in range(n):\n    i, j = divmod(k, 8)\n    A[i, j] = x[k]\n"
    assert judged(setup, loop) == "parallel"


@pytest.mark.parametrize(
    "text",
    [
        "q, y[q % n] = divmod(i * 7, 5)",
        "[q, r] = divmod(r + i, 3)",
        "r, q = divmod(divmod_of(i), 3)",
        "q, r = divmod(A, 3)",
        "q, r = divmod(y, i + 2)",
        "q, (r, s) = divmod(i, 3)",
        "q = divmod(i, 3)",
        "q, r = divmod(i)",
        "q, r = divmod(i, r)",
    ],
)
def test_divmod_in_other_places(text: str) -> None:
    setup = "A = values('float64', (9,), 1)\ny = [0] * n\nr = q = 1\ndivmod_of = lambda v: v + 1"
    judged(setup, f"for i in range(n):\n    {text}\n")


def test_another_divmod_is_another_function() -> None:
    setup = "y = [0] * n\ndivmod = lambda a, b: (a, b)"
    judged(setup, "for i in range(n):\n    q, y[i] = divmod(i, 3)\n")
