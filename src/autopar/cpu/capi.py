"""Functions of CPython's that machine code calls."""

from __future__ import annotations

from llvmlite import ir

from autopar.cpu.operands import POINTER, WORD

C_API = {
    "PyLong_AsLongLong": (WORD, [POINTER]),
    "PyObject_IsTrue": (ir.IntType(32), [POINTER]),
    "PyErr_Occurred": (POINTER, []),
    "PyFloat_FromDouble": (POINTER, [ir.DoubleType()]),
    "PyBool_FromLong": (POINTER, [WORD]),
    "PyLong_AsLongLongAndOverflow": (WORD, [POINTER, POINTER]),
    "PyList_SetItem": (ir.IntType(32), [POINTER, WORD, POINTER]),
    "PyLong_FromLongLong": (POINTER, [WORD]),
    "PyEval_SaveThread": (POINTER, []),
    "PyEval_RestoreThread": (ir.VoidType(), [POINTER]),
}
"""What `entry` and `items` need: result and arguments."""
