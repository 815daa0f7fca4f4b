"""How large values are, and what is in them: a guess that runs nothing of the user's.

Classes are compared, and what is asked is what Python's own classes do: an object of the user's may
answer for its class, its truth and its length, and a dictionary may have itself in it.
"""

from __future__ import annotations

import math

from autopar.runtime.process import UNSET

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_MOST = 1 << 40  # nobody tells larger ones apart
_DEEPEST = 4  # lists in one another
_NESTED = 2  # dictionaries in one another
_FEW, _ROWS = 64, 4  # entries of a dictionary, and of a list of lists, that are looked at
_LOOKS = 256  # at entries of dictionaries, for one value
_NAMED = frozenset(("function", "builtin_function_or_method", "module", "type"))
_ATOMS = frozenset((float, bool, complex, str, type(None)))
_HOLDERS = frozenset((list, tuple, range, dict, str, bytes, bytearray))


def extent(value: object, subscripts: int) -> tuple[int, int] | None:
    """The largest size in `value`, and elements that are worked on as a whole; None: unknown.

    Parameters
    ----------
    subscripts
        How few it is used with.  An array that has more axes is worked on as a whole.
    """
    kind = type(value)
    if value is UNSET:
        return 1, 0
    if kind is int:
        return min(abs(value), _MOST), 0  # type: ignore[arg-type]
    if kind in _HOLDERS:
        length = _Glance().length(value)
        return None if length is None else (length, 0)
    if kind.__module__ == "numpy":
        shape = getattr(value, "shape", None)
        if type(shape) is not tuple:
            return (1, 0) if issubclass(kind, type) else None
        if not shape:
            return _number(value) or 1, 0
        whole = len(shape) > subscripts
        return max(*shape, 1), math.prod(shape[subscripts:]) if whole else 0
    return (1, 0) if kind in _ATOMS or kind.__name__ in _NAMED else None


def length_along(value: object, axis: int, largest: int) -> int:
    """How long `value` is along an axis, where it has any; `largest` where nobody knows."""
    while (kind := _sequence(value)) is not None:
        length = _count(value, kind)
        if axis == 0 or not length:
            return length
        value, axis = _longest(value, kind), axis - 1
    shape = getattr(value, "shape", None) if type(value).__module__ == "numpy" else None
    return shape[axis] if type(shape) is tuple and axis < len(shape) else largest


def is_numpys(value: object) -> bool:
    """Whether it is an array, or a number of NumPy's."""
    kind = type(value)
    return kind.__module__ == "numpy" and not issubclass(kind, type)


class _Glance:
    """A look into one value; `left` is how many more entries of dictionaries may be looked at."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _LOOKS

    def length(self, value: object, nested: int = _NESTED) -> int | None:
        """Of a list or of the lists in it, if these hold numbers; of all in a dictionary."""
        length, depth = 1, 0
        if type(value) in (str, bytes, bytearray):
            assert isinstance(value, str | bytes | bytearray)
            return max(len(value), 1)
        if type(value) is dict:
            return self.of_dictionary(value, nested)
        while depth < _DEEPEST:
            kind = _sequence(value)
            if kind is None:
                break
            count = _count(value, kind)
            if not count:
                return length
            length, depth = max(length, count), depth + 1
            value = _longest(value, kind)
        return length if type(value) in _ATOMS or type(value) is int else None

    def of_dictionary(self, value: dict[Any, Any], nested: int) -> int | None:
        self.left -= len(value)
        if not nested or len(value) >= _FEW or self.left < 0:
            return None
        largest = max(len(value), 1)
        for one in tuple(value.values()):
            found = self.size(one, nested - 1)
            if found is None:
                return None
            largest = max(largest, found)
        return largest

    def size(self, value: object, nested: int) -> int | None:
        """Of an array, a list or a number."""
        if type(value).__module__ == "numpy":
            size = getattr(value, "size", None)
            return size if type(size) is int else None
        return min(abs(value), _MOST) if type(value) is int else self.length(value, nested)


def _longest(value: object, kind: Any) -> object:
    """Of some of its items the one that has the most: rows may be of several lengths."""
    count = _count(value, kind)
    places = range(0, count, -(-count // _ROWS))
    return max((kind.__getitem__(value, k) for k in places), key=_long)


def _long(value: object) -> int:
    kind = _sequence(value)
    return 0 if kind is None else _count(value, kind)


def _sequence(value: object) -> Any:
    """The class of Python's that `value` is of, whatever the user has made of it; None: of none."""
    kind = type(value)
    return next((one for one in (list, tuple, range) if issubclass(kind, one)), None)


def _count(value: Any, kind: Any) -> int:
    """How many items it has, which may be more than Python's `len` can say."""
    if kind is range:
        count: int = -((value.start - value.stop) // value.step)
    else:
        count = kind.__len__(value)
    return min(max(count, 0), _MOST)


def _number(value: object) -> int | None:
    """What may say how often a loop runs."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return min(abs(int(value)), _MOST) if kind in "iu" else None  # type: ignore[call-overload]
