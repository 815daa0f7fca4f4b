"""Object code into memory, by LLVM's loader.

llvmlite's Python side takes seven times as long to import as its library to load.  So where both
are known, the few functions of the library that load object code are called as `llvmlite.binding`
calls them; everywhere else, and in a process that has imported it anyway, `llvmlite.binding` does.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from importlib.util import find_spec
from typing import Any, Protocol

import llvmlite

_LEVEL = 3  # of optimization: what is loaded has been compiled already
_KNOWN = ("0.50.",)
"""Versions whose functions have been compared with the prototypes below."""

_POINTER, _TEXT, _OUT = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)
_PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "GetHostCPUName": (None, _OUT),
    "GetHostCPUFeatures": (ctypes.c_int, _OUT),
    "GetDefaultTargetTriple": (None, _OUT),
    "DisposeString": (None, _TEXT),
    "InitializeNativeTarget": (None,),
    "InitializeNativeAsmPrinter": (None,),
    "GetTargetFromTriple": (_POINTER, _TEXT, _OUT),
    "CreateTargetMachine": (
        _POINTER, _POINTER, _TEXT, _TEXT, _TEXT, ctypes.c_int, _TEXT, _TEXT, ctypes.c_int,
        ctypes.c_int, _TEXT,
    ),
    "ContextCreate": (_POINTER,),
    "ParseAssembly": (_POINTER, _POINTER, _TEXT, _OUT),
    "CreateMCJITCompiler": (_POINTER, _POINTER, _POINTER, ctypes.c_bool, _OUT),
    "AddSymbol": (None, _TEXT, _POINTER),
    "CreateObjectFile": (_POINTER, _TEXT, ctypes.c_size_t),
    "MCJITAddObjectFile": (None, _POINTER, _POINTER),
    "FinalizeObject": (None, _POINTER),
    "GetFunctionAddress": (ctypes.c_uint64, _POINTER, _TEXT),
}  # fmt: skip


class Loader(Protocol):
    """Where machine code lives; it is never given back, for a thread may still be in it."""

    def processor(self) -> tuple[str, str]:
        """Name and features of the processor, as LLVM knows them."""

    def add_symbol(self, name: str, address: int) -> None:
        """Let object code call what is at `address` by `name`."""

    def function(self, code: bytes, name: str) -> int:
        """Address of the function `name` of object code."""


@functools.cache
def loader() -> Loader:
    """The loader of this process."""
    known = llvmlite.__version__.startswith(_KNOWN)
    place = sys.platform, os.uname().machine if hasattr(os, "uname") else ""
    # Another user of LLVM relies on the lock that is in `llvmlite.binding`.
    if known and place == ("linux", "x86_64") and "llvmlite.binding" not in sys.modules:
        spec = find_spec("llvmlite")
        for directory in (spec and spec.submodule_search_locations) or ():
            path = os.path.join(directory, "binding", "libllvmlite.so")
            if os.path.exists(path):
                return _Library(path)
    return _Binding()


class _Library:
    """llvmlite's library itself."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        self.functions: dict[str, Any] = {}
        for name, (result, *arguments) in _PROTOTYPES.items():
            function = library[f"LLVMPY_{name}"]
            function.restype, function.argtypes = result, arguments
            self.functions[name] = function
        self.engine: int | None = None

    def text(self, name: str) -> str:
        """What a function writes."""
        out = ctypes.c_char_p()
        self.functions[name](ctypes.byref(out))
        found = (out.value or b"").decode()
        self.functions["DisposeString"](out)
        return found

    def processor(self) -> tuple[str, str]:
        features = filter(None, self.text("GetHostCPUFeatures").split(","))
        return self.text("GetHostCPUName"), ",".join(sorted(features, key=lambda one: one[1:]))

    def add_symbol(self, name: str, address: int) -> None:
        self.functions["AddSymbol"](name.encode(), address)

    def function(self, code: bytes, name: str) -> int:
        if self.engine is None:
            self.engine = self.started()
        found = self.functions["CreateObjectFile"](code, len(code))
        self.functions["MCJITAddObjectFile"](self.engine, found)
        self.functions["FinalizeObject"](self.engine)
        address: int = self.functions["GetFunctionAddress"](self.engine, name.encode("ascii"))
        return address

    def started(self) -> int:
        """An engine for code of this processor, as `machine.new_target` describes it."""
        call = self.functions
        call["InitializeNativeTarget"]()
        call["InitializeNativeAsmPrinter"]()
        triple, error = self.text("GetDefaultTargetTriple").encode(), ctypes.c_char_p()
        target = call["GetTargetFromTriple"](triple, ctypes.byref(error))
        processor = [one.encode() for one in self.processor()]
        machine = target and call["CreateTargetMachine"](
            target, triple, *processor, _LEVEL, b"static", b"jitdefault", 0, 1, b""
        )
        module = call["ParseAssembly"](call["ContextCreate"](), b"", ctypes.byref(error))
        engine: int | None = None
        if machine and module:
            engine = call["CreateMCJITCompiler"](module, machine, False, ctypes.byref(error))
        if not engine:
            raise RuntimeError((error.value or b"no machine").decode())
        return engine


class _Binding:
    """llvmlite as it is meant to be used."""

    def __init__(self) -> None:
        self.engine: Any = None

    def processor(self) -> tuple[str, str]:
        from llvmlite import binding

        return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()

    def add_symbol(self, name: str, address: int) -> None:
        from llvmlite import binding

        binding.add_symbol(name, address)

    def function(self, code: bytes, name: str) -> int:
        from llvmlite import binding

        from autopar.cpu.machine import new_target

        if self.engine is None:
            # A target of its own, which it would take with it.
            empty = binding.parse_assembly("")
            self.engine = binding.create_mcjit_compiler(empty, new_target(_LEVEL))
        self.engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        address: int = self.engine.get_function_address(name)
        return address
