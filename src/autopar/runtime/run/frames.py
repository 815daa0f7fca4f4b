"""Memory in which kernels note what they are called with, for machine code to call them again.

See `cpu.team.STEPS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autopar.cpu import team as layout


class Frames:
    """The memory of the kernels of one launch.

    Attributes
    ----------
    address
        Where it stands, by the number of a kernel, where that is.
    """

    __slots__ = ("address", "places", "rooms")

    def __init__(self, kernels: int) -> None:
        self.places = np.zeros(kernels, np.int64)
        self.address: int = self.places.ctypes.data
        self.rooms: dict[int, np.ndarray[Any, Any]] = {}

    def place(self, kernel: int, given: Sequence[object]) -> int:
        """Address of the memory of a kernel that is given such arguments each time."""
        if kernel not in self.rooms:
            words = (1 + 2 * one.ndim if isinstance(one, np.ndarray) else 2 for one in given)
            room = np.zeros(layout.NOTED + layout.LINE + sum(words), np.int64)
            self.rooms[kernel], self.places[kernel] = room, room.ctypes.data
        return int(self.places[kernel])
