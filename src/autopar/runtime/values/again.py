"""Calls that are like an earlier one, as most are: recognised at a glance.

What a call is asked is its type key, then its numbers, its shapes and how its arrays share memory.
Where all arrays are NumPy's own, and all numbers Python's, one tuple says all of that but the last:
equal tuples have equal answers, and nothing need be read a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from autopar.runtime.values.paths import Resolver, Said

Array = np.ndarray[Any, Any]

_C, _F, _OWNS, _WRITES_BACK = 0x1, 0x2, 0x4, 0x2000
WHOSE = _C | _F | _OWNS | _WRITES_BACK
"""The flags of an array that say whose memory it has, and whether that is without gaps."""
OWNERS = frozenset((_C | _OWNS, _F | _OWNS, _C | _F | _OWNS))
"""What is left of these where it has memory of its own, without gaps."""

# Two C types of one size are equal dtypes, but not the same: hence the character.
_about = attrgetter("dtype", "dtype.char", "shape", "flags.num")

Placed = Sequence[tuple[str, int, Resolver]]
"""Paths, the place of each among the values that are handed over or -1, and what finds it."""


def apart(arrays: dict[str, Array]) -> bool:
    """Whether these are all different, of such as own their memory."""
    return len(set(map(id, arrays.values()))) == len(arrays)


class Seen(NamedTuple):
    """What is seen of a call.

    Attributes
    ----------
    mark
        Equal for calls with equal type keys, numbers and shapes.
    arrays, numbers
        By their paths.
    owning
        Whether no two arrays can share memory.
    functions
        What `mark` has numbers of, which are theirs as long as somebody keeps them.
    """

    mark: tuple[Any, ...]
    arrays: dict[str, Array]
    numbers: dict[str, Any]
    owning: bool
    functions: tuple[object, ...]


class Glance:
    """Looks at the calls of one nest."""

    __slots__ = ("arrays", "calls", "numbers")

    def __init__(
        self, arrays: Placed, numbers: Placed, calls: Sequence[tuple[str, Resolver]]
    ) -> None:
        self.arrays, self.numbers, self.calls = arrays, numbers, calls

    def seen(self, said: Said) -> Seen | None:
        """What there is to see of a call, or None where it takes more than a glance.

        Raises
        ------
        Refused
            For live-ins that are never taken.
        """
        roots, ndarray = said.roots, np.ndarray
        mark: list[Any] = []
        arrays: dict[str, Array] = {}
        owning = True
        for path, place, resolve in self.arrays:
            array = roots[place] if place >= 0 else resolve(said)
            if type(array) is not ndarray:
                return None
            arrays[path] = array
            about = _about(array)
            mark += about
            if about[3] & WHOSE not in OWNERS:
                owning = False
        numbers: dict[str, Any] = {}
        for path, place, resolve in self.numbers:
            number = roots[place] if place >= 0 else resolve(said)
            kind = type(number)
            if kind is float:
                mark.append(kind)
            elif kind is int or kind is bool:
                mark += (kind, number)
            else:
                return None
            numbers[path] = number
        functions: list[object] = []
        for path, resolve in self.calls:
            function, draws, plainly = said.callee(path, resolve)
            if draws is not None:
                return None
            if plainly is None:
                functions.append(function)
                mark.append(id(function))
            else:
                code, space = plainly.__code__, plainly.__globals__
                functions += (code, space)
                mark += (id(code), id(space), type(function))
        owning = owning and apart(arrays)
        return Seen(tuple(mark), arrays, numbers, owning, tuple(functions))
