"""How far a device's elementary functions are from those of the host.

No device promises the last bit of `exp`.  Under ``fp = "ulp"`` results may be wrong by two units in
the last place, so what differs by no more than that may be left to the device.  What its makers
promise is for the worst argument there is, of some devices much more; what is asked here is what it
does: each function is evaluated once for some thousand arguments over its domain, and whose worst
result is less than two units off is taken.  The table is kept on disk.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from autopar.config import Target
from autopar.device.api import Device, DeviceFailed
from autopar.device.devices import find
from autopar.device.elementary import FUNCTIONS, SPECIAL, Range
from autopar.device.remembered import remembered

TOO_FAR = 2.0
"""By which ``fp = "ulp"`` lets a function be wrong; who comes near it may be worse elsewhere."""
_ARGUMENTS = 1 << 14


def near(target: Target) -> frozenset[str]:
    """The functions of a device that are near enough to the host's for ``fp = "ulp"``."""
    try:
        ulps = table(find(*target))
    except DeviceFailed:
        return frozenset(one.name for one in FUNCTIONS)  # for the text; it will run nowhere
    return frozenset(name for name, far in ulps.items() if far < TOO_FAR)


def table(device: Device) -> dict[str, float]:
    """For each function, the largest distance to the host's in units of the last place.

    Measured at some thousand arguments, or read from the disk if that has been done before.

    Raises
    ------
    DeviceFailed
        The device does not do it.
    """
    about = "ulps", device.label, device.name, device.version, sys.version, *_libc()
    return remembered(about, [one.name for one in FUNCTIONS], lambda: measured(device))


def _libc() -> Iterator[str]:
    """The version of the host's functions, where the system says it."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        yield str(os.confstr("CS_GNU_LIBC_VERSION"))


def measured(device: Device) -> dict[str, float]:
    """The table, measured."""
    found = {}
    kernel = device.kernel("ap_elementary", device.dialect.head + _text())
    with device.failing():
        size = 3 * 8 * _ARGUMENTS
        buffer = device.buffer(size)
        for number, function in enumerate(FUNCTIONS):
            arguments = np.zeros((3, _ARGUMENTS))
            for row, domain in enumerate(function.domain):
                arguments[row] = _spread(domain, row)
            count = len(function.domain)
            special = np.array([*itertools.product(SPECIAL, repeat=count)]).T
            arguments[:count, : special.shape[1]] = special
            host = arguments.view(np.uint8).reshape(-1)
            device.send(buffer, host, 0)
            device.launch(kernel, _ARGUMENTS, device.group, (buffer, np.int64(number)))
            device.fetch(host, buffer, 0)
            wanted, raised = function.of_host(arguments[:count])
            found[function.name] = _farthest(arguments[2], wanted, raised)
        device.release(buffer)
    return found


def _text() -> str:
    """A kernel that evaluates the function of a number, for an argument each work item."""
    cases = [
        f"        case {number}: z = {one.name}(x{', y' * (len(one.domain) - 1)}); break;"
        for number, one in enumerate(FUNCTIONS)
    ]
    return "\n".join(
        (
            "AP_KERNEL void ap_elementary(AP_GLOBAL f64 *a, i64 which) {",
            "    i64 i = AP_ITEM;",
            f"    if (i >= {_ARGUMENTS}) return;",
            f"    f64 x = a[i], y = a[{_ARGUMENTS} + i], z = 0.0;",
            "    switch (which) {",
            *cases,
            "    }",
            f"    a[{2 * _ARGUMENTS} + i] = z;",
            "}",
            "",
        )
    )


def _spread(domain: Range, row: int) -> Any:
    """Arguments in a domain, by their logarithm where that spans many magnitudes."""
    low, high = domain
    rng = np.random.default_rng(row)
    if low > 0 and high / low > 1e3:
        return np.exp(rng.uniform(math.log(low), math.log(high), _ARGUMENTS))
    return rng.uniform(low, high, _ARGUMENTS)


def _farthest(found: Any, wanted: Any, raised: Any) -> float:
    """The largest distance in units in the last place of what is `wanted`.

    Where the host has `raised` instead, kernels see it by a result that is no finite number.
    """
    with np.errstate(all="ignore"):
        far = np.abs(found - wanted) / np.spacing(np.abs(wanted))
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    far[same | (raised & ~np.isfinite(found))] = 0.0
    odd = np.isnan(far) | (raised & np.isfinite(found))
    return math.inf if odd.any() else float(far.max())
