"""Kernel text in C, run by PoCL: the same bits as LLVM's machine code of the same text."""

from __future__ import annotations

import ast
import itertools
from typing import Any

import numpy as np
import nvrtc
import pytest

pytest.importorskip("pyopencl")

from llvmlite import ir

from autopar.cpu import entry, machine
from autopar.cpu.lower import Array, Number, Parameter
from autopar.cpu.lower import lower as llvm_lower
from autopar.device import opencl
from autopar.device.api import Device
from autopar.device.dialect import CUDA, OPENCL, Dialect
from autopar.device.lower import Source, lower, together
from autopar.device.run import Run
from autopar.kernel import Kernel
from autopar.nest import kinds
from autopar.verdict import Refusal

_names = itertools.count()
INT = Number("int", "int64")


@pytest.fixture(scope="module")
def device() -> Device:
    return opencl.find(0)


def parameter(value: Any) -> Parameter:
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return Array(value.dtype.name, value.ndim, layout)
    atom = kinds.atom_of(value)
    assert atom is not None
    return Number(atom, kinds.dtype(atom))


def source(text: str, values: list[Any], parallel: bool = True) -> Source:
    made = lowered(text, values, parallel)
    assert isinstance(made, Source), str(made)
    return made


def lowered(
    text: str, values: list[Any], parallel: bool = True, dialect: Dialect = OPENCL
) -> Source | Refusal:
    own = [INT] * (4 if parallel else 1)
    kernel = Kernel("kernel0", text, parallel, False, (), (), (), (), False, False, ())
    return lower(kernel, [*own, *map(parameter, values)], dialect)


def on_device(device: Device, text: str, trips: int, values: list[Any]) -> int:
    """Status of a run of all chunks; `values` come behind ``stop, chunk, lo, hi``."""
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    run = Run(device, arrays, frozenset(range(len(arrays))))
    places = itertools.count()
    given = [next(places) if isinstance(v, np.ndarray) else v for v in values]
    run.launch(source(text, values), trips, trips, given)
    status = run.status()
    if not status:
        run.back()
    return status


def on_cpu(text: str, trips: int, values: list[Any]) -> int:
    name = f"test_device_{next(_names)}"
    parameters = [*[INT] * 4, *map(parameter, values)]
    module = ir.Module(name=name)
    entry.add(module, name, llvm_lower(module, ast.parse(text).body[0], parameters), parameters)
    call = machine.load(machine.assemble(str(module)), name, machine.symbols(str(module)))
    stop = np.zeros(1, np.int64)
    return call(stop.ctypes.data, 0, 0, trips, *values)


def both(device: Device, text: str, trips: int, *values: Any) -> list[Any]:
    """Run on both with arguments of their own, and compare all bytes of all arrays."""
    mine = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
    assert on_device(device, text, trips, mine) == on_cpu(text, trips, list(values))
    for ours, theirs in zip(mine, values, strict=True):
        if isinstance(ours, np.ndarray):
            nan = np.isnan(ours) if ours.dtype.kind in "fc" else np.zeros(ours.shape, bool)
            assert (nan == (theirs != theirs)).all()
            assert ours[~nan].tobytes() == theirs[~nan].tobytes()
    return mine


WORDS = np.array([0, 1, -1, 2, -7, 13, 2**31, 2**62, -(2**63), 2**63 - 1, 63, 64, 65])
FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.5, 0.1, 3.7, -7.25, 1e-310, 5e-324, 1e308, -1e300, np.inf, -np.inf, np.nan]
)


