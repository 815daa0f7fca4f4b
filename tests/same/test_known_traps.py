"""Traps that other systems fell into: one test each, the interpreter being the truth."""

# ruff: noqa: E501 - programs read better in one piece

from __future__ import annotations

import math
import warnings
from typing import Any

import harness
import numba
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def taken(source: str, **names: Any) -> dict[str, Any]:
    """Live-outs of a nest that must be compiled; the fixture `strict` compares both ways."""
    _, found = harness.run(source, **names)
    assert found is not None
    return found


def declined(source: str, **names: Any) -> str:
    """The reason code of a nest that is left to the interpreter, with every array untouched."""
    arrays = {k: v.copy() for k, v in names.items() if isinstance(v, np.ndarray)}
    here, found = harness.run(source, **names)
    assert found is None
    assert here.record is not None
    assert here.record.refusal is not None
    for name, before in arrays.items():
        assert names[name].tobytes() == before.tobytes(), name
    return here.record.refusal.code


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


# ---------------------------------------------------------------------------- NumPy scalars

MIXED = "for i in range(n):\n    b[i] = a[i] * 2.1 + 0.3\n"


@pytest.mark.usefixtures("strict")
def test_float32_times_a_python_float_stays_float32():
    a, b = rng().random(1000).astype("f4"), np.zeros(1000, "f4")
    taken(MIXED, a=a, b=b, n=1000)
    with_interpreter = np.array([x * 2.1 + 0.3 for x in a])
    assert with_interpreter.dtype == np.float32
    assert b.tobytes() == with_interpreter.tobytes()


def test_plain_numba_differs_there():
    a, b = rng().random(1000).astype("f4"), np.zeros(1000, "f4")

    @numba.njit
    def plain(a, b, n):
        for i in range(n):
            b[i] = a[i] * 2.1 + 0.3

    plain(a, b, 1000)
    assert sum(x != y * 2.1 + 0.3 for x, y in zip(b, a, strict=True)) > 100


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_narrow_integers_wrap_at_their_own_width(dtype):
    a = rng().integers(0, 127, 100).astype(dtype)
    b, out = a[::-1].copy(), np.zeros((6, 100), "f8")
    taken(
        "for i in range(100):\n"
        "    c[0, i] = a[i] + b[i]\n    c[1, i] = a[i] * b[i]\n    c[2, i] = a[i] - b[i] - 100\n"
        "    c[3, i] = -a[i]\n    c[4, i] = abs(a[i] - b[i])\n    c[5, i] = a[i] << 3\n",
        a=a, b=b, c=out,
    )  # fmt: skip


@pytest.mark.usefixtures("strict")
def test_bool_uint8_uint64_corners():
    big = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    out = np.zeros((6, 4), np.uint64)
    taken(
        "for i in range(4):\n"
        "    c[0, i] = a[i] + 1\n    c[1, i] = a[i] * a[i]\n    c[2, i] = -a[i]\n"
        "    c[3, i] = a[i] >> 1\n    c[4, i] = ~a[i]\n    c[5, i] = a[i] // 3 % 7\n",
        a=big, c=out,
    )  # fmt: skip
    flags = np.array([True, False])
    found = taken(
        "for i in range(2):\n    s = f[i] & f[0]\n    t = f[i] * u[i]\n    v = ~f[i]\n    w = f[i] + 1\n",
        f=flags, u=np.array([200, 255], np.uint8),
    )  # fmt: skip
    assert [type(found[k]) for k in "stvw"] == [np.bool, np.uint8, np.bool, np.int64]


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elementary_functions_have_numpys_bits(dtype):
    a = (rng().normal(0, 5, 2000)).astype(dtype)
    c = np.zeros((6, 2000), dtype)
    taken(
        "for i in range(2000):\n"
        "    c[0, i] = np.exp(a[i])\n    c[1, i] = np.log(abs(a[i]))\n    c[2, i] = np.tanh(a[i])\n"
        "    c[3, i] = np.sin(a[i])\n    c[4, i] = np.cos(a[i])\n    c[5, i] = np.sqrt(abs(a[i]))\n",
        a=a, c=c, np=np,
    )  # fmt: skip


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_have_the_bits_of_the_c_library(dtype):
    a, c = rng().random(2000).astype(dtype) * 9, np.zeros((5, 2000), dtype)
    taken(
        "for i in range(2000):\n"
        "    c[0, i] = a[i] ** 3\n    c[1, i] = a[i] ** 2\n    c[2, i] = a[i] ** 0.5\n"
        "    c[3, i] = a[i] ** -1\n    c[4, i] = a[i] ** a[i]\n",
        a=a, c=c,
    )  # fmt: skip


