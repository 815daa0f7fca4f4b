"""The devices that users name."""

from __future__ import annotations

from autopar.device.api import Device


def find(dialect: str, number: int) -> Device:
    """The device that users call ``cuda:0``, for the dialect ``"cuda"`` and the number 0.

    Raises
    ------
    DeviceFailed
        It is not there, or what reaches it is not installed.
    """
    # Each imports a library that takes long to import.
    if dialect == "cuda":
        from autopar.device import cuda

        return cuda.find(number)
    from autopar.device import opencl

    return opencl.find(number)
