"""Object code into memory without LLVM, whose library takes longer to load than all kernels.

Kernels are made with the large code model, so what is to be filled in are addresses of eight bytes
and nothing else.  Whatever is otherwise in a file, or about the system, is left to LLVM's loader.

References
----------
Tool Interface Standard (TIS), Executable and Linking Format (ELF), version 1.2; System V ABI, AMD64
supplement, 4.4 (relocation types).
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_BEGIN = b"\x7fELF\x02\x01\x01"  # 64 bits, little end first
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOLS, _RELOCATIONS, _NO_BITS, _SHORT_RELOCATIONS = 2, 4, 8, 9  # types of sections
_WRITE, _ALLOCATED = 1, 2  # flags of a section
_ADDRESS = 1  # R_X86_64_64: a symbol and a number added to it
_UNDEFINED = 0  # what a symbol says in place of its section
_UNWINDING = ".eh_frame"  # no exception passes through a kernel
_PAGE = 4096
_READ_WRITE, _READ_EXECUTE = 3, 5
_PRIVATE_ANONYMOUS = 0x22

Find = Callable[[str], int | None]
"""Where a symbol is that object code needs."""


class _UnknownError(Exception):
    """There is something in a file that only LLVM knows what to do with."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


@functools.cache
def _system() -> Any:
    """The C library, None where its functions for memory may be other than is thought here."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    if (sys.platform, machine, sys.maxsize) != ("linux", "x86_64", 2**63 - 1):
        return None
    library = ctypes.CDLL(None)
    size, pointer, number = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
    library.mmap.argtypes = pointer, size, number, number, number, ctypes.c_long
    library.mmap.restype = pointer
    library.mprotect.argtypes = pointer, size, number
    library.munmap.argtypes = pointer, size
    return library


def function(code: bytes, name: str, find: Find) -> int | None:
    """Address of the function `name` of object code; None where LLVM is to load it.

    Its memory is never given back, for a thread may still be in it.
    """
    system = _system()
    if system is None:
        return None
    try:
        file = _File(code)
        places, fixed, length = file.laid_out()
        base: int | None = system.mmap(None, length, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
        if base in (None, ctypes.c_void_p(-1).value):
            return None
        assert base is not None
        try:
            found = file.fill(base, places, name, find)
            if system.mprotect(base, fixed, _READ_EXECUTE) == 0:
                return found
        except _UnknownError:
            pass
        system.munmap(base, length)
    except (_UnknownError, struct.error, IndexError, ValueError):
        pass  # LLVM knows, or says what is wrong
    return None


class _File:
    """An object file."""

    def __init__(self, code: bytes) -> None:
        begin, kind, machine, _, _, _, start, _, _, _, _, size, count, names = _HEADER.unpack_from(
            code
        )
        if not begin.startswith(_BEGIN) or (kind, machine) != (_RELOCATABLE, _X86_64):
            raise _UnknownError
        if size != _SECTION.size:
            raise _UnknownError
        self.code = code
        self.sections = [
            _Section(*_SECTION.unpack_from(code, start + size * k)) for k in range(count)
        ]
        self.names = self.sections[names]

    def text(self, strings: _Section, at: int) -> str:
        start = strings.offset + at
        return self.code[start : self.code.index(b"\0", start)].decode()

    def laid_out(self) -> tuple[dict[int, int], int, int]:
        """Where each section goes, the size of what nobody writes, and of all."""
        wanted = [
            k
            for k, one in enumerate(self.sections)
            if one.flags & _ALLOCATED and self.text(self.names, one.name) != _UNWINDING
        ]
        places: dict[int, int] = {}
        end = fixed = 0
        for writes in (0, _WRITE):
            for k in wanted:
                one = self.sections[k]
                if one.flags & _WRITE == writes:
                    if one.align > _PAGE:
                        raise _UnknownError
                    places[k] = end = _rounded(end, one.align or 1)
                    end += one.size
            end = _rounded(end, _PAGE)
            fixed = fixed or end
        return places, fixed, end

    def fill(self, base: int, places: dict[int, int], name: str, find: Find) -> int:
        """Bring the sections to their places, with all addresses; that of the function `name`."""
        for k, at in places.items():
            one = self.sections[k]
            if one.kind != _NO_BITS:
                data = self.code[one.offset : one.offset + one.size]
                if len(data) != one.size:
                    raise _UnknownError
                ctypes.memmove(base + at, data, one.size)
        for one in self.sections:
            if one.kind in (_RELOCATIONS, _SHORT_RELOCATIONS) and one.info in places:
                self.relocate(one, base, places, find)
        for table in self.sections:
            if table.kind == _SYMBOLS:
                for k in range(table.size // _SYMBOL.size):
                    if self.text(self.sections[table.link], self.symbol(table, k)[0]) == name:
                        return self.value(table, k, base, places, find)
        raise _UnknownError

    def relocate(
        self, relocations: _Section, base: int, places: dict[int, int], find: Find
    ) -> None:
        """Write the addresses that one section needs."""
        if relocations.kind != _RELOCATIONS:
            raise _UnknownError
        target, table = self.sections[relocations.info], self.sections[relocations.link]
        for k in range(relocations.size // _RELOCATION.size):
            place, about, more = _RELOCATION.unpack_from(
                self.code, relocations.offset + k * _RELOCATION.size
            )
            if about & 0xFFFFFFFF != _ADDRESS or place + 8 > target.size:
                raise _UnknownError
            value = self.value(table, about >> 32, base, places, find) + more
            ctypes.c_uint64.from_address(base + places[relocations.info] + place).value = value

    def symbol(self, table: _Section, number: int) -> tuple[Any, ...]:
        return _SYMBOL.unpack_from(self.code, table.offset + number * _SYMBOL.size)

    def value(
        self, table: _Section, number: int, base: int, places: dict[int, int], find: Find
    ) -> int:
        """The address that a symbol stands for."""
        name, _, _, section, value, _ = self.symbol(table, number)
        if section == _UNDEFINED:
            found = find(self.text(self.sections[table.link], name))
            if found is None:
                raise _UnknownError
            return found
        if section not in places:
            raise _UnknownError
        address: int = base + places[section] + value
        return address


def _rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