@pytest.mark.usefixtures("strict", "quiet")
def test_squares_have_the_bits_of_the_c_library():
    odd = [0.0, -0.0, 5e-324, 1e-160, 1e-140, 1.5e154, 1.4e154, -1e300, np.inf, -np.inf, np.nan]
    # Just below and above powers of two, where a unit in the last place changes its size.
    near = [s * np.sqrt(2.0**k) * (1 + d * 2.0**-52) for s in (1, -1) for k in range(-9, 9)
            for d in range(-3, 4)]  # fmt: skip
    many = rng().normal(0, 1, 40_000) * 10.0 ** rng().integers(-150, 150, 40_000)
    a = np.array([*odd, *near, *many])
    n, b = len(a), a[np.abs(a) < 1e150].tolist()
    taken("for i in range(n):\n    c[i] = a[i] ** 2\n", a=a, c=np.zeros(n), n=n)
    taken("for i in range(n):\n    c[i] = a[i] ** 2.0\n", a=a, c=np.zeros(n), n=n)
    taken("for i in range(n):\n    c[i] = b[i] ** 2\n", b=b, c=np.zeros(len(b)), n=len(b))


@pytest.mark.usefixtures("strict")
def test_math_functions_on_python_floats():
    taken(
        "for i in range(500):\n    x = i * 0.37 - 90.0\n"
        "    c[i] = math.exp(x) + math.sin(x) * math.tanh(x) + math.atan2(x, 2.0) + math.erf(x)\n",
        c=np.zeros(500), math=math,
    )  # fmt: skip


@pytest.mark.usefixtures("strict", "quiet")
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_division_and_absolute_value(dtype):
    g = rng()
    a = (g.normal(0, 9, 400) + 1j * g.normal(0, 9, 400)).astype(dtype)
    b = a[::-1].copy()
    a[:3], b[:2] = [0, 1j, 1e30], [1e-30, 2j]
    out, size = np.zeros(400, dtype), np.zeros((2, 400))
    taken(
        "for i in range(400):\n    c[i] = a[i] / b[i] * (a[i] - 2j) - -b[i]\n"
        "    s[0, i] = abs(a[i])\n    s[1, i] = np.abs(b[i])\n",
        a=a, b=b, c=out, s=size, np=np,
    )  # fmt: skip


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32", "float64"])
def test_floor_division_and_remainder_take_the_sign_of_the_divisor(dtype):
    numbers = np.array([-7, -6, -1, 1, 3, 7], dtype)
    taken(
        "for i in range(6):\n    for j in range(6):\n"
        "        q[i, j] = a[i] // a[j]\n        r[i, j] = a[i] % a[j]\n",
        a=numbers, q=np.zeros((6, 6), dtype), r=np.zeros((6, 6), dtype),
    )  # fmt: skip
    found = taken(
        "for i in range(-9, 10):\n    s = i // 4 * 100 + i % 4\n    t = i // m + i % m\n", m=-4
    )
    assert found == {"i": 9, "s": 9 // 4 * 100 + 9 % 4, "t": 9 // -4 + 9 % -4}


@pytest.mark.usefixtures("strict", "quiet")
def test_signed_zeros_and_infinities_in_floor_division():
    a = np.array([-3.5, 3.5, 0.0, -0.0, np.inf, 5.0])
    taken(
        "for i in range(6):\n    for j in range(6):\n"
        "        q[i, j] = a[i] // b[j]\n        r[i, j] = a[i] % b[j]\n",
        a=a, b=np.array([2.0, -2.0, np.inf, -np.inf, 0.0, -0.0]),
        q=np.zeros((6, 6)), r=np.zeros((6, 6)),
    )  # fmt: skip


# ---------------------------------------------------------------------------- Python integers


@pytest.mark.usefixtures("lenient")
def test_a_factorial_beyond_64_bits_is_left_to_the_interpreter():
    source = "for i in range(1, n + 1):\n    f = f * i\n"
    assert taken(source, f=1, n=20)["f"] == math.factorial(20)
    assert declined(source, f=1, n=30) == "failed-inside"
    space = {"f": 1, "n": 30}
    exec(source, space)
    assert space["f"] == math.factorial(30)


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3):\n    s = 2 ** (61 + i)\n",
        "for i in range(3):\n    s = 1 << (61 + i)\n",
        "for i in range(3):\n    s = n + i\n",
        "for i in range(3):\n    s = n * (i + 1)\n",
        "for i in range(3):\n    s = -n - n + i\n",
    ],
)
def test_integers_beyond_64_bits(source):
    assert declined(source, n=2**63 - 2) in ("failed-inside", "big-integer")


