"""Elementary functions of devices' own, for nests that need not have the host's bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autopar.records import dataclass

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Elementary:
    """A function that C has, with that name in both dialects.

    Attributes
    ----------
    name
        In C, and of `math`'s function where it has no `exact` one.
    ufunc
        What NumPy calls it.
    domain
        Of its arguments, where it is asked.
    exact
        What the host computes.

    Notes
    -----
    Beside its domain each function is asked for the arguments of which compilers make a case of
    their own: zeros, infinities, nan, the smallest number and very large ones.
    """

    name: str
    ufunc: str
    domain: tuple[Range, ...]
    exact: Callable[..., float] | None = None

    def of_host(self, arguments: Any) -> tuple[Any, Any]:
        """What the host has for rows of arguments, and where it raises instead."""
        function = self.exact or getattr(math, self.name)
        found, raised = np.zeros(arguments.shape[1]), np.zeros(arguments.shape[1], bool)
        for place, row in enumerate(arguments.T.tolist()):
            try:
                found[place] = function(*row)
            except (ValueError, OverflowError):
                raised[place] = True
        return found, raised


SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1e22, -1e22, 1.7e308)
_WIDE, _UNIT, _POSITIVE = (-700.0, 700.0), (-1.0, 1.0), (1e-300, 1e300)
FUNCTIONS = (
    Elementary("exp", "exp", (_WIDE,)),
    Elementary("exp2", "exp2", ((-1000.0, 1000.0),), lambda x: math.exp2(x)),
    Elementary("expm1", "expm1", ((-30.0, 30.0),)),
    Elementary("log", "log", (_POSITIVE,)),
    Elementary("log2", "log2", (_POSITIVE,)),
    Elementary("log10", "log10", (_POSITIVE,)),
    Elementary("log1p", "log1p", ((-0.999, 1e6),)),
    Elementary("sin", "sin", ((-1e4, 1e4),)),
    Elementary("cos", "cos", ((-1e4, 1e4),)),
    Elementary("tan", "tan", ((-1e4, 1e4),)),
    Elementary("asin", "arcsin", (_UNIT,)),
    Elementary("acos", "arccos", (_UNIT,)),
    Elementary("atan", "arctan", ((-100.0, 100.0),)),
    Elementary("atan2", "arctan2", ((-100.0, 100.0), (-100.0, 100.0))),
    Elementary("sinh", "sinh", ((-300.0, 300.0),)),
    Elementary("cosh", "cosh", ((-300.0, 300.0),)),
    Elementary("tanh", "tanh", ((-20.0, 20.0),)),
    Elementary("asinh", "arcsinh", ((-1e6, 1e6),)),
    Elementary("acosh", "arccosh", ((1.0, 1e6),)),
    Elementary("atanh", "arctanh", ((-0.999, 0.999),)),
    Elementary("cbrt", "cbrt", (_WIDE,), lambda x: math.cbrt(x)),
    Elementary("hypot", "hypot", (_WIDE, _WIDE)),
    Elementary("pow", "power", ((1e-3, 1e3), (-30.0, 30.0))),
    Elementary("erf", "", ((-5.0, 5.0),)),
    Elementary("erfc", "", ((-5.0, 5.0),)),
)
_UFUNCS = {function.ufunc: function for function in FUNCTIONS if function.ufunc}
_LIBM = {function.name: function for function in FUNCTIONS}


def meant(word: str) -> tuple[str, str] | None:
    """The function, and the dtype of argument and result, that a word of kernel text means.

    None where there is no such function, or it is of other types.
    """
    start, _, rest = word.partition("_")
    if start == "libm":
        return (rest, "float64") if rest in _LIBM else None
    name, _, dtypes = rest.rpartition("_")
    if start != "numpy" or name not in _UFUNCS:
        return None
    function = _UFUNCS[name]
    letter = dtypes[:1]
    if dtypes != letter * (1 + len(function.domain)) or letter not in ("d", "f"):
        return None
    return function.name, {"d": "float64", "f": "float32"}[letter]
