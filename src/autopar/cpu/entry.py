"""The function through which Python calls a kernel.

It takes NumPy arrays and numbers as they are, reads what the kernel needs out of the objects
themselves, and lets other Python threads run meanwhile.  The caller has checked all types: nothing
is converted and nothing is looked at twice, which makes a call cost a fraction of a microsecond.

References
----------
Struct layouts: ``PyArrayObject_fields`` (numpy/ndarraytypes.h), ``PyFloatObject`` and
``PyComplexObject`` (Include/cpython), NumPy's scalar objects (numpy/arrayscalars.h).
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from autopar.cpu import intrinsics
from autopar.cpu.capi import C_API
from autopar.cpu.lower import Array, Number, Parameter
from autopar.cpu.operands import BYTE, POINTER, WORD, declared

_HEAD = object.__basicsize__  # before anything that is an object's own
_DATA, _SHAPE, _STRIDES = _HEAD, _HEAD + 16, _HEAD + 24  # the number of axes lies between


def add(module: ir.Module, name: str, kernel: ir.Function, parameters: Sequence[Parameter]) -> None:
    """Define ``PyObject *name(PyObject *self, PyObject **args, ssize_t n)`` in `module`.

    It returns the status as a Python int, or raises what `int` arguments of more than 64 bits do.
    """
    kind = ir.FunctionType(POINTER, [POINTER, POINTER, WORD])
    function = ir.Function(module, kind, name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    _Entry(builder).write(kernel, parameters)


class _Entry:
    def __init__(self, builder: ir.IRBuilder) -> None:
        self.b = builder

    def api(self, name: str, *args: ir.Value) -> ir.Value:
        return self.b.call(declared(self.b.module, name, *C_API[name]), args)

    def at(self, base: ir.Value, offset: int) -> ir.Value:
        return self.b.gep(base, [WORD(offset)], inbounds=True, source_etype=BYTE)

    def write(self, kernel: ir.Function, parameters: Sequence[Parameter]) -> None:
        b = self.b
        _, given, _ = b.function.args
        args: list[ir.Value] = []
        for k, kind in enumerate(parameters):
            here = b.gep(given, [WORD(k)], inbounds=True, source_etype=POINTER)
            obj = b.load(here, typ=POINTER)
            args += self.array(obj, kind) if isinstance(kind, Array) else self.number(obj, kind)
        thread = self.api("PyEval_SaveThread")
        status = b.call(kernel, args)
        self.api("PyEval_RestoreThread", thread)
        b.ret(self.api("PyLong_FromLongLong", b.sext(status, WORD)))

    def array(self, obj: ir.Value, kind: Array) -> list[ir.Value]:
        b = self.b
        found = [b.load(self.at(obj, _DATA), typ=POINTER)]
        for offset in (_SHAPE, _STRIDES):
            table = b.load(self.at(obj, offset), typ=POINTER)
            found += [b.load(self.at(table, 8 * k), typ=WORD) for k in range(kind.ndim)]
        return found

    def number(self, obj: ir.Value, kind: Number) -> list[ir.Value]:
        b = self.b
        match kind.atom:
            case "int":
                value = self.api("PyLong_AsLongLong", obj)
                self.leave_on_error(b.icmp_signed("==", value, WORD(-1)))
                return [value]
            case "bool":
                value = self.api("PyObject_IsTrue", obj)
                return [b.icmp_signed(">", value, value.type(0))]
        return list(intrinsics.get(b, kind.dtype, self.at(obj, _HEAD)).parts)

    def leave_on_error(self, suspicion: ir.Value) -> None:
        """Return NULL if `suspicion` and Python says that there is an error."""
        b = self.b
        look, leave = b.append_basic_block("look"), b.append_basic_block("leave")
        on = b.append_basic_block("on")
        b.cbranch(suspicion, look, on)
        b.position_at_end(look)
        error = self.api("PyErr_Occurred")
        b.cbranch(b.icmp_unsigned("==", error, POINTER(None)), on, leave)
        b.position_at_end(leave)
        b.ret(POINTER(None))
        b.position_at_end(on)
