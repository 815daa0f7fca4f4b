"""LLVM's module to machine code of this processor, and machine code to a Python callable."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
from collections.abc import Callable
from typing import Any

from autopar.cpu import placed
from autopar.cpu.loader import Loader, loader
from autopar.cpu.outside import C_API, address

LEVEL = 3
"""How hard LLVM tries, 0 to 3."""
_LONG = re.compile(r"<(\d{3,}|[3-9]\d) x (double|float|i64)>")
"""Vectors that no loop is given, only dozens of statements; of some, LLVM can make no code."""
_TELLING = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
"""Lines of Linux's ``/proc/cpuinfo`` on x86: whatever LLVM asks the processor is in these."""
_FASTCALL = 0x80  # METH_FASTCALL: an array of arguments and their number


class _MethodDef(ctypes.Structure):
    """``PyMethodDef`` (Include/methodobject.h)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def processor() -> tuple[str, str]:
    """Name and features of the processor, as LLVM knows them."""
    return loader().processor()


@functools.cache
def processor_text() -> str:
    """What tells processors apart as LLVM does, found without LLVM where the system says it."""
    found = {}
    with contextlib.suppress(OSError), open("/proc/cpuinfo", "rb") as stream:
        first = stream.read(1 << 14).partition(b"\n\n")[0]  # all are alike in what is read here
        for line in first.decode("ascii", "replace").splitlines():
            name, _, value = line.partition(":")
            found[name.strip()] = value.strip()
    told = [found.get(name) for name in _TELLING]
    return repr(processor() if None in told else told)


@functools.cache
def masks_stores() -> bool:
    """Whether the processor stores some elements of a vector as fast as all of them.

    AMD's processors with AVX2 take twenty cycles and more for it, those with SSE or NEON alone
    cannot do it.
    """
    return "+avx512vl" in processor()[1].split(",")


def new_target(level: int) -> Any:
    """What code is made for: this processor."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    cpu, features = processor()
    target = binding.Target.from_default_triple()
    # The code is never moved, and on x86 a table of addresses per object confuses LLVM's loader.
    reloc = "static" if target.name.startswith("x86") else "default"
    if target.name.startswith("x86"):
        # Loads one by one take less time than one of several places: on AMD's processors ever
        # since, on Intel's since the microcode against data sampling from gathers.
        features += ",+prefer-no-gather,+prefer-no-scatter"
    return target.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc=reloc, codemodel="jitdefault", jit=True
    )


_target = functools.cache(new_target)


def optimised(text: str, endless: bool = False) -> Any:
    """LLVM's module of `text`, as good as LLVM can make it for this processor.

    IEEE as written: no fast math, and nothing that rounds once where the text rounds twice.

    Parameters
    ----------
    endless
        Whether there are loops in it with which LLVM would not come to an end, `cpu.chains`.
    """
    vectors = LEVEL > 1
    module = _optimised(text, vectors and not endless, vectors)
    if vectors and _LONG.search(str(module)):
        module = _optimised(text, not endless, False)
    return module


def _optimised(text: str, of_turns: bool, in_lines: bool) -> Any:
    """`optimised`, with vectors of the turns of a loop, or of statements one after the other."""
    from llvmlite import binding

    module = _parsed(text)
    tuning = binding.create_pipeline_tuning_options(speed_level=LEVEL)
    tuning.loop_vectorization, tuning.slp_vectorization = of_turns, in_lines
    builder = binding.create_pass_builder(_target(LEVEL), tuning)
    builder.getModulePassManager().run(module, builder)
    return module


def _parsed(text: str) -> Any:
    """LLVM's module of `text`, for this processor."""
    from llvmlite import binding

    target = _target(LEVEL)
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    module.verify()
    return module


def as_written(text: str) -> bytes:
    """Object code of an LLVM module as it stands, which takes LLVM a tenth of the time."""
    return bytes(_target(0).emit_object(_parsed(text)))


def assemble(text: str, endless: bool = False) -> bytes:
    """Object code of an LLVM module; see `optimised`."""
    return bytes(_target(LEVEL).emit_object(optimised(text, endless)))


def symbols(text: str) -> tuple[str, ...]:
    """External names in an LLVM module that `load` has to know."""
    found = dict.fromkeys(re.findall(r'@"(\w+)"', text))
    return tuple(name for name in found if address(name) is not None)


@functools.cache
def _known(symbol: str) -> int | None:
    """Where an external symbol of object code is: ours, Python's, or one of the C library's."""
    found = address(symbol)
    if found is None:
        library = ctypes.pythonapi if symbol in C_API else _everything()
        here = getattr(library, symbol, None)
        found = None if here is None else ctypes.cast(here, ctypes.c_void_p).value
    return found


@functools.cache
def _everything() -> ctypes.CDLL:
    """What LLVM may call for a loop that copies or clears."""
    return ctypes.CDLL(None)


@functools.cache
def _loader() -> Loader:
    """LLVM's loader, which knows of Python's functions."""
    found = loader()
    for name in C_API:
        place = _known(name)
        assert place is not None
        found.add_symbol(name, place)
    return found


# A prototype of our own: the attributes of `ctypes.pythonapi` are everybody's.
_new_function = ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_void_p] * 3)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)
_keep = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))


def load(code: bytes, name: str, needed: tuple[str, ...]) -> Callable[..., int]:
    """The function `name` of object code, as a function of Python.

    Parameters
    ----------
    needed
        Its `symbols`, whose addresses differ from process to process.
    """
    place = placed.function(code, name, _known)
    if place is None:
        for symbol in needed:
            found_at = address(symbol)
            assert found_at is not None, symbol
            _loader().add_symbol(symbol, found_at)
        place = _loader().function(code, name)
    method = _MethodDef(name.encode(), place, _FASTCALL, None)
    # The function points to it, and may be looked at when Python has emptied all modules.
    _keep(method)
    found: Callable[..., int] = _new_function(ctypes.addressof(method), None, None)
    return found