# ---------------------------------------------------------------------------- types that stay


@pytest.mark.usefixtures("strict")
def test_types_of_what_outlives_the_nest():
    found = taken(
        "for i in range(3):\n"
        "    p = i * 1.5\n    q = a[i] * 1.5\n    r = a[i] * i\n    s = i * 2\n    t = b[i] + 1\n"
        "    u = i > 1\n    v = a[i] > 1\n    w = a[i] / 2.0\n    x = math.sqrt(b[i])\n    y = abs(z[i])\n",
        a=np.ones(3, "f4"), b=np.ones(3, "i8"), z=np.ones(3, "c8"), math=math,
    )  # fmt: skip
    kinds = {k: type(v).__name__ for k, v in found.items()}
    assert kinds == {
        "i": "int", "p": "float", "q": "float32", "r": "float32", "s": "int", "t": "int64",
        "u": "bool", "v": "bool", "w": "float32", "x": "float", "y": "float32",
    }  # fmt: skip
    assert type(found["v"]) is np.bool
    assert type(found["u"]) is bool


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(("n", "kind"), [(0, int), (1, np.float64), (5, np.float64)])
def test_a_sum_that_starts_as_an_int(n, kind):
    found = taken("for i in range(n):\n    s = s + a[i]\n", a=np.ones(5), s=0, n=n)
    value = 0 if repr(found["s"]) == "<unset>" else found["s"]
    assert type(value) is kind


@pytest.mark.usefixtures("strict")
def test_what_no_iteration_assigned_stays_unassigned():
    found = taken("for i in range(n):\n    t = a[i]\n", a=np.ones(5), n=0)
    assert {k: repr(v) for k, v in found.items()} == {"i": "<unset>", "t": "<unset>"}


@pytest.mark.usefixtures("strict")
def test_the_last_iteration_that_assigned_decides():
    found = taken(
        "for i in range(100):\n    if i % 30 == 7:\n        s = i\n    elif i == 3:\n        s = a[i]\n",
        a=np.arange(100), s=-1,
    )  # fmt: skip
    assert (found["s"], type(found["s"])) == (97, int)
    found = taken(
        "for i in range(100):\n    if i == 3:\n        s = a[i]\n", a=np.arange(100), s=-1
    )
    assert (found["s"], type(found["s"])) == (3, np.int64)


# ---------------------------------------------------------------------------- exceptions


