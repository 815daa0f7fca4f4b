"""Numbers of kernel text as expressions in C, and the operations on them.

The rules are those of `cpu.operands`: kernel text has one meaning, whatever runs it.  A text here
stands for one number, can be an operand as it is, and has no effect, so it may be written twice.
"""

from __future__ import annotations

import math
import re

import numpy as np

from autopar.nest.kinds import NUMBERS, family
from autopar.nest.mixing import PARTS, common, rounded
from autopar.records import dataclass

# Not NumPy's own names: `int8` and its like are vectors in OpenCL.
_KINDS = {
    "bool": "ap_bool",
    **{name: name[0] + re.sub(r"\D", "", name) for name in NUMBERS},
}


class Untaken(Exception):
    """Kernel text has something in it that is not done on devices; the text says what."""


@dataclass(frozen=True, slots=True)
class Value:
    """One number.

    Attributes
    ----------
    dtype
        NumPy's name of it.
    text
        In C.
    literal
        Its value, when it is a literal.
    """

    dtype: str
    text: str
    literal: int | float | None = None


def kind(dtype: str) -> str:
    """Type in C of a number of that dtype."""
    return _KINDS[dtype]


def width(dtype: str) -> int:
    """Bytes of a number of that dtype."""
    return np.dtype(dtype).itemsize


def literal(value: bool | int | float) -> Value:
    """A literal of kernel text."""
    if isinstance(value, bool):
        return Value("bool", str(int(value)))
    if isinstance(value, int):
        return of_dtype(value, "int64" if value < 2**63 else "uint64")
    return of_dtype(value, "float64")


def of_dtype(value: float, dtype: str) -> Value:
    """A literal in a given integer or float dtype."""
    if family(dtype) in ("int", "uint"):
        whole = int(value)
        text = str(whole) if -(2**31) < whole < 2**31 else f"({kind(dtype)}){whole % 2**64:#x}"
        return Value(dtype, text if whole >= 0 else f"({text})", whole)
    if math.isnan(value) or math.isinf(value):
        text = "ap_nan()" if math.isnan(value) else "ap_inf()"
        text = text if dtype == "float64" else f"({kind(dtype)}){text}"
        return Value(dtype, text if math.copysign(1.0, value) > 0 else f"(-{text})", value)
    text = repr(float(value)) if dtype == "float64" else f"{np.float32(value)!s}f"
    return Value(dtype, f"({text})" if text.startswith("-") else text, value)


def stated(x: Value) -> Value:
    """`x` as a number whose dtype is stated in kernel text, which is no literal any more."""
    if x.literal is not None and family(x.dtype) in ("int", "uint"):
        return Value(
            x.dtype, f"(({kind(x.dtype)}){x.text})"
        )  # C takes plain ones for its own `int`
    return Value(x.dtype, x.text)


# ---------------------------------------------------------------------------- conversions


def cast(x: Value, dtype: str) -> Value:
    """`x` as C would convert it; out of range, a float gives any integer."""
    old, new = family(x.dtype), family(dtype)
    if x.dtype == dtype:
        return x
    if new == "complex":
        if old == "complex":
            return Value(dtype, f"ap_from_{x.dtype}_to_{dtype}({x.text})")
        real = cast(x, PARTS[dtype]).text
        return Value(dtype, f"ap_complex_{dtype}({real}, {of_dtype(0.0, PARTS[dtype]).text})")
    if old == "complex":
        raise TypeError(f"{x.dtype} has no {dtype}")
    if x.literal is not None and new != "bool":
        return of_dtype(rounded(x.literal, dtype) if new == "float" else int(x.literal), dtype)
    if new == "bool":
        return Value("bool", f"({x.text} != 0)")
    return Value(dtype, f"({kind(dtype)}){x.text}")


def fitted(x: Value, dtype: str) -> Value:
    """`x` for a place of that dtype: any integer for an integer, but no float."""
    if family(dtype) in ("bool", "int", "uint") and family(x.dtype) in ("float", "complex"):
        raise TypeError(f"{x.dtype} for {dtype}")
    return cast(x, dtype)


def truth(x: Value) -> str:
    """Text of whether `x` is not zero."""
    return cast(x, "bool").text


# ---------------------------------------------------------------------------- two operands


