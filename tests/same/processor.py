"""Lets the OpenCL driver that tests run on make kernels for a processor that it does not know.

PoCL's wheel is of 2022, and its compiler takes no "generic" processor of this kind, which is what
it calls each later one.  So its device is told that the processor is the least one of the kind.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

_WORDS = 400
"""Of a device's record in which the name of the processor is looked for."""

_least = ctypes.create_string_buffer(b"x86-64")


def unknown(device: Any) -> bool:
    """Whether the driver of this OpenCL device makes no kernel for the processor."""
    return "PoCL" in device.version and device.version.endswith("x86_64-unknown-linux-gnu-generic")


def skip_unless_known() -> None:
    """Skip a test that runs programs of their own on the device."""
    cl = pytest.importorskip("pyopencl")
    if any(unknown(device) for one in cl.get_platforms() for device in one.get_devices()):
        pytest.skip("the OpenCL driver makes no kernel for this processor")


def tell(device: Any) -> None:
    """Tell `device` what the processor is, where its driver does not know."""
    if not unknown(device):
        return
    words = (ctypes.c_uint64 * _WORDS).from_address(device.int_ptr)
    triple = _at(words, b"x86_64-unknown-linux-gnu")
    if triple is not None and _text(words[triple + 1]) == b"generic":
        words[triple + 1] = ctypes.addressof(_least)


def _at(words: Any, wanted: bytes) -> int | None:
    """Which of `words` is the address of that text."""
    return next((k for k, word in enumerate(words) if _text(word, len(wanted)) == wanted), None)


def _text(address: int, size: int = 16) -> bytes:
    """What stands at `address`, up to its end, as far as this process may read there."""
    buffer = ctypes.create_string_buffer(size + 1)
    local = _Piece(ctypes.addressof(buffer), size)
    remote = _Piece(address, size)
    libc = ctypes.CDLL(None)
    read = libc.process_vm_readv(libc.getpid(), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
    return buffer.value if read > 0 else b""


class _Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))
