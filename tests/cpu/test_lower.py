"""Kernel text to machine code: what it computes, what it refuses, and what LLVM can make of it."""

from __future__ import annotations

import ast
import itertools
import math
import operator
import re
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from llvmlite import ir

from autopar.cpu import entry, helpers, machine
from autopar.cpu.lower import Array, Number, Parameter, lower
from autopar.nest import kinds

INT, FLOAT = Number("int", "int64"), Number("float", "float64")
_names = itertools.count()


def module(text: str, parameters: list[Parameter], name: str = "kernel") -> str:
    made = ir.Module(name=name)
    entry.add(made, name, lower(made, ast.parse(text).body[0], parameters), parameters)
    return str(made)


def compiled(text: str, *parameters: Parameter) -> Callable[..., int]:
    name = f"test_lower_{next(_names)}"
    llvm = module(text, list(parameters), name)
    return machine.load(machine.assemble(llvm), name, machine.symbols(llvm))


def array(a: np.ndarray[Any, Any], layout: str = "A") -> Array:
    return Array(a.dtype.name, a.ndim, layout, a.flags.aligned)


def result(expression: str, dtype: str, **given: Any) -> Any:
    """The value of `expression`, where each name in it has its own Python or NumPy type."""
    out = np.zeros(1, dtype)
    kernel = f"def k({', '.join((*given, 'out'))}):\n    out[0] = {expression}\n    return 0\n"
    atoms = [kinds.atom_of(value) for value in given.values()]
    parameters = [Number(atom, kinds.dtype(atom)) for atom in atoms if atom]
    assert compiled(kernel, *parameters, array(out))(*given.values(), out) == 0
    return out[0]


# ---------------------------------------------------------------------------- what it computes

WORDS = (0, 1, -1, 2, -7, 13, 2**62, -(2**63), 2**63 - 1)


@pytest.mark.parametrize("op", ["//", "%"])
def test_division_of_integers_rounds_down(op):
    text = f"""\
def k(a, b, out):
    for i in range(len_):
        out[i] = a[i] {op} b[i]
    return 0
""".replace("len_", "a.shape[0]")
    pairs = [(a, b) for a in WORDS for b in WORDS if b and (a, b) != (-(2**63), -1)]
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    out = np.zeros_like(a)
    compiled(text, array(a), array(b), array(out))(a, b, out)
    python = {"//": operator.floordiv, "%": operator.mod}[op]
    assert out.tolist() == [python(x, y) for x, y in pairs]


@pytest.mark.parametrize("kind", ["int64", "uint64"])
@pytest.mark.parametrize("op", ["//", "%"])
def test_no_divisor_traps(kind, op):
    least, one = np.iinfo(kind).min, np.array(-1 if kind == "int64" else 1).astype(kind)[()]
    word = np.dtype(kind).type
    for a, b in ((word(5), word(0)), (word(least), one), (word(0), word(0))):
        result(f"a {op} b", kind, a=a, b=b)  # whatever it is, the process is still here


@pytest.mark.parametrize("name", ["float_mod", "float_floordiv"])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_floor_division_of_floats_is_that_of_numpy(name, kind):
    values = (0.0, -0.0, 1.0, -1.0, 0.1, -7.5, 3.0, 1e300, 5e-324, math.inf, -math.inf, math.nan)
    ufunc = {"float_mod": np.remainder, "float_floordiv": np.floor_divide}[name]
    dtype = np.float32 if kind is np.float32 else np.float64
    with np.errstate(all="ignore"):
        numbers = [dtype(v) for v in values]
        for a, b in itertools.product(numbers, repeat=2):
            found = result(f"{name}(a, b)", dtype.__name__, a=kind(a), b=kind(b))
            wanted = ufunc(a, b)
            same = found.tobytes() == wanted.tobytes() or (found != found and wanted != wanted)
            assert same, (a, b)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_division_of_complex_numbers_is_that_of_numpy(dtype):
    kind = np.dtype(dtype).type
    numbers = [kind(z) for z in (1 + 2j, -3.5 + 1e-3j, 2j, 7, 1e30 - 1e30j, 0.1 + 0.7j)]
    for a, b in itertools.product(numbers, repeat=2):
        assert result("complex_divide(a, b)", dtype, a=a, b=b).tobytes() == (a / b).tobytes()


