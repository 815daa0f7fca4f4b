"""What generated kernels call: C library functions, NumPy's inner loops, and Python arithmetic.

Everything is made on demand by name, because each costs compile time:

``libm_exp``        the C function that CPython's `math.exp` calls, opaque to LLVM, so that it is
                    neither folded (``pow(x, 2)`` into ``x * x`` changes one result in a thousand)
                    nor replaced by a vector version
``numpy_exp_dd``    NumPy's own inner loop for that ufunc and those dtypes, on one element, as the
                    interpreter runs it on a scalar
``checked_add`` …   int64 arithmetic with an overflow flag, for Python integers
``int_mod`` …       NumPy's and Python's sign rules, no traps
``stopped_``        whether the launching thread wants the kernel to stop
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from llvmlite import binding
from llvmlite import ir as llvm
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

CASTS = {
    name: getattr(types, name)
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float32", "float64", "complex64", "complex128",
    )
}  # fmt: skip
CONSTANTS = {"inf_": float("inf"), "nan_": float("nan")}


def namespace(helpers: Iterable[str]) -> dict[str, Any]:
    """Globals for the text of one kernel."""
    return {**CASTS, **CONSTANTS, **{name: helper(name) for name in helpers}}


@functools.cache
def helper(name: str) -> Any:
    """The compiled helper of that name."""
    if name.startswith("libm_"):
        return _libm(name)
    if name.startswith("numpy_"):
        return _ufunc(name)
    if name in ("checked_add", "checked_sub", "checked_mul", "checked_umul"):
        return _checked(name)
    if name == "stopped_":
        return _stopped()
    if name in ("floor_", "ceil_", "rint_"):
        return _rounding(name.removesuffix("_"))
    if name.endswith("_f"):  # float32 version of a float helper
        return _float_helper(name.removesuffix("_f"), np.float32)
    if name in ("float_floordiv", "float_mod"):
        return _float_helper(name, np.float64)
    return njit(_HELPERS[name], error_model="numpy")


def register(helpers: Iterable[str]) -> None:
    """Make the addresses known that cached machine code refers to by name."""
    for name in helpers:
        if name.startswith(("libm_", "numpy_")):
            helper(name)


# ---------------------------------------------------------------------------- C functions


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m"))


def _libm(name: str) -> Any:
    function = getattr(_library(), name.removeprefix("libm_"))
    symbol = f"autopar_{name}"
    binding.add_symbol(symbol, ctypes.cast(function, ctypes.c_void_p).value)
    two = name.removeprefix("libm_").removesuffix("f") in (
        "atan2", "copysign", "fmod", "pow", "hypot"
    )  # fmt: skip
    single = name in ("libm_powf", "libm_hypotf", "libm_fmodf")
    kind = types.float32 if single else types.float64
    word = llvm.FloatType() if single else llvm.DoubleType()
    signature = kind(*([kind] * (2 if two else 1)))

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        shape = llvm.FunctionType(word, [word] * len(args))
        return builder.call(cgutils.get_or_insert_function(builder.module, shape, symbol), args)

    def one(typingctx: Any, x: Any) -> Any:
        return signature, codegen

    def both(typingctx: Any, x: Any, y: Any) -> Any:
        return signature, codegen

    return intrinsic(both if two else one)


# ---------------------------------------------------------------------------- NumPy's loops

# struct _tagPyUFuncObject, numpy/ufuncobject.h: after the object head four ints (nin, nout, nargs,
# identity), then `functions` and `data`, one entry per line of `types`.
_FUNCTIONS, _DATA = 32, 40


def inner_loop(name: str, chars: str) -> tuple[int, int]:
    """Address of a ufunc's inner loop and of its data, for dtype characters like ``dd``."""
    ufunc = getattr(np, name)
    k = ufunc.types.index(f"{chars[:-1]}->{chars[-1]}")
    found = []
    for offset in (_FUNCTIONS, _DATA):
        table = ctypes.c_void_p.from_address(id(ufunc) + offset).value
        entry = ctypes.c_void_p.from_address(table + 8 * k).value if table else None
        found.append(entry or 0)
    return found[0], found[1]


