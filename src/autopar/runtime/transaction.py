"""Undo for kernels that may give up half-way: copies of what they write, put back on failure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Transaction:
    """Copies of `arrays` as they were; `roll_back` restores every element."""

    __slots__ = ("copies",)

    def __init__(self, arrays: Iterable[Array]) -> None:
        self.copies = [(array, array.copy()) for array in arrays]

    def roll_back(self) -> None:
        """Undo; views that overlap agree, since all copies were taken before the first write."""
        for array, copy in self.copies:
            np.copyto(array, copy)
