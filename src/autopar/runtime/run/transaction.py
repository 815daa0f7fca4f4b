"""Undo for kernels that may give up half-way: copies of what they write, put back on failure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autopar.runtime.run import pool, spare

Array = np.ndarray[Any, Any]

_LARGE = 1 << 16  # bytes from which memory for a copy is worth using again
_SHARED = 1 << 18  # bytes from which copies are worth sharing out
_PARTS = 2  # for each thread that copies: who comes late leaves one to others


class Undo:
    """Copies of arrays of the same sizes, time after time.

    Parameters
    ----------
    sizes
        Bytes of each.
    threads
        How many copy.
    """

    __slots__ = ("address", "arrays", "divided", "places", "room", "size", "table", "threads")

    def __init__(self, sizes: Sequence[int], threads: int) -> None:
        self.threads = threads
        self.places, self.size = spare.beside(sizes)
        self.divided = self.size >= _SHARED and threads > 1
        words = [threads * _PARTS if self.divided else 1, len(sizes), 0]
        for place, size in zip(self.places, sizes, strict=True):
            words += 0, place, size
        self.table = np.array(words, np.int64)
        self.address: int = self.table.ctypes.data
        self.arrays: Sequence[Array] = ()
        self.room: Array | None = None

    def begin(self, arrays: Sequence[Array]) -> bool:
        """Copy these; whether each lies in one piece, for else nothing is done.

        Raises
        ------
        MemoryError
            When there is no room.
        """
        self.room = room = spare.take(self.size)
        if not pool.copied(self.threads, self.address, room, arrays, self.divided):
            if not all(array.flags.forc for array in arrays):
                self.close()
                return False
            for array, place in zip(arrays, self.places, strict=True):
                flat, copy = _beside(array, room, place)
                np.copyto(copy, flat)
        self.arrays = arrays
        return True

    def roll_back(self) -> None:
        """All arrays are as they were."""
        assert self.room is not None
        for array, place in zip(self.arrays, self.places, strict=True):
            flat, copy = _beside(array, self.room, place)
            np.copyto(flat, copy)

    def close(self) -> None:
        """The copies are not needed any more."""
        room, self.room, self.arrays = self.room, None, ()
        if room is not None:
            spare.give(room)


def _beside(array: Array, room: Array, place: int) -> tuple[Array, Array]:
    """The elements of an array that lies in one piece, and as many from a place in `room` on."""
    flat = array.reshape(-1, order="A")  # a view
    return flat, room[place : place + flat.nbytes].view(flat.dtype)


class Transaction:
    """Copies of `arrays` as they were; `roll_back` restores every element.

    Views that overlap agree, since all copies were taken before the first write.

    Raises
    ------
    MemoryError
        When there is no room.
    """

    __slots__ = ("copies", "undo")

    def __init__(self, arrays: Iterable[Array], threads: int = 1) -> None:
        self.copies: list[tuple[Array, Array]] = []
        large: list[Array] = []
        for array in arrays:
            if array.nbytes < _LARGE or not array.flags.forc or not array.flags.aligned:
                self.copies.append((array, array.copy()))
            else:
                large.append(array)
        self.undo = Undo([array.nbytes for array in large], threads) if large else None
        if self.undo is not None:
            self.undo.begin(large)

    def roll_back(self) -> None:
        """All arrays are as they were."""
        for array, copy in self.copies:
            np.copyto(array, copy)
        if self.undo is not None:
            self.undo.roll_back()

    def close(self) -> None:
        """The copies are not needed any more."""
        self.copies.clear()
        if self.undo is not None:
            self.undo.close()
