"""What a device would cost, for those who may choose: measured once for each, kept on disk."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from autopar.config import Target
from autopar.device.api import Array, Device, DeviceFailed
from autopar.device.devices import find
from autopar.device.remembered import remembered
from autopar.records import dataclass

_DRIVERS = {"linux": "libcuda.so.1", "win32": "nvcuda.dll"}
_NUMBERS = ("over_s", "back_s", "launch_s", "byte_s", "operation_s")
_MOVED, _COPIED = 1 << 25, 1 << 27  # bytes
_ITEMS, _STEPS, _OPERATIONS = 1 << 20, 128, 2
_TIMES = 5
_TEXT = """\
AP_KERNEL void ap_nothing(AP_GLOBAL f64 *a, i64 n) {
}

AP_KERNEL void ap_copied(AP_GLOBAL f64 *a, i64 n) {
    i64 i = AP_ITEM;
    if (i < n) a[n + i] = a[i];
}

AP_KERNEL void ap_steps(AP_GLOBAL f64 *a, i64 n) {
    i64 i = AP_ITEM;
    f64 x = a[i];
    for (i64 k = 0; k < n; k++) x = x * 0.5 + 1.0;
    a[i] = x;
}
"""


@dataclass(frozen=True, slots=True)
class Offer:
    """A device, and seconds of what it does.

    Attributes
    ----------
    target
        As `config.Settings.target`.
    over_s, back_s
        Of a byte to the device, and from it.
    launch_s
        Of a kernel that does nothing, with the wait for it.
    byte_s, operation_s
        Of a byte that a kernel reads or writes, and of an operation on float64, with all of the
        device at work.
    """

    target: Target
    over_s: float
    back_s: float
    launch_s: float
    byte_s: float
    operation_s: float

    def run_s(self, moved: tuple[int, int], launches: float, operations: float) -> float:
        """Seconds of a run that brings so many bytes over and back, and launches so many kernels.

        What it computes takes as long as the operations or as the bytes, whichever takes longer.
        """
        over, back = moved
        inside = max((over + back) * self.byte_s, operations * self.operation_s)
        return over * self.over_s + back * self.back_s + launches * self.launch_s + inside


def best(copy: Callable[[Array, Array], None]) -> Offer | None:
    """The GPU of this machine that may be worth something; None where there is none.

    Looks for what is installed before it imports anything, and is to be asked once.

    Parameters
    ----------
    copy
        What copies large arrays of the host's; see `Device.copy`.
    """
    for target in _installed():
        with contextlib.suppress(DeviceFailed):
            found = find(*target)
            if found.gpu:
                found.copy = copy
                return _kept(found, target)
    return None


def _installed() -> list[Target]:
    found: list[Target] = []
    driver = _DRIVERS.get(sys.platform)
    if importlib.util.find_spec("cupy") is not None and driver is not None:
        with contextlib.suppress(OSError):
            ctypes.CDLL(driver)
            found.append(("cuda", 0))
    if importlib.util.find_spec("pyopencl") is not None:
        found.append(("opencl", 0))
    return found


def _kept(device: Device, target: Target) -> Offer:
    """The offer of `device`, from the disk if it has been there before."""
    about = "offer", device.label, device.name, device.memory

    def measure() -> dict[str, float]:
        made = _measured(device, target)
        return {name: getattr(made, name) for name in _NUMBERS}

    return Offer(target, **remembered(about, _NUMBERS, measure))


def _measured(device: Device, target: Target) -> Offer:
    """A tenth of a second of transfers and small kernels, after compiling these."""
    text = device.dialect.head + _TEXT
    nothing, copied, steps = (
        device.kernel(entry, text) for entry in ("ap_nothing", "ap_copied", "ap_steps")
    )
    host = np.ones(_MOVED, np.uint8)
    with device.failing():
        buffer = device.buffer(2 * _COPIED)
        device.fill(buffer, 0, 2 * _COPIED)

        def run(kernel: Any, items: int, n: int) -> float:
            def work() -> None:
                device.launch(kernel, items, device.group, (buffer, np.int64(n)))
                device.wait(device.mark())

            return _took(work)

        def back() -> None:
            found = device.host(_MOVED)
            device.fetch(found, buffer, 0)
            device.copy(host, found)

        over_s = _took(lambda: device.send(buffer, host, 0)) / _MOVED
        back_s = _took(back) / _MOVED
        launch_s = run(nothing, 1, 0)
        byte_s = max(run(copied, _COPIED // 8, _COPIED // 8) - launch_s, 0.0) / (2 * _COPIED)
        inside_s = max(run(steps, _ITEMS, _STEPS) - launch_s, 0.0)
        device.release(buffer)
    return Offer(
        target, over_s, back_s, launch_s, byte_s, inside_s / (_ITEMS * _STEPS * _OPERATIONS)
    )


def _took(work: Any) -> float:
    times = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)
