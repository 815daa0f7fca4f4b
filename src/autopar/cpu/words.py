"""How NumPy words its floating-point warnings; asked of NumPy itself wherever that is possible."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autopar.cpu.writer import Words
from autopar.nest.kinds import PYTHON, UFUNCS, Kind, dtype, family, is_python

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_POLES = ("log", "log2", "log10", "log1p", "arctanh")  # infinite at a finite place
_OTHERS = (
    "exp", "exp2", "expm1", "sqrt", "square", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
    "sinh", "cosh", "tanh", "arcsinh", "arccosh", "cbrt", "floor", "ceil", "trunc", "rint", "fabs",
    "absolute", "negative", "positive", "sign",
)  # fmt: skip


@functools.cache
def operation(
    op: str, left: Kind, right: Kind, whole: bool = False, reduced: bool = False
) -> str | None:
    """The name that NumPy gives ``left op right`` in a warning; `whole`: of arrays.

    Returns
    -------
    str or None
        Empty when the operation never warns; None when it depends on the types at run time.
    """
    if reduced:
        return None  # a module of NumPy's own is where it is said to have been
    if whole:
        return UFUNCS[op].__name__
    found = {_name(op, a, b) for a in left for b in right}
    pure = any(is_python(a) and is_python(b) for a in left for b in right)
    if found == {""}:
        return ""
    return found.pop() if len(found) == 1 and not pure else None


def operator_words(op: str, name: str | None, divisor: str) -> Words:
    """What NumPy says of a float result of ``+ - * /`` called `name`."""
    if not name or op not in ("+", "-", "*", "/"):
        return Words()
    nan, infinite = f"invalid value encountered in {name}", f"overflow encountered in {name}"
    if op != "/":
        return Words(nan, infinite)
    return Words(nan, infinite, f"{divisor} == 0", f"divide by zero encountered in {name}")


def ufunc_words(name: str) -> Words:
    """What NumPy says of a float result of the function `name` of one argument."""
    if name in _POLES:
        return Words(
            f"invalid value encountered in {name}", f"divide by zero encountered in {name}"
        )
    if name in _OTHERS:
        return Words(f"invalid value encountered in {name}", f"overflow encountered in {name}")
    return Words()


def _name(op: str, left: str, right: str) -> str:
    """What NumPy calls the operation when some pair of values makes it complain, or nothing."""
    if (is_python(left) and is_python(right)) or op not in _OPERATORS:
        return ""
    with np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"):
        for a in _provoking(left, right):
            for b in _provoking(right, left):
                try:
                    _OPERATORS[op](a, b)
                except FloatingPointError as error:
                    name = str(error).partition(" encountered in ")[2]
                    if name != "cast":
                        return name
                except (OverflowError, ZeroDivisionError, ValueError, TypeError):
                    continue
    return ""


def _provoking(atom: str, other: str) -> Iterator[Any]:
    """Values of `atom` that make operations overflow, or have no answer."""
    kind = PYTHON[atom] if is_python(atom) else np.dtype(dtype(atom)).type
    group = family(dtype(atom))
    if group == "bool":
        yield from (kind(True), kind(False))
    elif group in ("int", "uint"):
        # A Python integer must fit the NumPy integer beside it.
        beside = is_python(atom) and family(dtype(other)) in ("int", "uint")
        info = np.iinfo(dtype(other) if beside else dtype(atom))
        yield from (kind(int(v)) for v in (info.max, info.min, 2, 1, 0))
    else:
        single = dtype(atom if not is_python(atom) else other) in ("float32", "complex64")
        largest = float(np.finfo(np.float32 if single else np.float64).max)
        yield from (kind(v) for v in (largest, -largest, np.inf, -np.inf, 1.0, 0.0))