def _ufunc(name: str) -> Any:
    ufunc, letters = name.removeprefix("numpy_").rsplit("_", 1)
    chars = letters.replace("t", "?")  # `cpu.calls.TRUTH`
    function, data = inner_loop(ufunc, chars)
    symbol, data_symbol = f"autopar_{name}", f"autopar_{name}_data"
    binding.add_symbol(symbol, function)
    if data:
        binding.add_symbol(data_symbol, data)
    kinds = [from_dtype(np.dtype(c)) for c in chars]
    signature = kinds[-1](*kinds[:-1])

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        model = context.data_model_manager
        byte, word = llvm.IntType(8).as_pointer(), llvm.IntType(64)
        shape = llvm.FunctionType(
            llvm.VoidType(), [byte.as_pointer(), word.as_pointer(), word.as_pointer(), byte]
        )
        loop = cgutils.get_or_insert_function(builder.module, shape, symbol)
        pointers = cgutils.alloca_once(builder, byte, size=len(chars))
        strides = cgutils.alloca_once(builder, word, size=len(chars))
        count = cgutils.alloca_once_value(builder, word(1))
        slots = []
        for k, kind in enumerate(kinds):
            slots.append(cgutils.alloca_once(builder, context.get_data_type(kind)))
            if k < len(args):
                builder.store(model[kind].as_data(builder, args[k]), slots[k])
            where = [llvm.IntType(32)(k)]
            builder.store(builder.bitcast(slots[k], byte), builder.gep(pointers, where))
            builder.store(word(0), builder.gep(strides, where))  # as for NumPy's scalars
        extra = byte(None)
        if data:
            extra = builder.bitcast(
                cgutils.get_or_insert_function(builder.module, shape, data_symbol), byte
            )
        builder.call(loop, [pointers, count, strides, extra])
        return model[kinds[-1]].from_data(builder, builder.load(slots[-1]))

    def one(typingctx: Any, x: Any) -> Any:
        return signature, codegen

    def both(typingctx: Any, x: Any, y: Any) -> Any:
        return signature, codegen

    return intrinsic(one if len(chars) == 2 else both)


# ---------------------------------------------------------------------------- integers


