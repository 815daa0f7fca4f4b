"""Functions that kernels call, written in the language of kernel text.

They are lowered where they are called, with the dtypes of that call: integers there are 64 bits
wide and wrap, and a literal has the dtype of whatever it is combined with.
"""

from __future__ import annotations

from math import copysign as copysign_
from math import fmod as fmod_
from math import nan as nan_

from numpy import floor as floor_
from numpy import uint64

# ---------------------------------------------------------------------------- integers


def int_floordiv(a: int, b: int) -> int:
    if b == 0:
        return 0
    if b == -1:
        return 0 - a  # the one quotient that overflows wraps, as in NumPy, instead of trapping
    return a // b


def int_mod(a: int, b: int) -> int:
    if b == 0 or b == -1:
        return 0
    return a % b


def uint_floordiv(a: uint64, b: uint64) -> uint64:
    return a // b if b != 0 else b


def uint_mod(a: uint64, b: uint64) -> uint64:
    return a % b if b != 0 else b


def int_pow(a: int, b: int) -> int:
    """``a ** b`` for ``b >= 0`` modulo 2**64, by squaring."""
    result = 1
    while b > 0:
        if b & 1:
            result = result * a
        a = a * a
        b = b >> 1
    return result


def uint_pow(a: uint64, b: uint64) -> uint64:
    result = uint64(1)
    while b > 0:
        if b & 1:
            result = result * a
        a = a * a
        b = b >> 1
    return result


def int_lshift(a: int, b: int) -> int:
    return a << b if 0 <= b < 64 else 0


def int_rshift(a: int, b: int) -> int:
    if 0 <= b < 64:
        return a >> b
    return -1 if a < 0 else 0


def uint_lshift(a: uint64, b: uint64) -> uint64:
    return a << b if b < 64 else uint64(0)


def uint_rshift(a: uint64, b: uint64) -> uint64:
    return a >> b if b < 64 else uint64(0)


def checked_pow(a: int, b: int) -> tuple[int, bool]:
    if b < 0 or b > 4096:
        return 0, True
    result = 1
    for _ in range(b):
        if not -9.0e18 < float(result) * float(a) < 9.0e18:
            return 0, True
        result = result * a
    return result, False


def checked_lshift(a: int, b: int) -> tuple[int, bool]:
    if b < 0 or b > 62 or (a << b) >> b != a:
        return 0, True
    return a << b, False


def checked_rshift(a: int, b: int) -> tuple[int, bool]:
    if b < 0:
        return 0, True
    return a >> min(b, 63), False


# ---------------------------------------------------------------------------- complex numbers


def complex_quotient(a: complex, b: complex) -> complex:
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
    return complex(nan_, nan_)


def complex_divide(a: complex, b: complex) -> complex:
    """NumPy's complex divide: Smith's method with a reciprocal scale."""
    if abs(b.real) >= abs(b.imag):
        if b.real == 0.0 and b.imag == 0.0:
            return complex(a.real / abs(b.real), a.imag / abs(b.real))
        ratio = b.imag / b.real
        scale = 1.0 / (b.real + b.imag * ratio)
        return complex((a.real + a.imag * ratio) * scale, (a.imag - a.real * ratio) * scale)
    ratio = b.real / b.imag
    scale = 1.0 / (b.imag + b.real * ratio)
    return complex((a.real * ratio + a.imag) * scale, (a.imag * ratio - a.real) * scale)


# ---------------------------------------------------------------------------- floats


def float_mod(a: float, b: float) -> float:
    """C's `fmod`, then the sign of the divisor.

    CPython `float_rem`, NumPy `npy_divmod`; the same steps in both.
    """
    mod = fmod_(a, b)
    if b == 0.0:
        return mod
    if mod == 0.0:
        return copysign_(0.0, b)
    if (b < 0.0) != (mod < 0.0):
        return mod + b
    return mod


def float_floordiv(a: float, b: float) -> float:
    """The quotient that goes with `float_mod`: CPython `float_floor_div`, NumPy `npy_divmod`."""
    if b == 0.0:
        return a / b
    mod = fmod_(a, b)
    div = (a - mod) / b
    if mod != 0.0 and (b < 0.0) != (mod < 0.0):
        div = div - 1.0
    if div == 0.0:
        return copysign_(0.0, a / b)
    floor: float = floor_(div)
    if div - floor > 0.5:
        floor = floor + 1.0
    return floor
