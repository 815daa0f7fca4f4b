"""Lists in which numbers of two types stand side by side.

``max(price - strike, 0.0)`` is an `np.float64` or a float, as it comes, and distances that are
``float("inf")`` at first are ints once they are known.  The array for such a list has a note beside
each element that says which; it holds either without a change of value.
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
Pair = tuple[str, str]
"""The atoms of the two types; the array is of the dtype of the first, see `kinds.pair`."""

_MAX_INT = 2**63 - 1
_EXACT = 2**53  # below, a float equals each int, and no other int is rounded to one of these


class Mixed(Refused):
    """A list has turned out to be one of those; raised as it is read."""

    def __init__(self, refusal: Refusal, pair: Pair, paths: Iterable[str] = ()) -> None:
        super().__init__(refusal)
        self.pair = pair
        self.paths = frozenset(paths)


def pair(rows: Sequence[Sequence[Any]]) -> Pair | None:
    """The two types of all elements, if there are two that one array can hold."""
    found = set(map(type, chain.from_iterable(rows)))
    atoms = frozenset(atom for atom in kinds.ATOMS if kinds.type_of(atom) in found)
    return kinds.pair(atoms) if len(atoms) == len(found) else None


def fill(
    rows: Sequence[Sequence[Any]], holder: type, pair: Pair, array: Array, types: Array
) -> int:
    """Fill `array` and the tags of its elements, as `cpu.items` does; its status."""
    flat, tags = (a.reshape(len(rows), -1) for a in (array, types))
    own, other = map(kinds.type_of, pair)
    own_tag, other_tag = map(kinds.tag, pair)
    for k, row in enumerate(rows):
        if type(row) is not holder or len(row) != flat.shape[1]:
            return RAGGED
        found = list(map(type, row))
        others = np.fromiter((kind is other for kind in found), np.bool_, len(found))
        if found.count(own) + int(others.sum()) != len(found):
            return OTHER
        try:
            flat[k] = row
        except OverflowError:
            return LARGE
        tags[k] = np.where(others, other_tag, own_tag)
    if own is int and (flat < -_MAX_INT).any():
        return LARGE
    if other is int and (abs(flat[tags == other_tag]) >= _EXACT).any():
        return LARGE
    return ALIKE


def put_back(
    rows: Sequence[Sequence[Any]],
    pair: Pair,
    now: Array,
    before: Array,
    types: Array,
    types_before: Array,
) -> None:
    """Put into `rows` what differs, bit by bit or in type."""
    own, other = map(kinds.type_of, pair)
    own_tag = kinds.tag(pair[0])
    changed = (now.view(np.int64) != before.view(np.int64)) | (types != types_before)
    parts = (a.reshape(len(rows), -1) for a in (now, types, changed))
    for row, values, tags, new in zip(rows, *parts, strict=True):
        assert isinstance(row, list)
        for k in new.nonzero()[0].tolist():
            if k < len(row):
                row[k] = (own if tags[k] == own_tag else other)(values[k])


def items(pair: Pair, array: Array, types: Array) -> list[Any]:
    """The list that `array` stands for."""
    if array.ndim > 1:
        return [items(pair, row, notes) for row, notes in zip(array, types, strict=True)]
    own, other = map(kinds.type_of, pair)
    firsts = (types == kinds.tag(pair[0])).tolist()
    return [(own if first else other)(n) for n, first in zip(array, firsts, strict=True)]
