"""Undo for kernels that may give up half-way: copies of what they write, put back on failure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autopar.runtime.run import copies

Array = np.ndarray[Any, Any]

_LARGE = 1 << 16  # bytes from which memory for a copy is worth keeping
_SHARED = 16 << 20  # bytes from which a copy is worth sharing out: threads have to be woken
_KEPT = 128 << 20  # bytes that stay with us between calls, at the most

# Fresh memory costs more than the copy: the system hands it out, and clears it, page by page.
_free: dict[int, Array] = {}  # without a lock, which a fork could leave taken


class Transaction:
    """Copies of `arrays` as they were; `roll_back` restores every element."""

    __slots__ = ("buffers", "copies")

    def __init__(self, arrays: Iterable[Array], threads: int = 1) -> None:
        self.copies: list[tuple[Array, Array]] = []
        self.buffers: list[Array] = []
        for array in arrays:
            if array.nbytes < _LARGE or not array.flags.forc or not array.flags.aligned:
                self.copies.append((array, array.copy()))
                continue
            flat = array.reshape(-1, order="A")  # a view
            buffer = _take(flat.nbytes)
            self.buffers.append(buffer)
            copy = buffer[: flat.nbytes].view(flat.dtype)
            self.copies.append((flat, copy))
            if threads > 1 and flat.nbytes >= _SHARED:
                copies.shared(copy, flat, threads)
            else:
                np.copyto(copy, flat)

    def roll_back(self) -> None:
        """Undo; views that overlap agree, since all copies were taken before the first write."""
        for array, copy in self.copies:
            np.copyto(array, copy)

    def close(self) -> None:
        """The copies are not needed any more."""
        self.copies.clear()
        for buffer in self.buffers:
            if sum([kept.nbytes for kept in list(_free.values())]) + buffer.nbytes <= _KEPT:
                _free[id(buffer)] = buffer
        self.buffers.clear()


def _take(size: int) -> Array:
    """Memory for `size` bytes; some that was used before, if it fits."""
    for key, kept in list(_free.items()):
        if size <= kept.nbytes <= 2 * size:
            mine = _free.pop(key, None)  # another thread may have been faster
            if mine is not None:
                return mine
    return np.empty(size, np.uint8)
