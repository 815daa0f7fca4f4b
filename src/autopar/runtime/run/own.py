"""Arrays of which each chunk but the last has one of its own.

The last chunk leaves the final contents, so it works on the user's.  The others' lie one after the
other in one block of memory, so that a team knows from the number of a chunk where its own is.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

_LINE = 64  # bytes that processors hand to each other at once
_KEPT = 1 << 20  # bytes of a block that stays for the next run, at the most


class Rooms:
    """Arrays in place of one argument of a kernel.

    Attributes
    ----------
    place
        Of the argument, counted from the first array on.
    blank
        Whether nothing is read of them but what has been written there.
    """

    __slots__ = ("array", "blank", "block", "place", "stride")

    def __init__(self, place: int, blank: bool) -> None:
        self.place, self.blank = place, blank
        self.block: Array = np.empty(0, np.uint8)
        self.stride = 0
        self.array = self.block

    def fill(self, array: Array, count: int) -> None:
        """Have `count` of them that are as `array`, which has no gaps.

        Raises
        ------
        MemoryError
            When there is no room; nothing has changed then.
        """
        size = array.nbytes
        self.stride = (size // _LINE + 1) * _LINE
        if self.block.size < count * self.stride:
            self.block = np.empty(count * self.stride, np.uint8)
        self.array = array
        if not self.blank:
            rows = self.block[: count * self.stride].reshape(count, self.stride)
            rows[:, :size] = array.reshape(-1, order="A").view(np.uint8)

    @property
    def words(self) -> tuple[int, int]:
        """Where the first one lies, and how far it is from one to the next."""
        return self.block.ctypes.data, self.stride

    def of(self, chunk: int) -> Array:
        """The array of a chunk other than the last."""
        array = self.array
        begin = self.block[chunk * self.stride :]
        return np.ndarray(array.shape, array.dtype, begin, strides=array.strides)

    def leave(self) -> None:
        """The run is over."""
        self.array = self.block[:0]
        if self.block.size > _KEPT:
            self.block = self.array = np.empty(0, np.uint8)


def fits(array: Array) -> bool:
    """Whether copies of an array can be laid out as it is."""
    return bool(array.flags.forc)
