"""Calls that are like an earlier one, as most are: recognised at a glance.

What a call is asked is its type key, then its numbers, its shapes and how its arrays share memory.
Where all arrays are NumPy's own, and all numbers Python's or NumPy's doubles, one tuple says all of
that but the last: equal tuples have equal answers, and nothing need be read a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

import numpy as np

from autopar.runtime.values.paths import Resolver, Said

Array = np.ndarray[Any, Any]

_C, _F, _OWNS, _WRITES_BACK = 0x1, 0x2, 0x4, 0x2000
WHOSE = _C | _F | _OWNS | _WRITES_BACK
"""The flags of an array that say whose memory it has, and whether that is without gaps."""
OWNERS = frozenset((_C | _OWNS, _F | _OWNS, _C | _F | _OWNS))
"""What is left of these where it has memory of its own, without gaps."""

FLOATS = (float, np.float64)
"""Types of numbers of which a call is not asked the value."""

# Two C types of one size are equal dtypes, but not the same: hence the character.
about = attrgetter("dtype", "dtype.char", "shape", "flags.num")
"""What there is to see of an array, but for what is in it and where."""

Placed = Sequence[tuple[str, int, Resolver]]
"""Paths, the place of each among the values that are handed over or -1, and what finds it."""


Seen: TypeAlias = tuple[
    tuple[Any, ...], Sequence[Array], Sequence[int | float | bool], tuple[object, ...]
]
"""What is seen of a call: a mark that is equal for calls with equal type keys, numbers and shapes;
arrays and numbers in the order of their paths; and the functions of which the mark has numbers,
which are theirs as long as somebody keeps them.  Not named, for that would take a tenth of it."""


def apart(arrays: Collection[Array]) -> bool:
    """Whether these are all different, of such as own their memory."""
    return len(set(map(id, arrays))) == len(arrays)


def owning(arrays: Iterable[Array]) -> bool:
    """Whether each of these owns memory without gaps: it is in the marks of calls."""
    return all(array.flags.num & WHOSE in OWNERS for array in arrays)


class Glance:
    """Looks at the calls of one nest.

    Attributes
    ----------
    arrays, numbers
        Paths, in order.
    places_of_arrays, places_of_numbers
        Their places among the values that are handed over, or -1.
    roots
        The names of these.
    """

    __slots__ = (
        "arrays", "calls", "numbers", "of_arrays", "of_numbers", "places_of_arrays",
        "places_of_numbers", "roots",
    )  # fmt: skip

    def __init__(
        self, arrays: Placed, numbers: Placed, calls: Placed, roots: tuple[str, ...]
    ) -> None:
        self.arrays = tuple(path for path, _, _ in arrays)
        self.numbers = tuple(path for path, _, _ in numbers)
        self.of_arrays, self.of_numbers = _finder(arrays), _finder(numbers)
        self.calls, self.roots = calls, roots
        self.places_of_arrays = tuple(place for _, place, _ in arrays)
        self.places_of_numbers = tuple(place for _, place, _ in numbers)

    def seen(self, said: Said) -> Seen | None:
        """What there is to see of a call, or None where it takes more than a glance.

        Raises
        ------
        Refused
            For live-ins that are never taken.
        """
        ndarray = np.ndarray
        arrays = self.of_arrays(said)
        for array in arrays:
            if type(array) is not ndarray:
                return None
        mark: list[Any] = list(map(about, arrays))
        numbers = self.of_numbers(said)
        for number in numbers:
            kind = type(number)
            if kind in FLOATS:
                mark.append(kind)
            elif kind is int or kind is bool:
                mark += (kind, number)
            else:
                return None
        functions: list[object] = []
        for path, place, resolve in self.calls:
            function = said.roots[place] if place >= 0 else None
            if type(function) is type:  # as `range` is
                mark.append(id(function))
                functions.append(function)
                continue
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
        return tuple(mark), arrays, numbers, tuple(functions)


def _finder(placed: Placed) -> Callable[[Said], Sequence[Any]]:
    """What finds all of these in a call, in order."""
    places = [place for _, place, _ in placed]
    if len(places) > 1 and min(places) >= 0:
        pick = itemgetter(*places)
        return lambda said: pick(said.roots)
    return lambda said: [said.roots[p] if p >= 0 else resolve(said) for _, p, resolve in placed]