def pairs(values: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    one, two = np.meshgrid(values, values)
    return one.ravel().copy(), two.ravel().copy()


def elementwise(expression: str) -> str:
    return f"""\
def kernel0(stop, chunk, lo, hi, a, b, out):
    for i in apart_(lo, hi):
        if stopped_(stop):
            return 2
        out[i] = {expression}
    return 0
"""


INTEGERS = [
    "a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "a[i] // b[i]", "a[i] % b[i]",
    "a[i] & b[i]", "a[i] | b[i]", "a[i] ^ b[i]", "-a[i]", "~a[i]", "abs(a[i])",
    "min(a[i], b[i])", "max(a[i], b[i], 3)", "int_floordiv(a[i], b[i])", "int_mod(a[i], b[i])",
    "int_pow(a[i], b[i] & 31)", "int_lshift(a[i], b[i])", "int_rshift(a[i], b[i])",
    "int64(int8(a[i]))", "int64(uint8(a[i]))", "int64(int32(a[i]))", "int64(a[i] < b[i])",
    "int64(uint64(a[i]) // (uint64(b[i]) | uint64(1)))", 
    "int64(uint_mod(uint64(a[i]), uint64(b[i])))",
    "int64(uint_lshift(uint64(a[i]), uint64(b[i])))", 
    "int64(uint_pow(uint64(a[i]), uint64(b[i]) & 15))",
    "int64(uint64(a[i]) < uint64(b[i]))", "bit_length_(a[i])", "ones_(a[i])",
    "9223372036854775807 - a[i]",
    "(-9223372036854775808) + a[i]", "int64(not a[i])", "int64(a[i] < b[i] <= 13)",
    "a[i] if a[i] < b[i] and b[i] != 3 or not b[i] else 7",
]  # fmt: skip


@pytest.mark.parametrize("expression", INTEGERS)
def test_integers_are_those_of_the_cpu(device, expression):
    a, b = pairs(WORDS)
    both(device, elementwise(expression), len(a), a, b, np.zeros_like(a))


FLOATING = [
    "a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "a[i] / b[i]", "a[i] * b[i] + a[i]", "-a[i]",
    "abs(a[i])", "floor_(a[i])", "ceil_(a[i])", "rint_(a[i])", "sqrt_(a[i])",
    "copysign_(a[i], b[i])", "fma_(a[i], b[i], a[i])", "float_mod(a[i], b[i])",
    "float_floordiv(a[i], b[i])", "fmod_(a[i], b[i])", "a[i] if a[i] < b[i] else 0.5",
    "traced_(a[i], b[i])", "a[i] * inf_", "a[i] * 0.1 - 1e-300", "rounded(a[i], 100.0)",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("expression", FLOATING)
def test_floats_are_those_of_the_cpu(device, expression, dtype):
    if dtype == "float32" and ("0.1" in expression or "rounded" in expression):
        expression = expression.replace("0.1", "float32(0.1)").replace("1e-300", "float32(1e-40)")
        expression = expression.replace("100.0", "float32(100.0)")
    with np.errstate(all="ignore"):
        a, b = pairs(FLOATS.astype(dtype))
    both(device, elementwise(expression), len(a), a, b, np.zeros_like(a))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("expression", ["a[i] / b[i]", "sqrt_(abs(a[i]))", "a[i] * b[i] - b[i]"])
def test_random_floats_are_rounded_as_on_the_cpu(device, expression, dtype):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**63, 40_000).view(np.float64).astype(np.float64)
    with np.errstate(all="ignore"):
        a = (rng.standard_normal(20_000) * np.exp2(rng.integers(-140, 120, 20_000))).astype(dtype)
        b = (rng.standard_normal(20_000) * np.exp2(rng.integers(-140, 120, 20_000))).astype(dtype)
        if dtype == "float64":
            a, b = bits[:20_000], bits[20_000:]
    both(device, elementwise(expression), len(a), a, b, np.zeros_like(a))


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize(
    "expression",
    ["a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "complex_divide(a[i], b[i])",
     "complex(a[i].imag, b[i].real)", "a[i] if a[i] == b[i] else b[i]"],
)  # fmt: skip
def test_complex_numbers_are_those_of_the_cpu(device, expression, dtype):
    few = FLOATS[[0, 1, 2, 3, 4, 9, 11]]
    re, im = pairs(few)
    part = np.float32 if dtype == "complex64" else np.float64
    with np.errstate(all="ignore"):
        z = np.empty(len(re), dtype)
        z.real, z.imag = re.astype(part), im.astype(part)
    a, b = pairs(z)
    both(device, elementwise(expression), len(a), a, b, np.zeros_like(a))


STATEMENTS = {
    "a loop that counts down and leaves early": """\
def kernel0(stop, chunk, lo, hi, a, b, out):
    for i in apart_(lo, hi):
        s = 0
        for k in range(a[i] & 15, -3, -2):
            if k == b[i] & 7:
                continue
            if s > 20:
                break
            s = s + k
            k = 5
        out[i] = s
    return 0
""",
    "a step that is not known": """\
def kernel0(stop, chunk, lo, hi, a, b, out):
    for i in apart_(lo, hi):
        s = 0
        step = (b[i] & 3) - 2
        if step == 0:
            step = 3
        for k in range(0, a[i] & 63, step):
            s += k
        out[i] = s
    return 0
""",
    "integers that are checked": """\
def kernel0(stop, chunk, lo, hi, a, b, out):
    for i in apart_(lo, hi):
        v1_, over1_ = checked_mul(a[i], b[i])
        v2_, over2_ = checked_add(v1_, a[i])
        v3_, over3_ = checked_sub(v2_, b[i])
        v4_, over4_ = checked_pow(a[i] & 7, b[i] & 31)
        v5_, over5_ = checked_lshift(a[i], b[i])
        v6_, over6_ = checked_rshift(a[i], b[i])
        odd_ = False
        odd_ |= over1_
        odd_ |= over2_ and not over3_
        out[i] = v3_ + v4_ ^ v5_ + v6_ + odd_ + 2 * over3_ + 4 * over4_ + 8 * over5_ + 16 * over6_
    return 0
""",
    "values that change places": """\
def kernel0(stop, chunk, lo, hi, a, b, out):
    for i in apart_(lo, hi):
        x, y = a[i], b[i]
        x, y = y, x
        while x > 0:
            x, y = y - 1, x >> 1
            if y == 0:
                break
        out[i] = x - y
    return 0
""",
    "room of its own": """\
def kernel0(stop, chunk, lo, hi, a, b, out):
    kept_ = room_("int64", 16)
    for i in apart_(lo, hi):
        for k in range(16):
            kept_[k] = a[i] + k
        out[i] = kept_[b[i] & 15]
    return 0
""",
    "names that mean something in C": """\
def kernel0(stop, chunk, lo, hi, a, b, out):
    for long in apart_(lo, hi):
        switch = a[long]
        int4 = b[long]
        floor = min(switch, int4)
        M_PI = floor + 1
        M_Pi = floor - 1
        π = M_PI ^ M_Pi
        ap_add = π + 3
        i8 = ap_add
        out[long] = i8
    return 0
""",
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_do_what_they_do_on_the_cpu(device, name):
    a, b = pairs(WORDS)
    both(device, STATEMENTS[name], len(a), a, b, np.zeros_like(a))


@pytest.mark.parametrize("dtype", [*kinds.NUMBERS, "bool"])
def test_every_dtype_is_read_and_written(device, dtype):
    a = np.arange(40).reshape(5, 8).astype(dtype)
    text = """\
def kernel0(stop, chunk, lo, hi, a, out):
    for i in apart_(lo, hi):
        for j in range(a.shape[1]):
            out[i, j] = a[i, a.shape[1] - 1 - j]
    return 0
"""
    (_, out) = both(device, text, 5, a, np.zeros_like(a))
    assert (out == a[:, ::-1]).all()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a, lambda a: a.T, lambda a: a[::2, 1:], lambda a: a[::-1], lambda a: a[:, 3:4],
        lambda a: np.asfortranarray(a), lambda a: a[2:2], lambda a: a.T[1:, ::-3],
    ],
)  # fmt: skip
def test_layouts_of_any_kind(device, view):
    a = view(np.arange(60.0).reshape(6, 10))
    whole = np.full((14, 14), -1.0)
    out = whole[1 : 1 + a.shape[0], 2 : 2 + a.shape[1]]
    text = """\
def kernel0(stop, chunk, lo, hi, a, out):
    for i in apart_(lo, hi):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j]
    return 0
"""
    if a.shape[0]:
        assert on_device(opencl.find(0), text, a.shape[0], [a, out]) == 0
    expected = np.full((14, 14), -1.0)
    expected[1 : 1 + a.shape[0], 2 : 2 + a.shape[1]] = a
    assert (whole == expected).all()