def _checked(name: str) -> Any:
    methods = {"add": "sadd", "sub": "ssub", "mul": "smul", "umul": "umul"}
    method = methods[name.removeprefix("checked_")]
    kind = types.uint64 if method == "umul" else types.int64

    def checked(typingctx: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pair = getattr(builder, f"{method}_with_overflow")(*args)
            value, over = builder.extract_value(pair, 0), builder.extract_value(pair, 1)
            return context.make_tuple(builder, sig.return_type, [value, over])

        return types.Tuple((kind, types.boolean))(kind, kind), codegen

    return intrinsic(checked)


# ---------------------------------------------------------------------------- stopping


class _VolatileLoad(llvm.LoadInstr):  # type: ignore[misc]
    """A load that the optimizer neither moves nor drops, and that orders nothing else."""

    def descr(self, buf: list[str]) -> None:
        text: list[str] = []
        super().descr(text)
        buf.append("".join(text).replace("load ", "load volatile ", 1))


def _stopped() -> Any:
    """``stopped_(address)``: whether the word at that address is non-zero by now."""

    def stopped(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            word = llvm.IntType(64)
            pointer = builder.inttoptr(args[0], word.as_pointer())
            load = _VolatileLoad(builder.block, pointer, name="stop", typ=word)
            builder._insert(load)
            return builder.icmp_unsigned("!=", load, word(0))

        return types.boolean(types.int64), codegen

    return intrinsic(stopped)


def _int_floordiv(a: int, b: int) -> int:
    if b == 0:
        return 0
    if b == -1:
        return 0 - a  # the one quotient that overflows wraps, as in NumPy, instead of trapping
    return a // b


def _int_mod(a: int, b: int) -> int:
    if b in (0, -1):
        return 0
    return a % b


def _uint_floordiv(a: Any, b: Any) -> Any:
    return a // b if b != 0 else types.uint64(0)


def _uint_mod(a: Any, b: Any) -> Any:
    return a % b if b != 0 else types.uint64(0)


def _int_pow(a: int, b: int) -> int:
    """``a ** b`` for ``b >= 0`` modulo 2**64, by squaring."""
    result = 1
    while b > 0:
        if b & 1:
            result = result * a
        a = a * a
        b >>= 1
    return result


def _int_lshift(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def _int_rshift(a: int, b: int) -> int:
    if 0 <= b < 64:
        return a >> b
    return -1 if a < 0 else 0


def _uint_lshift(a: Any, b: Any) -> Any:
    return a << b if b < types.uint64(64) else types.uint64(0)


def _uint_rshift(a: Any, b: Any) -> Any:
    return a >> b if b < types.uint64(64) else types.uint64(0)


def _checked_pow(a: int, b: int) -> tuple[int, bool]:
    if b < 0 or b > 4096:
        return 0, True
    result = 1
    for _ in range(b):
        if not -9.0e18 < float(result) * float(a) < 9.0e18:
            return 0, True
        result *= a
    return result, False


def _checked_lshift(a: int, b: int) -> tuple[int, bool]:
    if b < 0 or b > 62 or (a << b) >> b != a:
        return 0, True
    return a << b, False


def _checked_rshift(a: int, b: int) -> tuple[int, bool]:
    if b < 0:
        return 0, True
    return a >> min(b, 63), False


def _complex_quotient(a: complex, b: complex) -> complex:
    """CPython's `_Py_c_quot`: Smith's method with one division by the denominator."""
    if abs(b.real) >= abs(b.imag):
        ratio = b.imag / b.real
        denominator = b.real + b.imag * ratio
        return complex(
            (a.real + a.imag * ratio) / denominator, (a.imag - a.real * ratio) / denominator
        )
    if abs(b.imag) >= abs(b.real):
        ratio = b.real / b.imag
        denominator = b.real * ratio + b.imag
        return complex(
            (a.real * ratio + a.imag) / denominator, (a.imag * ratio - a.real) / denominator
        )
    return complex(np.nan, np.nan)


def _smith(one: Any) -> Callable[[Any, Any], Any]:
    def divide(a: Any, b: Any) -> Any:
        """NumPy's complex divide: Smith's method with a reciprocal scale."""
        ar, ai, br, bi = a.real, a.imag, b.real, b.imag
        if abs(br) >= abs(bi):
            if br == 0 and bi == 0:
                return complex(ar / abs(br), ai / abs(br))
            ratio = bi / br
            scale = one / (br + bi * ratio)
            return complex((ar + ai * ratio) * scale, (ai - ar * ratio) * scale)
        ratio = br / bi
        scale = one / (bi + br * ratio)
        return complex((ar * ratio + ai) * scale, (ai * ratio - ar) * scale)

    return divide


def _float_helper(name: str, kind: Any) -> Any:
    """Floor division or modulo of floats: C `fmod`, then the sign of the divisor.

    CPython `float_floor_div` and `float_rem`, NumPy `npy_divmod`; the same steps in all three.
    """
    fmod = helper("libm_fmod" if kind is np.float64 else "libm_fmodf")
    one, zero = kind(1), kind(0)

    def modulo(a: Any, b: Any) -> Any:
        mod = fmod(a, b)
        if b == zero:
            return mod
        if mod == zero:
            return kind(math.copysign(zero, b))
        if (b < zero) != (mod < zero):
            mod = kind(mod + b)
        return mod

    def floordiv(a: Any, b: Any) -> Any:
        if b == zero:
            return kind(a / b)
        mod = fmod(a, b)
        div = kind(kind(a - mod) / b)
        if mod != zero and (b < zero) != (mod < zero):
            div = kind(div - one)
        if div == zero:
            return kind(math.copysign(zero, kind(a / b)))
        floor = kind(math.floor(div)) if abs(div) < 4503599627370496.0 else div
        if kind(div - floor) > 0.5:
            floor = kind(floor + one)
        return floor

    return njit(modulo if name == "float_mod" else floordiv, error_model="numpy")


def _rounding(name: str) -> Any:
    """``floor``, ``ceil`` or ``rint`` of a float64 as one LLVM instruction, still a float."""

    def rounded(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            word = llvm.DoubleType()
            shape = llvm.FunctionType(word, [word])
            symbol = f"llvm.{name}.f64"
            return builder.call(cgutils.get_or_insert_function(builder.module, shape, symbol), args)

        return types.float64(types.float64), codegen

    return intrinsic(rounded)


def _sqrt(x: Any) -> Any:
    return math.sqrt(x)


_HELPERS: dict[str, Callable[..., Any]] = {
    "int_floordiv": _int_floordiv,
    "int_mod": _int_mod,
    "int_pow": _int_pow,
    "int_lshift": _int_lshift,
    "int_rshift": _int_rshift,
    "uint_floordiv": _uint_floordiv,
    "uint_mod": _uint_mod,
    "uint_pow": _int_pow,
    "uint_lshift": _uint_lshift,
    "uint_rshift": _uint_rshift,
    "checked_pow": _checked_pow,
    "checked_lshift": _checked_lshift,
    "checked_rshift": _checked_rshift,
    "complex_quotient": _complex_quotient,
    "complex_divide": _smith(np.float64(1)),
    "complex64_divide": _smith(np.float32(1)),
    "sqrt_": _sqrt,
}
