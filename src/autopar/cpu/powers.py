"""``x ** 2``, and some other powers, with the bits of C's ``pow``, mostly without calling it.

``pow`` is rounded well, but not always to the nearest number, so a product is not enough.  How far
it may be from the exact square is known of one library: in glibc 2.28 and later 0.54 units in the
last place.  A product and what it has been rounded by, which a fused multiply-add computes exactly,
are the exact square.  Where that is less than 4/9 of a unit away from the product, any other number
is at least 5/9 away, and ``pow`` must return the product.

Most of these 0.54 units are there for large exponents. Between 1e-19 and 1e19 it can be said what
``pow`` computes before it rounds for the last time: ``s + s * t``, where `s` is from a table and
``abs(t) < 2**-8.52``. Five sums on the way to `t` are rounded, each by at most 2**-62 as they are
as small as `t`; ``s * t`` by 1.4 / 2**62 of `s`; a polynomial is 0.1 / 2**62 away from the
exponential function, and the logarithm, which is at most 44, by 1.5 / 2**68 of itself, 1.03 /
2**62. So what is rounded is within 7.6 / 2**62 of `s`, or 7.62 / 2**62 of itself, of the exact
square, and it is rounded to the product where the exact square is farther than that from the middle
between the product and its neighbours. One square in forty-five is left to ``pow``, beyond these
bounds one in nine. Of 150 million squares, ``pow`` returned a neighbour where that was 4.7 / 2**62
away at the most.

Nothing of that depends on the exponent, but that its product with the logarithm is exact, but for
2**-80, which a product with few bits is.  Other powers are sums of two doubles but for 2**-100 of
them: products of such sums (Dekker), a root and what its square lacks, an inverse and what its
product lacks.

That a power is within these bounds needs no comparison: what is added to the distance, 2.4e-35 and
2.4e-35 times its square, is nothing in between, and more than a unit beyond.

References
----------
sysdeps/ieee754/dbl-64/e_pow.c in glibc: the sum and the bounds of its parts, without fused
multiply-adds.
T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
Mathematik 18, 1971: products of such sums.
A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM
TOMS 17(3), 1991: the test for being far enough from the middle between two numbers.
"""

from __future__ import annotations

import functools
import os
import platform

from autopar.cpu.machine import processor

SQUARES = "squares_"
PLAIN = {
    SQUARES: 2,
    "power_3_": 3,
    "power_4_": 4,
    "power_6_": 6,
    "power_12_": 12,
    "power_half_": 0.5,
    "power_three_halves_": 1.5,
    "power_inverse_": -1,
}
"""Words of kernel text, and the exponents that they are for."""
GROWING = frozenset((0.5, 1.5, 2, 3))
"""Exponents of powers that are infinite or nan where the base is, as far as that is of use."""
_WORDS = {exponent: word for word, exponent in PLAIN.items()}

_FIRST = (2, 28)  # glibc with that function


def word(exponent: float) -> str | None:
    """The word for such a power of doubles; None where it is left to the library."""
    return _WORDS.get(exponent) if known() else None


@functools.cache
def known() -> bool:
    """Whether the library's ``pow`` is the one, and the processor multiplies and adds at once."""
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        numbers = tuple(map(int, version.split(".")[:2]))
    except (AttributeError, ValueError, OSError):
        return False  # of another system, or of none that says so
    if name != "glibc" or numbers < _FIRST:
        return False
    return fused()


def fused() -> bool:
    """Whether the processor has an instruction for a product and a sum, rounded once."""
    machine = platform.machine()
    return "+fma," in f"{processor()[1]}," if machine == "x86_64" else machine == "aarch64"