def test_numbers_of_all_kinds_are_handed_over(device):
    text = """\
def kernel0(stop, chunk, lo, hi, n, x, f, z, t, u, out):
    for i in apart_(lo, hi):
        out[i] = float64(n) + x * float64(f) + z.imag + float64(t) + float64(u)
    return 0
"""
    given = (7, 2.5, np.float32(0.1), 1 + 2j, True, np.uint64(2**63 + 4096), np.zeros(3))
    both(device, text, 3, *given)


def test_the_greatest_status_is_what_a_run_comes_to(device):
    text = """\
def kernel0(stop, chunk, lo, hi, a):
    for i in apart_(lo, hi):
        a[i] = 1
        if i == 77:
            return 1
        if i == 5:
            return 3
    return 0
"""
    a = np.zeros(100, np.int64)
    assert on_device(device, text, 100, [a]) == 3
    assert not a.any()  # nothing comes back


def test_fewer_chunks_than_iterations_share_them(device):
    text = """\
def kernel0(stop, chunk, lo, hi, a):
    for i in range(lo, hi):
        a[i] = chunk
    return 0
"""
    a = np.zeros(10, np.int64)
    run = Run(device, [a], frozenset((0,)))
    run.launch(source(text, [a]), 10, 4, [0])
    assert run.status() == 0
    run.back()
    assert a.tolist() == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]


