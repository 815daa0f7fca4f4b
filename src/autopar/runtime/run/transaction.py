"""Undo for kernels that may give up half-way: copies of what they write, put back on failure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autopar.runtime.run import pool

Array = np.ndarray[Any, Any]

_LARGE = 1 << 16  # bytes from which memory for a copy is worth keeping
_SHARED = 1 << 18  # bytes from which copies are worth sharing out
_KEPT = 128 << 20  # bytes that stay with us between calls, at the most

# Fresh memory costs more than the copy: the system hands it out, and clears it, page by page.
_free: dict[int, Array] = {}  # without a lock, which a fork could leave taken


class Transaction:
    """Copies of `arrays` as they were; `roll_back` restores every element."""

    __slots__ = ("buffers", "copies")

    def __init__(self, arrays: Iterable[Array], threads: int = 1) -> None:
        self.copies: list[tuple[Array, Array]] = []
        self.buffers: list[Array] = []
        large: list[tuple[Array, Array]] = []
        for array in arrays:
            if array.nbytes < _LARGE or not array.flags.forc or not array.flags.aligned:
                self.copies.append((array, array.copy()))
                continue
            flat = array.reshape(-1, order="A")  # a view
            buffer = _take(flat.nbytes)
            self.buffers.append(buffer)
            large.append((buffer[: flat.nbytes].view(flat.dtype), flat))
        if not _together(large, threads):
            for copy, flat in large:
                np.copyto(copy, flat)
        self.copies += [(flat, copy) for copy, flat in large]

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


def _together(pairs: Sequence[tuple[Array, Array]], threads: int) -> bool:
    """Have so many threads copy the second array of each pair to the first; whether they have.

    What follows needs them awake, and each has some of what it is about to work on at hand.
    """
    if threads < 2 or sum([copy.nbytes for copy, _ in pairs]) < _SHARED:
        return False
    team = pool.held(threads)
    if team is None:
        return False
    try:
        team.copy(pairs)
    finally:
        team.taken.release()
    return True


def _take(size: int) -> Array:
    """Memory for `size` bytes; some that was used before, if it fits."""
    for key, kept in list(_free.items()):
        if size <= kept.nbytes <= 2 * size:
            mine = _free.pop(key, None)  # another thread may have been faster
            if mine is not None:
                return mine
    return np.empty(size, np.uint8)