@pytest.mark.usefixtures("lenient")
def test_reading_past_the_end_leaves_everything_to_the_interpreter():
    source = "for i in range(12):\n    b[i] = a[i] * 2\n"
    a, b = np.arange(10.0), np.zeros(12)
    assert declined(source, a=a, b=b) == "failed-inside"
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10"):
        exec(source, {"a": a, "b": b})
    assert b.tolist() == [*(a * 2), 0, 0]


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3):\n    a[i] = 1.0 / (1 - i)\n",
        "for i in range(3):\n    a[i] = 1 // (1 - i)\n",
        "for i in range(3):\n    a[i] = 7 % (1 - i)\n",
        "for i in range(3):\n    a[i] = (1 - i) ** -1\n",
        "for i in range(3):\n    a[i] = math.sqrt(1.0 - i)\n",
        "for i in range(3):\n    a[i] = math.log(1.0 - i)\n",
        "for i in range(3):\n    a[i] = math.exp(i * 500.0)\n",
        "for i in range(3):\n    a[i] = (2.0 + i) ** 800\n",
        "for i in range(3):\n    a[i] = int(b[i])\n",
        "for i in range(3):\n    a[i] = 1 << (1 - i)\n",
        "for i in range(3):\n    c[i] = 100 * (i + 1)\n",
        "for i in range(3):\n    a[i] = c[i] + 300\n",
        "for i in range(3):\n    a[i] = b[i - 4 * i]\n",
        "for i in range(3):\n    for j in range(0, 5, 1 - i):\n        a[i] = j\n",
    ],
)
def test_what_raises_is_rolled_back(source):
    names = {"a": np.zeros(3), "b": np.array([1.0, np.nan, np.inf]), "c": np.zeros(3, "i1")}
    assert declined(source, math=math, **names) == "failed-inside"
    with pytest.raises((ArithmeticError, ValueError, IndexError)):
        exec(source, {"math": math, **names})


@pytest.mark.usefixtures("strict")
def test_a_zero_divisor_of_numpys_gives_infinity():
    b = np.zeros(4)
    found = taken("for i in range(4):\n    b[i] = a[i] / a[0]\n", a=np.arange(4.0), b=b)
    assert np.isnan(b[0])
    assert np.isinf(b[1:]).all()
    assert found["i"] == 3


@pytest.mark.usefixtures("lenient")
def test_one_chunk_that_fails_is_enough():
    """The chunk that fails first must not be outvoted by one that succeeds later."""
    source = (
        "for i in range(64):\n    t = 0.0\n    for j in range(m[i]):\n        t = t + j * 0.5\n"
        "    a[i] = 1.0 / (i - 40) + t\n"
    )
    m = np.full(64, 200_000)
    m[32:48] = 1
    for _ in range(3):
        assert declined(source, a=np.zeros(64), m=m) == "failed-inside"


@pytest.mark.usefixtures("lenient")
def test_float_stores_out_of_range():
    for dtype in ("int8", "uint8", "int32", "int64", "uint64"):
        source = "for i in range(3):\n    a[i] = b[i]\n"
        good = np.array([1.9, 0.2, 100.5])
        taken(source, a=np.zeros(3, dtype), b=good)
        bad = np.array([1.9, 1e30, np.nan])
        assert declined(source, a=np.zeros(3, dtype), b=bad) == "failed-inside"


# ---------------------------------------------------------------------------- loops and arrays


@pytest.mark.usefixtures("strict")
def test_offsets_below_the_start_of_a_parallel_loop():
    a = np.arange(50.0)
    taken("for i in range(1, 50):\n    b[i] = a[i - 1] - (i - 3)\n", a=a, b=np.zeros(50))
    taken(
        "for i in range(-20, 20):\n    b[i + 20] = a[i + 20] * (i - 5) / 2\n", a=a, b=np.zeros(40)
    )
    taken("for i in range(49, 0, -3):\n    b[i] = a[i - 1] * -i\n", a=a, b=np.zeros(50))


@pytest.mark.usefixtures("strict")
def test_conditional_reductions_and_temporaries():
    a = rng().normal(0, 1, 500)
    found = taken(
        "for i in range(500):\n    t = a[i] * 2\n    if t > 0:\n        s += t\n        k += 1\n"
        "    elif t < -2:\n        m = min(m, a[i])\n    b[i] = t\n",
        a=a, b=np.zeros(500), s=0.0, k=0, m=np.float64(9.0),
    )  # fmt: skip
    assert found["k"] == (a > 0).sum()
    assert found["m"] == a.min()