# ---------------------------------------------------------------------------- the text itself

SMALL = """\
def kernel0(stop, chunk, lo, hi, a, n):
    for i in apart_(lo, hi):
        if stopped_(stop):
            return 2
        a[i, n] = a[i, n] * 0.5 + float64(i)
    return 0
"""
ONE = """\
def kernel2(stop, a, n):
    a[0, n] = a[0, n] + 5.0
    return 0
"""
SMALL_C = """\
AP_FUNCTION i32 ap_kernel0(
    i64 chunk, i64 lo, i64 hi, AP_GLOBAL char *AP_ONLY a, i64 ap_at_a, i64 ap_s0_a, i64 n
) {
    i64 i;
    for (i64 ap_1 = lo, ap_2 = hi; ap_1 < ap_2; ap_1 += 1) {
        i = ap_1;
        (*(AP_GLOBAL f64 *)(a + (ap_at_a + i * ap_s0_a + n * 8))) = \
((*(AP_GLOBAL f64 *)(a + (ap_at_a + i * ap_s0_a + n * 8))) * 0.5) + (f64)i;
    }
    return 0;
}

AP_KERNEL void kernel0(
    AP_GLOBAL i32 *ap_status, i64 ap_trips, i64 ap_chunks, i64 ap_first,
    AP_GLOBAL char *AP_ONLY a, i64 ap_at_a, i64 ap_s0_a, i64 n
) {
    i64 chunk = AP_ITEM;
    if (chunk >= ap_chunks) return;
#ifdef AP_EACH
    i64 lo = ap_first + chunk, hi = lo + 1;
#else
    i64 lo = ap_first + chunk * ap_trips / ap_chunks;
    i64 hi = ap_first + (chunk + 1) * ap_trips / ap_chunks;
#endif
    i32 ap_found = ap_kernel0(chunk, lo, hi, a, ap_at_a, ap_s0_a, n);
    if (ap_found != 0) AP_WORST(ap_status, ap_found);
}
"""


