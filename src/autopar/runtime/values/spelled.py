"""Functions of `math` on integers, and of `cmath`, as a user would write them.

They are read like any helper.  What they raise, and what they do about numbers that are not finite,
or so large or small that it takes more care, is left to the interpreter: here something else fails
in its place.

References
----------
CPython, ``Modules/cmathmodule.c``.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from operator import index
from types import FunctionType
from typing import Any


def gcd(a: Any, b: Any, /) -> Any:
    x = abs(index(a))
    y = abs(index(b))
    while y:
        z = x % y
        x = y
        y = z
    return x


def lcm(a: Any, b: Any, /) -> Any:
    x = abs(index(a))
    y = abs(index(b))
    p = x
    q = y
    while q:
        r = p % q
        p = q
        q = r
    return x // max(p, 1) * y


def isqrt(n: Any, /) -> Any:
    x = index(n)
    root = int(math.sqrt(x))  # which fails where `x` is negative
    while root * root > x:
        root = root - 1
    while (root + 1) * (root + 1) <= x:
        root = root + 1
    return root


def power(base: Any, exponent: Any, modulus: Any = None, /) -> Any:
    if modulus is None:
        return base**exponent
    x = base + base.bit_length() - base.bit_length()  # only Python's integers have that
    n = exponent + exponent.bit_length() - exponent.bit_length()
    m = modulus + modulus.bit_length() - modulus.bit_length()
    fails = 1 // int(n >= 0)  # what has an inverse is left to the interpreter
    x = x % m
    result = 1 % m * fails
    while n:
        if n & 1:
            result = result * x % m
        x = x * x % m
        n = n >> 1
    return result


def exp(z: Any, /) -> Any:
    w = z  # a name whose parts can be read, whatever the argument is
    x = float(w.real)  # in double precision, as in C
    y = float(w.imag)
    fails = 1 // int(abs(x) <= 700.0 and abs(y) <= 1e300)
    size = math.exp(x)
    return complex(size * math.cos(y), size * math.sin(y) * fails)


def rect(r: Any, phi: Any, /) -> Any:
    size = float(r)
    angle = float(phi)
    fails = 1 // int(abs(size) <= 1e300 and abs(angle) <= 1e300)
    return complex(size * math.cos(angle), size * math.sin(angle) * fails)


def phase(z: Any, /) -> Any:
    w = z  # a name whose parts can be read, whatever the argument is
    x = float(w.real)  # in double precision, as in C
    y = float(w.imag)
    fails = 1 // int(abs(x) <= 1e300 and abs(y) <= 1e300)
    return math.atan2(y, x) * fails


def polar(z: Any, /) -> Any:
    w = z  # a name whose parts can be read, whatever the argument is
    x = float(w.real)  # in double precision, as in C
    y = float(w.imag)
    fails = 1 // int(abs(x) <= 1e300 and abs(y) <= 1e300)
    return abs(complex(x, y)), math.atan2(y, x) * fails


def sqrt(z: Any, /) -> Any:
    w = z  # a name whose parts can be read, whatever the argument is
    x = float(w.real)  # in double precision, as in C
    y = float(w.imag)
    a = abs(x) / 8.0
    b = abs(y)
    fails = 1 // int(a <= 1e300 and b <= 1e300 and (a >= 1e-290 or b >= 1e-290))
    size = 2.0 * math.sqrt(a + abs(complex(a, b / 8.0))) * fails
    other = b / (2.0 * size)
    if x >= 0.0:
        return complex(size, math.copysign(other, y))
    return complex(other, math.copysign(size, y))


_WRITTEN: tuple[tuple[object, Callable[..., Any]], ...] = (
    (math.gcd, gcd),
    (math.lcm, lcm),
    (math.isqrt, isqrt),
    (pow, power),
)
_COMPLEX: tuple[Callable[..., Any], ...] = (exp, phase, polar, rect, sqrt)
_PARTS = (0.0, -0.0, 0.3, -1.25, 2.0, -7.5, 31.0, -640.0)


def spelled(value: object) -> FunctionType | None:
    """The function that does the same as `value`, if there is one here."""
    found = next((ours for native, ours in _WRITTEN if value is native), None)
    cmath = sys.modules.get("cmath")  # who calls it has imported it
    if found is None and cmath is not None:
        names = ((getattr(cmath, ours.__name__, None), ours) for ours in _COMPLEX)
        found = next((ours for native, ours in names if native is value), None)
        if found is not None and not _as_ours(value, found):
            return None
    assert found is None or isinstance(found, FunctionType)
    return found


@functools.cache
def _as_ours(native: Any, ours: Callable[..., Any]) -> bool:
    """Whether both answer the same to the last bit, where this processor and library show it."""
    pairs = [(x, y) for x in _PARTS for y in _PARTS if x or y]
    args = pairs if ours is rect else [(complex(x, y),) for x, y in pairs]
    return repr([native(*one) for one in args]) == repr([ours(*one) for one in args])
