"""Memory for copies and temporaries, which one run after the other uses.

Fresh memory costs more than a copy: the system hands it out, and clears it, page by page.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

_KEPT = 128 << 20
"""Bytes that stay with us between calls, at the most."""

_LINE = 64  # bytes that processors hand to each other at once

_free: dict[int, list[Array]] = {}  # by size; without a lock, which a fork could leave taken


def beside(sizes: Sequence[int]) -> tuple[list[int], int]:
    """Where each of several parts of one piece of memory begins, and how large that is."""
    *places, size = accumulate((-(-size // _LINE) * _LINE for size in sizes), initial=0)
    return places, size


def take(size: int) -> Array:
    """Memory for `size` bytes, which may hold anything.

    Raises
    ------
    MemoryError
        When there is none.
    """
    step = max(_LINE, 1 << max(size.bit_length() - 4, 0))  # few sizes, but none much larger
    whole = -(-size // step) * step
    try:
        return _free[whole].pop()
    except LookupError:
        return np.empty(whole, np.uint8)


def give(room: Array) -> None:
    """Leave what `take` gave to others."""
    with suppress(MemoryError):  # who gives it back has run what must not run a second time
        kept = sum([size * len(rooms) for size, rooms in list(_free.items())])
        if kept + room.nbytes <= _KEPT:
            _free.setdefault(room.nbytes, []).append(room)