@pytest.mark.parametrize("dialect", [OPENCL, CUDA], ids=lambda d: d.name)
def test_a_kernel_as_c(dialect):
    made = lowered(SMALL, [np.zeros((2, 3)), 1], dialect=dialect)
    assert isinstance(made, Source)
    assert made.text.startswith(dialect.head)
    assert made.text.endswith(SMALL_C)
    assert made.written == {0}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("a[0] = libm_sin(a[0])", "the device's own sin() may have other bits"),
        ("a[0] = numpy_exp_dd(a[0])", "the device's own exp() may have other bits"),
        ("a[0] = squared(a[0])", "the device's own pow() may have other bits"),
        ("many_('numpy_log_dd', n, a, a)", "NumPy's own loop of log() runs on the CPU"),
        ("a[0] = next_double_(n)", "random numbers are drawn by NumPy"),
        ("a[0] = polar_pair(n)", "random numbers are drawn by NumPy"),
        ("r_ = room_('float64', 100000)", "each iteration would need 800000 bytes of its own"),
    ],
)
def test_what_is_refused_and_why(body, why):
    text = f"def kernel0(stop, a, n):\n    {body}\n    return 0\n"
    made = lowered(text, [np.zeros(3), 1], parallel=False)
    assert isinstance(made, Refusal)
    assert (made.code, made.detail) == ("device", why)


@pytest.mark.parametrize("dialect", [OPENCL, CUDA], ids=lambda d: d.name)
def test_what_is_no_kernel_text_is_an_error(dialect):
    for body, error in (
        ("n = 1.5", TypeError),
        ("a[0, 0] = 1.0", NotImplementedError),
        ("import os", NotImplementedError),
        ("a[n] = a[n] + float32(n)", TypeError),
    ):
        text = f"def kernel0(stop, a, n):\n    {body}\n    return 0\n"
        with pytest.raises(error):
            lowered(text, [np.zeros(3), 1], False, dialect)


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed")
def test_cuda_takes_all_of_it():
    a, f, z = np.zeros(4, np.int64), np.zeros(4), np.zeros(4, np.complex128)
    cases = [(elementwise(e), [a, a, a]) for e in INTEGERS]
    cases += [(elementwise(e), [f, f, f]) for e in FLOATING]
    cases += [(elementwise("a[i] * b[i] - complex_divide(a[i], b[i])"), [z, z, z])]
    cases += [(text, [a, a, a]) for text in STATEMENTS.values()]
    for text, values in cases:
        made = lowered(text, values, dialect=CUDA)
        assert isinstance(made, Source)
        code = nvrtc.compiled(made.text)
        assert ".visible .entry kernel0(" in code
        # Nowhere do a product and a sum become one instruction, but where the text says so.
        own = "fma_" in text or "rounded" in text or "fmod_" in text or "float_" in text
        assert own or "fma.rn.f64" not in code


def test_kernels_of_a_nest_have_one_text(device):
    """Each of them with one iteration for each chunk, or none where it has no loop."""
    texts = [SMALL, SMALL.replace("* 0.5", "- 0.7").replace("kernel0", "kernel1"), ONE]
    given = [np.arange(6.0).reshape(2, 3), 1]
    made = [lowered(text, given, k < 2) for k, text in enumerate(texts)]
    sources = together([one for one in made if isinstance(one, Source)], OPENCL)
    (joint,) = {source.joint for source in sources}
    assert joint.count("AP_FUNCTION i64 ap_add(") <= 1
    assert joint.count(OPENCL.head) == 1
    run = Run(device, [given[0]], frozenset((0,)))
    for source in sources:
        trips = 2 if source.parallel else 1
        assert source.form(each=source.parallel, apart=True) == joint
        assert source.form(each=source.parallel, apart=False) != joint
        run.launch(source, trips, trips, [0, 1])
    assert run.status() == 0
    run.back()
    expected = np.arange(6.0).reshape(2, 3)
    expected[:, 1] = expected[:, 1] * 0.5 + [0, 1]
    expected[:, 1] = expected[:, 1] - 0.7 + [0, 1]
    expected[0, 1] += 5
    assert given[0].tobytes() == expected.tobytes()
    assert len(device.programs) == len({text for _, text in device.kernels})
