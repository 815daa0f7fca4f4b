"""Lists in which numbers of Python's type and NumPy's stand side by side.

``max(price - strike, 0.0)`` is an `np.float64` or a float, as it comes.  The array for such a list
has a note beside each element that says which; both types hold the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from autopar.cpu.items import ALIKE, LARGE, OTHER, RAGGED
from autopar.nest import kinds
from autopar.verdict import Refusal, Refused

Array = np.ndarray[Any, Any]

_MAX_INT = 2**63 - 1


class Mixed(Refused):
    """A list has turned out to be one of those; raised as it is read."""

    def __init__(self, refusal: Refusal, paths: Iterable[str] = ()) -> None:
        super().__init__(refusal)
        self.paths = frozenset(paths)


def pair(dtype: np.dtype[Any]) -> tuple[type, type]:
    """Python's type for elements of `dtype`, and NumPy's."""
    return kinds.PYTHON[kinds.python_atom(dtype.name)], dtype.type


def fits(rows: Sequence[Sequence[Any]], dtype: np.dtype[Any]) -> bool:
    """Whether all elements are of one of the two types."""
    if dtype.name not in ("float64", "int64"):
        return False
    return set(map(type, chain.from_iterable(rows))) <= {*pair(dtype)}


def fill(rows: Sequence[Sequence[Any]], holder: type, array: Array, types: Array) -> int:
    """Fill `array` and the tags of its elements, as `cpu.items` does; its status."""
    flat, tags = (a.reshape(len(rows), -1) for a in (array, types))
    python, numpy = pair(array.dtype)
    own, other = _tags(array.dtype)
    for k, row in enumerate(rows):
        if type(row) is not holder or len(row) != flat.shape[1]:
            return RAGGED
        found = list(map(type, row))
        theirs = np.fromiter((kind is numpy for kind in found), np.bool_, len(found))
        if found.count(python) + int(theirs.sum()) != len(found):
            return OTHER
        try:
            flat[k] = row
        except OverflowError:
            return LARGE
        tags[k] = np.where(theirs, other, own)
    if python is int and (flat < -_MAX_INT).any():
        return LARGE
    return ALIKE


def put_back(
    rows: Sequence[Sequence[Any]], now: Array, before: Array, types: Array, types_before: Array
) -> None:
    """Put into `rows` what differs, bit by bit or in type."""
    python, numpy = pair(now.dtype)
    own, _ = _tags(now.dtype)
    changed = (now.view(np.int64) != before.view(np.int64)) | (types != types_before)
    parts = (a.reshape(len(rows), -1) for a in (now, types, changed))
    for row, values, tags, new in zip(rows, *parts, strict=True):
        assert isinstance(row, list)
        for k in new.nonzero()[0].tolist():
            if k < len(row):
                row[k] = (python if tags[k] == own else numpy)(values[k])


def items(array: Array, types: Array) -> list[Any]:
    """The list that `array` stands for."""
    own, _ = _tags(array.dtype)
    pairs = zip(array.tolist(), array, (types == own).tolist(), strict=True)
    return [mine if python else theirs for mine, theirs, python in pairs]


def _tags(dtype: np.dtype[Any]) -> tuple[int, int]:
    return kinds.tag(kinds.python_atom(dtype.name)), kinds.tag(f"np.{dtype.name}")
