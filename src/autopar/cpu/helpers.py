"""Functions that kernels call, written in the language of kernel text.

They are lowered where they are called, with the dtypes of that call: integers there are 64 bits
wide and wrap, and a literal has the dtype of whatever it is combined with.
"""

from __future__ import annotations

from math import copysign as copysign_
from math import cos as libm_cos
from math import fmod as fmod_
from math import log as libm_log
from math import nan as nan_
from math import pow as libm_pow
from math import sin as libm_sin
from math import sqrt as sqrt_
from struct import pack, unpack

from numpy import floor as floor_
from numpy import rint as rint_
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


def complex_square(a: complex) -> complex:
    """CPython's `c_powu` for 2: the number times itself, times the one that it began with."""
    square = a * a
    return complex(square.real - 0.0 * square.imag, square.imag + 0.0 * square.real)


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


def fma_(a: float, b: float, c: float) -> float:
    raise NotImplementedError  # a word of `cpu.intrinsics`


def squared(a: float) -> float:
    """C's ``pow(a, 2.0)``; see `cpu.powers`."""
    high = a * a
    low = fma_(a, a, -high)
    away = abs(low) + fma_(high, fma_(high, 2.4e-35, 1.653e-18), 2.4e-35)
    if high + away == high - away:
        return high
    if a == 0.0:
        return 0.0
    # Neither is `low` lost for being small, nor is the square an overflow, or of a nan.
    if 1e-280 < high < 1e300 and high + 1.125 * low == high:
        return high
    return libm_pow(a, 2.0)


def bits_(x: float) -> int:
    """A word of `cpu.intrinsics`, and here for who asks whether these functions are right."""
    (found,) = unpack("<q", pack("<d", x))
    return int(found)


def of_bits_(n: int) -> float:
    """The other way round."""
    (found,) = unpack("<d", pack("<q", n))
    return float(found)


def hypot_2(x: float, y: float) -> float:
    """Python's ``math.hypot(x, y)``; see `cpu.norms`."""
    return hypot_3(x, y, 0.0)


def hypot_3(x: float, y: float, z: float) -> float:
    x, y, z = abs(x), abs(y), abs(z)
    large = 0.0
    if x > large:
        large = x
    if y > large:
        large = y
    if z > large:
        large = z
    if large - large != 0.0:
        return large
    if x != x or y != y or z != z:
        return nan_
    if large == 0.0:
        return 0.0
    if large < 5.562684646268003e-309:  # the scale would be too large
        total = 1.0
        rest = 0.0
        total, rest = added(total, rest, x / large * (x / large))
        total, rest = added(total, rest, y / large * (y / large))
        total, rest = added(total, rest, z / large * (z / large))
        return large * sqrt_(total - 1.0 + rest)
    exponent = 2045 - (bits_(large) >> 52)
    if large < 1.1125369292536007e-308:
        exponent = 2046
    scale = of_bits_(exponent << 52 if exponent > 0 else 2251799813685248 >> (0 - exponent))
    return scaled_norm(x * scale, y * scale, z * scale) / scale


def added(total: float, rest: float, x: float) -> tuple[float, float]:
    """A sum that is at least 1, and what it has been rounded by so far."""
    after = total + x
    return after, rest + (total - after + x)


def halves(x: float) -> tuple[float, float]:
    """A number as the sum of two that have half as many bits (Veltkamp)."""
    wide = x * 134217729.0
    high = wide - (wide - x)
    return high, x - high


def with_square(
    total: float, one: float, two: float, three: float, x: float
) -> tuple[float, float, float, float]:
    """A sum and the square of `x`, and what its three parts have been rounded by so far."""
    high, low = halves(x)
    total, one = added(total, one, high * high)
    total, two = added(total, two, 2.0 * high * low)
    return total, one, two, three + low * low


