"""Arrays of which each chunk of a kernel but the last has one of its own.

The last chunk leaves the final contents, so it works on the arrays of the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from autopar.kernel import Kernel
from autopar.nest.ir import HELD

Array: TypeAlias = np.ndarray[Any, Any]
Copies: TypeAlias = dict[str, list[Array]]
"""By path, the array of each chunk."""

_KEPT = 1 << 20  # bytes that stay from one run to the next, at the most


def table(kernel: Kernel, copies: Copies, args: Sequence[Any]) -> Array | None:
    """Where the arrays of each chunk lie; None if they differ from those of the call in more."""
    paths = [path for path in kernel.arrays if path in copies]
    for path in paths:
        strides = args[kernel.arrays.index(path)].strides
        if any(part.strides != strides for part in copies[path]):
            return None
    rows = zip(*[copies[path] for path in paths], strict=True)
    return np.array([[_address(part) for part in row] for row in rows], np.int64)


def _address(array: Array) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


class Own:
    """The private arrays of a kernel in so many chunks, for one call after the other.

    Parameters
    ----------
    arrays
        Those of the first call, at `places` among the arguments.

    Raises
    ------
    MemoryError
        When there is no room.
    """

    __slots__ = ("address", "blank", "forms", "parts", "paths", "places", "table")

    def __init__(self, kernel: Kernel, chunks: int, args: Sequence[Any]) -> None:
        copied = {reduction.name for reduction in kernel.copied}
        self.paths = tuple(path for path in kernel.arrays if path in copied)
        self.places = tuple(kernel.arrays.index(path) for path in self.paths)
        # Of what is held for a nest nothing is read but what was written.
        self.blank = tuple(path.startswith(HELD) for path in self.paths)
        arrays = [args[place] for place in self.places]
        self.forms = [_form(array) for array in arrays]
        self.parts = [[np.empty_like(array) for _ in range(chunks - 1)] for array in arrays]
        self.table = table(kernel, self.copies(args), args)
        self.address = 0  # of the table, if there is one
        if self.table is not None:
            self.table[-1] = 0  # the last chunk has those of the call
            self.address = self.table.ctypes.data

    def serves(self, args: Sequence[Any]) -> bool:
        """Whether the arrays of this call are laid out as those of the first."""
        return [_form(args[place]) for place in self.places] == self.forms

    def begin(self, args: Sequence[Any]) -> None:
        """Have each array begin with what that of this call holds."""
        for k, (place, parts) in enumerate(zip(self.places, self.parts, strict=True)):
            if not self.blank[k]:
                for part in parts:
                    part[...] = args[place]

    def copies(self, args: Sequence[Any]) -> Copies:
        """The array of each chunk, at this call."""
        found = zip(self.paths, self.places, self.parts, strict=True)
        return {path: [*parts, args[place]] for path, place, parts in found}

    @property
    def small(self) -> bool:
        """Whether they may be kept for the next run."""
        return bool(sum(part.nbytes for parts in self.parts for part in parts) <= _KEPT)


def _form(array: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(array.shape), tuple(array.strides)
