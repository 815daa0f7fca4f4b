"""CUDA's compiler for texts, from its wheel: it needs no GPU.

References
----------
NVIDIA, "NVRTC" (the documentation of the runtime compilation library), "User Interface".
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import zlib
from collections.abc import Iterable
from pathlib import Path

from autopar.device.dialect import CUDA

C_ENTRY = 'extern "C" __global__'
"""What a text begins an entry with."""


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library, or None where it is not installed."""
    try:
        found = importlib.util.find_spec("nvidia.cuda_nvrtc")
    except ModuleNotFoundError:
        return None
    places = [] if found is None else found.submodule_search_locations or []
    files = sorted(f for p in places for f in Path(p, "lib").glob("libnvrtc.so*"))
    return ctypes.CDLL(str(files[0])) if files else None


_WHOLE = 8
"""Of so many texts that must be accepted one becomes assembly; by the text, so always the same."""


@functools.cache
def compiled(text: str, architecture: str = "compute_70") -> str:
    """Assembly (PTX) of `text`.

    Raises
    ------
    AssertionError
        With the words of the compiler.
    """
    return _compiled(text, architecture, (), "PTX").decode()


_accepted: set[str] = set()
_BETWEEN = "#undef AP_APART\n#undef AP_EACH\n#undef AP_ONLY\n"


def accept(texts: Iterable[tuple[str, str]]) -> None:
    """Have the compiler look at all of some texts with an entry each, all but a few in one go.

    Most of the time goes to optimising, which these few are for, and to begin.

    Raises
    ------
    AssertionError
        With the words of the compiler.
    """
    entries: dict[str, str] = {}
    for text, entry in texts:
        assert f"void {entry}(" in text
        entries[text] = entry
    new = sorted(entries.keys() - _accepted)
    for text in new:
        if zlib.crc32(text.encode()) % _WHOLE == 0:
            assert f".visible .entry {entries[text]}(" in compiled(text)
    # Each has the same names as the others, and entries that are C's have no room of their own.
    rooms = [
        f"namespace room{k} {{\n{text.replace(C_ENTRY, '__global__')}\n}}\n{_BETWEEN}"
        for k, text in enumerate(new)
    ]
    assert not rooms or _compiled("".join(rooms), "compute_70", ("--dlink-time-opt",), "LTOIR")
    _accepted.update(new)


def _compiled(text: str, architecture: str, more: tuple[str, ...], kind: str) -> bytes:
    """What becomes of `text`: "PTX", or "LTOIR", which only a linker optimises."""
    nvrtc = library()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    words = [f"--gpu-architecture={architecture}", *CUDA.options, *more]
    options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(words), options)
        log = _text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
        assert status == 0, f"{log.decode()}\n{text}"
        return _text(nvrtc[f"nvrtcGet{kind}Size"], nvrtc[f"nvrtcGet{kind}"], program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(size_of, get, program: ctypes.c_void_p) -> bytes:  # type: ignore[no-untyped-def]
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value)
    get(program, room)
    return room.raw.rstrip(b"\0")
