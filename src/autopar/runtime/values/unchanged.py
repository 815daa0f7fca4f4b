"""Lists that are as they were at an earlier call: their numbers need not be read again.

To read a list of floats is to go to each of its objects.  What such an object holds never changes,
so a list with the very same objects in it holds the same numbers, and whether they are the same
objects is told by their addresses, as they stand in the list one after the other: that takes a
fifth of the time.  The objects are kept alive here, for an address says nothing of an object that
is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autopar.records import dataclass

Array = np.ndarray[Any, Any]
Rows = tuple[Sequence[Any], ...]

LEAST = 1024  # elements, below which a list is read in no time
_MOST = 1 << 19  # elements that are kept, of all lists together
_MOST_LISTS = 64  # that are counted
_PATIENCE = 4  # so many times as often a list is to be met once it has changed


@dataclass(frozen=True, slots=True)
class Reading:
    """What has been read of a list, which nobody writes to.

    Attributes
    ----------
    holders, atom
        See `mirrors.Mirror`.
    array
        The numbers.
    rows
        The objects.
    """

    holders: tuple[type, ...]
    atom: str
    array: Array
    rows: Rows


@dataclass(slots=True)
class _Count:
    met: int = 0
    wanted: int = 2


_readings: dict[int, Reading] = {}  # by `id` of the list, which is a guess: others may get that
_counts: dict[int, _Count] = {}


def reading(value: object, holders: tuple[type, ...], atom: str, shape: Sequence[int]) -> Any:
    """What is known of a list of such numbers, if it is as it was; else None."""
    found = _readings.get(id(value))
    if found is None or (found.holders, found.atom) != (holders, atom):
        return None
    return found if found.array.shape == tuple(shape) else None


def changed(value: object) -> None:
    """What was known of a list is not true any more."""
    if _readings.pop(id(value), None) is not None:
        count = _counts.setdefault(id(value), _Count())
        count.met, count.wanted = 0, count.wanted * _PATIENCE


def learn(value: object, holders: tuple[type, ...], atom: str, array: Array, rows: Rows) -> None:
    """A list has been read, into an array that nobody is going to write to."""
    count = _counts.get(id(value))
    if count is None:
        if len(_counts) >= _MOST_LISTS:
            _counts.clear()
        count = _counts[id(value)] = _Count()
    count.met += 1
    if count.met < count.wanted or array.size > _MOST:
        return
    if array.size + sum(one.array.size for one in tuple(_readings.values())) > _MOST:
        _readings.clear()
    _readings[id(value)] = Reading(holders, atom, array, tuple(map(tuple, rows)))
