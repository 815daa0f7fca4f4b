"""``x ** 2`` with the bits of C's ``pow(x, 2.0)``, mostly without calling it.

``pow`` is rounded well, but not always to the nearest number, so a product is not enough.  How far
it may be from the exact square is known of one library: in glibc 2.28 and later 0.54 units in the
last place.  A product and what it has been rounded by, which a fused multiply-add computes exactly,
are the exact square.  Where that is less than 4/9 of a unit away from the product, any other number
is at least 5/9 away, and ``pow`` must return the product.

Most of these 0.54 units are there for large exponents: they are 0.511 of the exponential function,
and 2**53 times the relative error of the logarithm, 1.5 / 2**68, times the logarithm of the result.
Between 1e-19 and 1e19, where that is at most 44, the sum is less than 0.514, and 0.478 of a unit
are near enough.  One square in twenty-five is left to ``pow``, beyond these one in nine.

References
----------
sysdeps/ieee754/dbl-64/e_pow.c in glibc: the sum and the bounds of its parts, without fused
multiply-adds.
A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM
TOMS 17(3), 1991: the test for being far enough from the middle between two numbers.
"""

from __future__ import annotations

import functools
import os
import platform

from autopar.cpu.machine import processor

_FIRST = (2, 28)  # glibc with that function


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