_INT = 31
"""Bits of C's `int` without its sign."""
_SIGNED = {
    "+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod", "<<": "shl", ">>": "shr",
}  # fmt: skip
_UNSIGNED = {
    "//": "div_unsigned", "%": "mod_unsigned", "<<": "shl_unsigned", ">>": "shr_unsigned",
}  # fmt: skip


def binary(op: str, x: Value, y: Value) -> Value:
    """``x op y``; integers wrap, and a zero divisor gives anything."""
    if x.dtype == y.dtype == "bool" and op in "&|^":
        return Value("bool", f"({x.text} {op} {y.text})")
    dtype = common(x, y)
    a, b = cast(x, dtype).text, cast(y, dtype).text
    power = _power(y)
    match family(dtype):
        case "int" | "uint" if op in ("//", "%") and power is not None:
            # Two's complement: a shift rounds down, and the last bits are never negative.
            return Value(dtype, f"({a} >> {power})" if op == "//" else f"({a} & {2**power - 1})")
        case "float" if op == "/" and dtype == "float32":
            return Value(dtype, f"ap_divide_float32({a}, {b})")
        case "float" if op in "+-*/":
            return Value(dtype, f"({a} {op} {b})")
        case "complex" if op in "+-*":
            return Value(dtype, f"ap_{_SIGNED[op]}_{dtype}({a}, {b})")
        case "int" | "uint" if op in "&|^":
            return Value(dtype, f"({a} {op} {b})")
        case "int" if op in _SIGNED:
            return Value(dtype, f"ap_{_SIGNED[op]}({a}, {b})")
        case "uint" if op in "+-*":
            return Value(dtype, f"({a} {op} {b})")
        case "uint" if op in _UNSIGNED:
            return Value(dtype, f"ap_{_UNSIGNED[op]}({a}, {b})")
    raise TypeError(f"{x.dtype} {op} {y.dtype}")


def _power(x: Value) -> int | None:
    """Of which power of two `x` is the literal, if it is small enough for C's own `int`."""
    if family(x.dtype) not in ("int", "uint") or not isinstance(x.literal, int) or x.literal <= 0:
        return None
    power = x.literal.bit_length() - 1
    return power if x.literal == 2**power and power < _INT else None


def compare(op: str, x: Value, y: Value) -> Value:
    """``x op y``; nan differs from everything and is neither less nor greater."""
    dtype = common(x, y)
    a, b = cast(x, dtype).text, cast(y, dtype).text
    if family(dtype) == "complex":
        if op not in ("==", "!="):
            raise TypeError(f"{x.dtype} {op} {y.dtype}")
        return Value("bool", f"({'!' if op == '!=' else ''}ap_same_{dtype}({a}, {b}))")
    return Value("bool", f"({a} {op} {b})")


# ---------------------------------------------------------------------------- one operand


def unary(op: str, x: Value) -> Value:
    """``-x``, ``+x``, ``~x`` or ``not x``."""
    if op == "not":
        return Value("bool", f"(!{truth(x)})")
    match op, family(x.dtype):
        case "-", _ if x.literal is not None:
            return literal(-x.literal)
        case "-", "float":
            return Value(x.dtype, f"(-{x.text})")
        case "-" | "~" | "+", "int" | "uint" | "bool" as group:
            wide = cast(x, "uint64" if group == "uint" else "int64")
            if op == "-":
                return binary("-", of_dtype(0, wide.dtype), wide)
            return Value(wide.dtype, f"(~{wide.text})") if op == "~" else wide
        case "+", _:
            return x
    raise TypeError(f"{op}{x.dtype}")


def absolute(x: Value) -> Value:
    """``abs(x)``; of the least integer, itself."""
    if family(x.dtype) == "float":
        return Value(x.dtype, f"fabs({x.text})")
    if family(x.dtype) != "int":
        raise TypeError(f"abs({x.dtype})")
    return Value("int64", f"ap_abs({cast(x, 'int64').text})")


def extreme(name: str, x: Value, y: Value) -> Value:
    """``min(x, y)`` or ``max(x, y)`` of two integers."""
    dtype = common(x, y)
    if family(dtype) not in ("int", "uint"):
        raise TypeError(f"{name}({x.dtype}, {y.dtype})")
    return Value(dtype, f"ap_{name}_{dtype}({cast(x, dtype).text}, {cast(y, dtype).text})")
