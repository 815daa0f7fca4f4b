"""Functions outside of kernels that they call, and where these are in this process."""

from __future__ import annotations

import ctypes
import functools
import importlib
import math

import numpy as np

PREFIX = "autopar_"
DATA_SUFFIX = "_data"

C_API = {
    "PyLong_AsLongLong": ("word", "pointer"),
    "PyObject_IsTrue": ("int", "pointer"),
    "PyErr_Occurred": ("pointer",),
    "PyFloat_FromDouble": ("pointer", "double"),
    "PyBool_FromLong": ("pointer", "word"),
    "PyLong_AsLongLongAndOverflow": ("word", "pointer", "pointer"),
    "PyList_SetItem": ("int", "pointer", "word", "pointer"),
    "PyLong_FromLongLong": ("pointer", "word"),
    "PyEval_SaveThread": ("pointer",),
    "PyEval_RestoreThread": ("void", "pointer"),
}
"""Functions of CPython's that `entry` and `items` need: result and arguments."""

MEMORY = ("PyMem_RawMalloc", "PyMem_RawFree")
"""CPython's functions for memory, which any thread may call, whoever holds the interpreter."""

# struct _tagPyUFuncObject, numpy/ufuncobject.h: after the object head four ints (nin, nout, nargs,
# identity), then `functions` and `data`, one entry per line of `types`.
_FUNCTIONS, _DATA = object.__basicsize__ + 16, object.__basicsize__ + 24


def address(symbol: str) -> int | None:
    """Where an external symbol of a kernel is in this process; None if it is not one of ours."""
    if not symbol.startswith(PREFIX):
        return None
    name = symbol.removeprefix(PREFIX)
    if name.startswith("libm_"):
        function = getattr(_library(), name.removeprefix("libm_"))
        return ctypes.cast(function, ctypes.c_void_p).value
    if name.startswith("draw_"):
        function = getattr(_distributions(), name.removeprefix("draw_"))
        return ctypes.cast(function, ctypes.c_void_p).value
    if name.startswith("blas_"):
        from autopar.cpu import blas  # of which few kernels have any

        return blas.address(name.removeprefix("blas_"))
    if name in MEMORY:
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    function, data = inner_loop(*loop(name.removesuffix(DATA_SUFFIX)))
    return data if name.endswith(DATA_SUFFIX) else function


@functools.cache
def _library() -> ctypes.CDLL:
    """Where `math` finds its functions: in what it is linked with, or Python where it is built in.

    `ctypes.util.find_library` would start another program to look for the library.
    """
    return ctypes.CDLL(getattr(math, "__file__", None))


@functools.cache
def _distributions() -> ctypes.CDLL:
    """The library that the functions of `numpy.random.c_distributions` are exported from."""
    return ctypes.CDLL(importlib.import_module("numpy.random._generator").__file__)


def loop(name: str) -> tuple[np.ufunc, str]:
    """The ufunc and the dtype characters in a word like ``numpy_exp_dd``."""
    ufunc, letters = name.removeprefix("numpy_").rsplit("_", 1)
    return getattr(np, ufunc), letters.replace("t", "?")  # `cpu.calls.TRUTH`


def inner_loop(ufunc: np.ufunc, chars: str) -> tuple[int, int]:
    """Address of a ufunc's inner loop and of its data, for dtype characters like ``dd``."""
    k = ufunc.types.index(f"{chars[:-1]}->{chars[-1]}")
    found = []
    for offset in (_FUNCTIONS, _DATA):
        table = ctypes.c_void_p.from_address(id(ufunc) + offset).value
        entry = ctypes.c_void_p.from_address(table + 8 * k).value if table else None
        found.append(entry or 0)
    return found[0], found[1]
