"""What numbers of two dtypes are computed in, in kernel text, whatever runs it."""

from __future__ import annotations

import numpy as np

from autopar.nest.kinds import family

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Protocol

    class Number(Protocol):
        """One number of kernel text."""

        @property
        def dtype(self) -> str: ...
        @property
        def literal(self) -> int | float | None: ...


PARTS = {"complex64": "float32", "complex128": "float64"}
"""Dtype of the parts of complex numbers."""


def part_dtype(dtype: str) -> str:
    """Dtype of the parts of a complex number; of any other, its own."""
    return PARTS.get(dtype, dtype)


def rounded(value: float, dtype: str) -> float:
    """The number of float `dtype`, or of its parts, nearest to `value`."""
    with np.errstate(over="ignore"):
        return float(np.dtype(part_dtype(dtype)).type(value))


def common(x: Number, y: Number) -> str:
    """Dtype in which an operation on both is computed.

    Kernel text states its casts, so little is left to decide: a literal takes the dtype of the
    other operand where that can hold it, and integers have 64 bits.

    Raises
    ------
    TypeError
        The text mixes dtypes in another way, which is a fault of the text.
    """
    groups = family(x.dtype), family(y.dtype)
    if "complex" in groups or "float" in groups:
        for one, other in ((x, y), (y, x)):
            if one.dtype == other.dtype:
                return one.dtype
            if one.literal is not None:
                fits = rounded(one.literal, other.dtype) == one.literal
                return other.dtype if fits or family(other.dtype) == "complex" else "float64"
        raise TypeError(f"{x.dtype} with {y.dtype}")
    if groups == ("uint", "uint"):
        return "uint64"
    for one, other in ((x, y), (y, x)):
        if one.dtype == "uint64":
            if other.literal is not None and other.literal >= 0:
                return "uint64"
            raise TypeError(f"{x.dtype} with {y.dtype}")
    return "int64"
