"""CUDA's compiler for texts, from its wheel: it needs no GPU.

References
----------
NVIDIA, "NVRTC" (the documentation of the runtime compilation library), "User Interface".
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path

from autopar.device.dialect import CUDA


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


@functools.cache
def compiled(text: str, architecture: str = "compute_70") -> str:
    """Assembly (PTX) of `text`.

    Raises
    ------
    AssertionError
        With the words of the compiler.
    """
    nvrtc = library()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    words = [f"--gpu-architecture={architecture}", *CUDA.options]
    options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(words), options)
        log = _text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
        assert status == 0, f"{log}\n{text}"
        return _text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(size_of, get, program: ctypes.c_void_p) -> str:  # type: ignore[no-untyped-def]
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value)
    get(program, room)
    return room.value.decode()
