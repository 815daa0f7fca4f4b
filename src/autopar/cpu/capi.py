"""Functions of CPython's that machine code calls, as LLVM knows them."""

from __future__ import annotations

from llvmlite import ir

from autopar.cpu import outside
from autopar.cpu.operands import POINTER, WORD

_TYPES = {
    "word": WORD,
    "int": ir.IntType(32),
    "pointer": POINTER,
    "double": ir.DoubleType(),
    "void": ir.VoidType(),
}
C_API = {
    name: (_TYPES[result], [_TYPES[one] for one in arguments])
    for name, (result, *arguments) in outside.C_API.items()
}
"""Result and arguments."""