@pytest.mark.usefixtures("strict")
def test_seven_loops_deep():
    a = np.zeros((2, 3, 2, 3, 2, 3, 2))
    head = "".join(
        f"{'    ' * k}for {v} in range(a.shape[{k}]):\n" for k, v in enumerate("ijklmno")
    )
    line = "    " * 7 + "a[i, j, k, l, m, n, o] = i + 10 * j + 100 * k + l * m - n * o\n"
    taken(head + line, a=a)


@pytest.mark.usefixtures("strict")
def test_negative_indices_wrap():
    a = np.arange(10.0)
    taken("for i in range(10):\n    b[i] = a[-i - 1] + a[i - 5]\n", a=a, b=np.zeros(10))
    taken("for i in range(10):\n    a[i - 5] = a[-i] + 1\n", a=a)
    taken("for i in range(10):\n    a[x[i]] += 1\n", a=a, x=np.array([-1, 9, 0, -10, 3] * 2))


@pytest.mark.usefixtures("strict")
def test_arrays_that_overlap():
    for one, two in (
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None, None, -1), slice(None)),
        (slice(None, None, 2), slice(0, 20)),
    ):
        base = np.arange(40.0)
        taken("for i in range(15):\n    a[i] = b[i] + 1\n", a=base[one], b=base[two])
    square = np.arange(36.0).reshape(6, 6)
    taken(
        "for i in range(6):\n    for j in range(6):\n        a[i, j] = b[i, j] * 2\n",
        a=square, b=square.T,
    )  # fmt: skip


@pytest.mark.usefixtures("strict")
def test_one_array_under_two_names():
    base = np.arange(20.0)
    taken("for i in range(1, 20):\n    a[i] = b[i - 1] + 1\n", a=base, b=base)
    taken("for i in range(20):\n    a[i] = b[i] + 1\n", a=base, b=base[:])


@pytest.mark.usefixtures("strict")
def test_one_element_under_many_indices():
    broadcast = np.lib.stride_tricks.as_strided(np.zeros(3), (4, 3), (0, 8))
    taken(
        "for i in range(4):\n    for j in range(3):\n        a[i, j] = a[i, j] * 2 + i + j\n",
        a=broadcast,
    )


@pytest.mark.usefixtures("lenient")
def test_read_only_arrays():
    fixed = np.arange(5.0)
    fixed.flags.writeable = False
    taken("for i in range(5):\n    b[i] = a[i] + 1\n", a=fixed, b=np.zeros(5))
    assert declined("for i in range(5):\n    a[i] = 1\n", a=fixed) == "read-only"


@pytest.mark.usefixtures("strict")
def test_nothing_to_do():
    empty = np.zeros((0, 3))
    found = taken(
        "for i in range(a.shape[0]):\n    for j in range(a.shape[1]):\n        a[i, j] = 1\n",
        a=empty,
    )
    assert {k: repr(v) for k, v in found.items()} == {"i": "<unset>", "j": "<unset>"}
    found = taken(
        "for i in range(4):\n    for j in range(a.shape[1]):\n        a[i, j] = 1\n",
        a=np.zeros((4, 0)),
    )
    assert (found["i"], repr(found["j"])) == (3, "<unset>")


@pytest.mark.usefixtures("strict")
def test_layouts_and_alignment():
    square = rng().random((30, 30))
    odd = np.zeros(8 * 30 + 1, np.uint8)[1:].view("f8")
    for view in (square, square.T, np.asfortranarray(square), square[::-1, ::2], square[3:, ::-1]):
        taken(
            "for i in range(n):\n    for j in range(m):\n        b[i] = b[i] + a[i, j] * 0.5\n",
            a=view, b=odd, n=view.shape[0], m=view.shape[1],
        )  # fmt: skip


def test_errors_asked_of_numpy_are_not_lost(lenient):
    source = "for i in range(3):\n    a[i] = a[i] * a[i]\n"
    with np.errstate(all="raise"):
        assert declined(source, a=np.full(3, 1e300)) == "error-state"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taken(source, a=np.full(3, 1e300))
