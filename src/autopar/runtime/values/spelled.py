"""Functions of `math` on integers, as a user would write them: they are read like any helper.

What they raise is raised by the interpreter: here something else fails in its place.
"""

from __future__ import annotations

import math
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


_WRITTEN: tuple[tuple[object, Callable[..., Any]], ...] = (
    (math.gcd, gcd),
    (math.lcm, lcm),
    (math.isqrt, isqrt),
)


def spelled(value: object) -> FunctionType | None:
    """The function that does the same as `value`, if there is one here."""
    for native, ours in _WRITTEN:
        if value is native:
            assert isinstance(ours, FunctionType)
            return ours
    return None