def test_division_of_complex_numbers_is_that_of_python():
    numbers = (1 + 2j, -3.5 + 1e-3j, 2j, 7 + 0j, 1e300 - 1e300j, 0.1 + 0.7j)
    for a, b in itertools.product(numbers, repeat=2):
        assert complex(result("complex_quotient(a, b)", "complex128", a=a, b=b)) == a / b


def wrapped(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("int_pow", lambda a, b: wrapped(a**b) if b >= 0 else 1),
        ("int_lshift", lambda a, b: wrapped(a << b) if 0 <= b < 64 else 0),
        ("int_rshift", lambda a, b: a >> b if 0 <= b < 64 else -(a < 0)),
        ("int_floordiv", lambda a, b: wrapped(a // b) if b else 0),
        ("int_mod", lambda a, b: a % b if b else 0),
    ],
)
def test_helpers_on_integers(name, python):
    for a, b in itertools.product(WORDS, (0, 1, -1, 2, 5, 63, 64, 70)):
        assert result(f"{name}(a, b)", "int64", a=a, b=b) == python(a, b), (a, b)


@pytest.mark.parametrize(
    ("name", "python"),
    [("pow", operator.pow), ("lshift", operator.lshift), ("rshift", operator.rshift)],
)
def test_checked_helpers_give_the_exact_value_or_say_that_they_cannot(name, python):
    kernel = f"""\
def k(a, b, out):
    value, over = checked_{name}(a, b)
    out[0] = value
    out[1] = int64(over)
    return 0
"""
    out = np.zeros(2, "int64")
    call = compiled(kernel, INT, INT, array(out))
    exact = 0
    for a, b in itertools.product(
        (0, 1, -1, 2, -3, 10, 2**40, -(2**63)), (0, 1, -1, 3, 30, 62, 90)
    ):
        call(a, b, out)
        if not out[1]:
            exact += 1
            assert out[0] == python(a, b), (a, b)
        else:
            assert b < 0 or abs(python(a, b)) >= 2**62 or b > 62, (a, b)
    assert exact > 20


def test_helpers_do_the_same_as_python_functions():
    assert helpers.int_mod(-7, 3) == -7 % 3
    assert helpers.float_mod(-7.5, 2.0) == -7.5 % 2.0
    assert helpers.float_floordiv(-7.5, 2.0) == -7.5 // 2.0
    assert helpers.complex_quotient(1 + 2j, 3 - 1j) == (1 + 2j) / (3 - 1j)


@pytest.mark.parametrize("step", [1, -1, 2, -3, 7])
def test_loops_count_as_range_does(step):
    fixed = """\
def k(start, stop, seen):
    n = int64(0)
    i = int64(-99)
    for i in range(start, stop, STEP):
        seen[n] = i
        n += 1
    seen[20] = i
    return 0
"""
    free = fixed.replace("start, stop, seen", "start, stop, step, seen").replace("STEP", "step")
    seen = np.zeros(21, "int64")
    calls = [
        compiled(fixed.replace("STEP", str(step)), INT, INT, array(seen)),
        compiled(free, INT, INT, INT, array(seen)),
    ]
    for start, stop in itertools.product((-3, 0, 5, 10), repeat=2):
        wanted = list(range(start, stop, step))
        for call, args in zip(calls, ((start, stop), (start, stop, step)), strict=True):
            seen[:] = 77
            call(*args, seen)
            assert seen[: len(wanted)].tolist() == wanted
            assert set(seen[len(wanted) : 20]) <= {77}
            assert seen[20] == (wanted[-1] if wanted else -99)


def test_jumps_and_conditions():
    text = """\
def k(n, m, out):
    total = int64(0)
    for i in range(n):
        if i == 2:
            continue
        j = int64(0)
        while True:
            if not j < i and not (m != 0 and i // m > 3):
                break
            j += 1
            if j > 6:
                break
            total += j if j % 2 == 0 or i > 4 else -1
        if total > 60:
            break
    out[0] = total
    return 2 if total > 60 else 0
"""
    space: dict[str, Any] = {"int64": int}
    exec(text, space)
    out, wanted = np.zeros(1, "int64"), [0]
    call = compiled(text, INT, INT, array(out))
    for n, m in itertools.product((0, 3, 9, 40), (0, 1, 2)):
        assert call(n, m, out) == space["k"](n, m, wanted)
        assert out[0] == wanted[0]


@pytest.mark.parametrize("dtype", ["bool", *kinds.NUMBERS])
@pytest.mark.parametrize("shape", ["plain", "fortran", "reversed", "unaligned"])
def test_elements_of_every_dtype_and_layout(dtype, shape):
    rng = np.random.default_rng(3)
    plain = rng.integers(0, 100, (4, 5)) > 40 if dtype == "bool" else rng.integers(0, 100, (4, 5))
    plain = plain.astype(dtype)
    source = {
        "plain": plain,
        "fortran": np.asfortranarray(plain),
        "reversed": plain[::-1, ::-1],
        "unaligned": np.frombuffer(b"x" + plain.tobytes(), dtype, -1, 1).reshape(4, 5),
    }[shape]
    target = np.zeros((5, 4), dtype)
    layout = {"plain": "C", "fortran": "F"}.get(shape, "A")
    text = """\
def k(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[j, i] = a[i, j]
    return 0
"""
    compiled(text, array(source, layout), array(target, "C"))(source, target)
    assert target.tobytes() == np.ascontiguousarray(source.T).tobytes()


@pytest.mark.parametrize("dtype", ["bool", *kinds.NUMBERS])
def test_room_of_a_functions_own(dtype):
    """Also where the statement is met again and again, which takes no more room."""
    text = f"""\
def k(a, b):
    for i in range(a.shape[0] // 4):
        room = room_("{dtype}", 4)
        for j in range(4):
            room[j] = a[4 * i + j]
        for j in range(4):
            b[4 * i + j] = room[3 - j]
    return 0
"""
    a = np.arange(4_000_000 if dtype == "int64" else 400).astype(dtype)
    b = np.zeros_like(a)
    compiled(text, array(a, "C"), array(b, "C"))(a, b)
    assert b.tobytes() == np.ascontiguousarray(a.reshape(-1, 4)[:, ::-1]).tobytes()


BORROWED = """\
def k(a, b, few):
    for i in range(b.shape[0]):
        if i == 7:
            return 5
        own = borrowed_("{dtype}", few, a.shape[0])
        if not there_(own):
            return 6
        for j in range(few):
            for k in range(a.shape[0]):
                own[j, k] = a[k]
        b[i] = own[few - 1, a.shape[0] - 1 - i]
        if i % 2:
            give_back_(own)
    return 0
"""


@pytest.mark.parametrize("dtype", ["bool", *kinds.NUMBERS])
@pytest.mark.parametrize("count", [0, 5, 9])
def test_memory_that_is_given_back(dtype, count):
    """Whichever way the function ends."""
    a, b = np.arange(9).astype(dtype), np.zeros(count, dtype)
    call = compiled(BORROWED.format(dtype=dtype), array(a, "C"), array(b, "C"), INT)
    call(a, b, 3)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        assert call(a, b, 100_000) == (5 if count > 7 else 0)
        after, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert b[:7].tolist() == a[::-1][: min(count, 7)].tolist()
    assert after - before < 100_000
    assert (most - before > 900_000) == (count > 0)
    assert most - before < 9_000_000 * a.itemsize / 8 + 1_000_000


def test_memory_that_nobody_has():
    a, b = np.arange(9.0), np.zeros(5)
    call = compiled(BORROWED.format(dtype="float64"), array(a, "C"), array(b, "C"), INT)
    assert call(a, b, 2**45) == 6


def test_bytes_that_are_not_0_or_1_are_true():
    odd = np.array([0, 1, 2, 255], "u1").view(bool)
    out = np.zeros(4, "i8")
    text = "def k(a, b):\n    for i in range(4):\n        b[i] = int64(a[i])\n    return 0\n"
    compiled(text, array(odd), array(out))(odd, out)
    assert out.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("a", "b", "rings"),
    [
        (1e308, 1.0, False), (1e308, 10.0, True), (-1e308, 10.0, True), (math.inf, 1.0, True),
        (math.nan, 1.0, True), (0.0, 1.0, False), (5e-324, 0.5, False), (-0.0, 3.0, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("length", [1, 100])
def test_a_trace_shows_what_is_not_finite(a, b, rings, length):
    """Also where LLVM would rather multiply the factors first."""
    text = """\
def k(v, b):
    trace = float64(0)
    for i in range(v.shape[0]):
        x = v[i] * 10.0 * b
        trace = traced_(trace, x)
        v[i] = x
    return 3 if trace != 0.0 else 0
"""
    v = np.ones(length)
    v[-1] = a / 10
    assert compiled(text, array(v, "C"), FLOAT)(v, b) == (3 if rings else 0)


# --------------------------------------------------------------------- what Python hands over


@pytest.mark.parametrize("dtype", ["bool", *kinds.NUMBERS])
def test_numbers_of_numpy(dtype):
    for value in (0, 1, 100):
        number = np.dtype(dtype).type(value)
        assert result("a", dtype, a=number).tobytes() == number.tobytes()


def test_numbers_of_python():
    assert result("a", "float64", a=-1.5) == -1.5
    assert result("a", "complex128", a=1 - 2j) == 1 - 2j
    assert [result("a", "int64", a=v) for v in (-1, 2**63 - 1, -(2**63))] == [
        -1,
        2**63 - 1,
        -(2**63),
    ]
    assert [result("a", "bool", a=v) for v in (True, False)] == [True, False]


def test_an_integer_that_does_not_fit_is_an_error():
    out = np.zeros(1, "int64")
    call = compiled("def k(a, out):\n    out[0] = a\n    return 0\n", INT, array(out))
    with pytest.raises(OverflowError):
        call(2**63, out)
    assert out[0] == 0


def test_no_reference_is_lost_or_kept():
    out, number, whole = np.zeros(1), 2.5, 10**9
    text = "def k(a, n, out):\n    out[0] = a\n    return 0\n"
    call = compiled(text, FLOAT, INT, array(out))
    before = [sys.getrefcount(x) for x in (out, number, whole)]
    for _ in range(1000):
        call(number, whole, out)
    assert [sys.getrefcount(x) for x in (out, number, whole)] == before


# ---------------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("out[0] = a + f", TypeError),  # int64 with float64
        ("out[0] = a + uint64(a)", TypeError),
        ("out[0] = a < uint64(a)", TypeError),
        ("out[0] = f + float32(f)", TypeError),
        ("out[0] = f // f", TypeError),
        ("out[0] = f ** f", KeyError),
        ("x = 1\n    x = f", TypeError),
        ("x = 1\n    x = 2.5", TypeError),
        ("w[0] = f", TypeError),
        ("w[0] = 2.5", TypeError),
        ("out[0] = y", TypeError),
        ("out[0] = out + f", TypeError),
        ("out[0] = out[0, 0]", NotImplementedError),
        ("out[f] = f", TypeError),
        ("out[0] = a if a > 0 else f", TypeError),
        ("out[0] = open(a)", NameError),
        ("out[0] = [f for _ in range(a)][0]", NotImplementedError),
        ("r = room_(f, 4)", NameError),
        ("r = room_('int8', 4)\n    r[0] = f", TypeError),
        ("del a", NotImplementedError),
        ("print_ = 'text'", NotImplementedError),
        ("x, y = f", NotImplementedError),
        ("for k in out:\n        pass", NotImplementedError),
    ],
)
def test_what_is_not_in_the_language(body, error):
    text = f"def k(a, f, out, w):\n    {body}\n    return 0\n"
    with pytest.raises(error):
        module(text, [INT, FLOAT, Array("float64", 1, "C"), Array("int8", 1, "C")])


# ---------------------------------------------------------------------------- what LLVM makes of it

BODIES = {
    "a sum": "c[i] = a[i] + b[i]",
    "a watched sum": "x = a[i] + b[i]\n{pad}odd = traced_(odd, x)\n{pad}c[i] = x",
    "an update that is kept": (
        "x = a[i] + c[i]\n{pad}odd = traced_(odd, x)\n{pad}room[i - {low}] = c[i]\n{pad}c[i] = x"
    ),
    "a stencil": "c[i] = 0.5 * (a[i - 1] + a[i + 1])",
    "a flag": "x = a[i] + b[i]\n{pad}flag |= x > 9.0\n{pad}c[i] = x",
    "a choice": "c[i] = a[i] if a[i] > b[i] else b[i]",
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("strips", [False, True])
def test_several_iterations_at_once(body, dtype, strips):
    pad = " " * (12 if strips else 8)
    low = "base" if strips else "lo"
    inner = BODIES[body].format(pad=pad, low=low).replace("0.5", f"{dtype}(0.5)")
    head = "    for i in range(lo, hi):\n"
    if strips:
        head = (
            "    for base in range(lo, hi, 65536):\n"
            "        if stopped_(stop):\n            return 2\n"
            "        for i in range(base, min(base + 65536, hi)):\n"
        )
    room = f'    room = room_("{dtype}", 65536)\n' if "room" in inner else ""
    text = (
        f"def k(stop, lo, hi, a, b, c):\n    odd = {dtype}(0)\n    flag = False\n{room}"
        f"{head}{pad}{inner}\n    return 3 if odd != 0.0 or flag else 0\n"
    )
    made = machine.optimised(module(text, [INT, INT, INT, *[Array(dtype, 1, "C")] * 3]))
    word = {"float64": "double", "float32": "float"}[dtype]
    assert re.search(
        rf"fadd.*<\d+ x {word}>|select.*<\d+ x {word}>|<\d+ x {word}> @llvm", str(made)
    )


def test_products_and_sums_are_rounded_each():
    text = "def k(a, b, c, out):\n    out[0] = a * b + c\n    return 0\n"
    made = str(machine.optimised(module(text, [FLOAT] * 3 + [Array("float64", 1, "C")])))
    assert "fmul double" in made
    assert "fma" not in made
    a = 1.0 + 2.0**-30
    assert result("a * b + c", "float64", a=a, b=a, c=-1.0) == a * a - 1.0


APART = """\
def k(a, b, n):
    for i in {order}(0, n):
        for j in {order}(0, n):
            b[i, j] = a[i, j] * 2.0
    return 0
"""


def test_loops_in_any_order_need_not_ask_where_arrays_lie():
    matrix = array(np.ones((3, 3)), "C")
    found = {}
    for order in ("range", "apart_"):
        made = machine.optimised(module(APART.format(order=order), [matrix, matrix, INT]))
        found[order] = "icmp ult ptr" in str(made)  # where they begin and end
        assert "fmul <" in str(made)
    assert found == {"range": True, "apart_": False}
    a, b = np.arange(9.0).reshape(3, 3), np.zeros((3, 3))
    assert compiled(APART.format(order="apart_"), matrix, matrix, INT)(a, b, 3) == 0
    assert b.tolist() == (a * 2).tolist()


def test_functions_of_the_c_library_are_called_no_more_than_needed():
    text = """\
def k(x, y, out):
    for i in range(0, x.shape[0]):
        for j in range(0, y.shape[0]):
            if libm_sin(y[j]) > 2.0:
                return 1
            out[j] = libm_cos(x[i]) + libm_sin(y[j])
    return 0
"""
    a = array(np.zeros(3), "C")
    found = str(machine.optimised(module(text, [a, a, a])))
    calls = re.findall(r"call .*@autopar_libm_(\w+)\(", found)
    assert sorted(calls) == ["cos", "sin"]
    blocks = re.split(r"\n\n", found)
    assert not any({"cos", "sin"} <= {*re.findall(r"call .*libm_(\w+)\(", b)} for b in blocks)