def scaled_norm(x: float, y: float, z: float) -> float:
    """The length of a vector, the largest of whose numbers is from 0.5 to 1."""
    total, one, two, three = with_square(1.0, 0.0, 0.0, 0.0, x)
    total, one, two, three = with_square(total, one, two, three, y)
    total, one, two, three = with_square(total, one, two, three, z)
    root: float = sqrt_(total - 1.0 + (one + two + three))
    high, low = halves(root)
    total, one = added(total, one, -high * high)
    total, two = added(total, two, -2.0 * high * low)
    total, three = added(total, three, -low * low)
    far = total - 1.0 + (one + two + three)
    return root + far / (2.0 * root)


def rounded(x: float, power: float) -> float:
    """CPython's ``round(x, n)``, for the power of ten of `n` and numbers that are not too large.

    Python rounds the exact decimal expansion of `x`, half to even, and reads it back.  `high + low`
    is ``x * power`` exactly, so the nearest integer is known; it and a power of ten below 10**22
    are floats, and their quotient is rounded as the decimal number would be.

    References
    ----------
    CPython, ``Objects/floatobject.c``, ``double_round``.
    """
    if x - x != 0.0:
        return x
    high = x * power
    low = fma_(x, power, -high)
    whole: float = rint_(high)
    rest = high - whole
    if rest == 0.5 and low > 0.0:
        whole = whole + 1.0
    if rest == -0.5 and low < 0.0:
        whole = whole - 1.0
    return whole / power


# ---------------------------------------------------------------------------- random numbers


def next_double_(source: int) -> float:
    raise NotImplementedError  # a word of `cpu.intrinsics`


def next_uint32_(source: int) -> int:
    raise NotImplementedError  # a word of `cpu.intrinsics`


def bit_length_(n: int) -> int:
    return n.bit_length()


def ones_(n: int) -> int:
    return n.bit_count()


def polar_pair(source: int) -> tuple[float, float]:
    """NumPy's `legacy_gauss` (numpy/random/src/legacy): the polar method of Marsaglia."""
    x1, x2, r2 = 0.0, 0.0, 0.0
    while r2 >= 1.0 or r2 == 0.0:
        x1 = 2.0 * next_double_(source) - 1.0
        x2 = 2.0 * next_double_(source) - 1.0
        r2 = x1 * x1 + x2 * x2
    f = sqrt_(-2.0 * libm_log(r2) / r2)
    return f * x2, f * x1


def gauss_pair(source: int) -> tuple[float, float]:
    """`random.Random.gauss`: the method of Box and Muller."""
    angle = next_double_(source) * 6.283185307179586
    radius = sqrt_(-2.0 * libm_log(1.0 - next_double_(source)))
    return libm_cos(angle) * radius, libm_sin(angle) * radius


def ratio_normal(source: int) -> float:
    """`random.Random.normalvariate`: the method of Kinderman and Monahan."""
    z = 0.0
    again = True
    while again:
        u1 = next_double_(source)
        u2 = 1.0 - next_double_(source)
        z = 1.7155277699214135 * (u1 - 0.5) / u2
        again = not z * z / 4.0 <= -libm_log(u2)
    return z


def inverse_exponential(source: int) -> float:
    """NumPy's `legacy_standard_exponential`, and `random.Random.expovariate` of rate 1."""
    return -libm_log(1.0 - next_double_(source))


def random_bits(source: int, bits: int) -> int:
    """`random.Random.getrandbits` for 1 to 63 bits: words of 32, the low one first."""
    if bits <= 32:
        return next_uint32_(source) >> (32 - bits)
    low = next_uint32_(source)
    high = next_uint32_(source) >> (64 - bits)
    return low | (high << 32)


def random_below(source: int, n: int) -> int:
    """`random.Random._randbelow_with_getrandbits` for ``0 < n < 2**63``."""
    bits = bit_length_(n)
    r = n
    while r >= n:
        r = random_bits(source, bits)
    return r
