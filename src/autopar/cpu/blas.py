"""The BLAS that NumPy has loaded: which functions it has, and where they are in this process."""

from __future__ import annotations

import ctypes
import functools

import numpy as np

_FORMS = ("scipy_cblas_{}64_", "cblas_{}64_", "scipy_cblas_{}", "cblas_{}")
"""How builds of BLAS call a function, with indices of 64 and of 32 bits."""
_LETTERS = {"float64": "d", "float32": "s"}


def found() -> bool:
    """Whether it has what products of matrices need."""
    return all(_symbol(x + name) for x in _LETTERS.values() for name in ("gemm", "gemv"))


def routine(dtype: str, name: str) -> str:
    """What computes with `dtype`, with the bits of its indices: ``dgemm_64``."""
    name = _LETTERS[dtype] + name
    return f"{name}_{64 if _symbol(name).endswith('64_') else 32}"


def address(routine: str) -> int | None:
    """Where a `routine` is; None where it is not the one that NumPy has now."""
    name, _, bits = routine.partition("_")
    symbol = _symbol(name)
    if not symbol or symbol.endswith("64_") != (bits == "64"):
        return None
    return ctypes.cast(_library()[symbol], ctypes.c_void_p).value


@functools.cache
def _symbol(name: str) -> str:
    """What the library calls a function; empty where it has none."""
    for form in _FORMS:
        symbol = form.format(name)
        if hasattr(_library(), symbol):
            return symbol
    return ""


@functools.cache
def _library() -> ctypes.CDLL:
    """NumPy's own library, through which those are found that it is linked with."""
    module = np._core._multiarray_umath  # type: ignore[attr-defined]
    return ctypes.CDLL(module.__file__)
