"""Parts of a reduction joined: what the source order would have come to, or not at all."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autopar.kernel import Reduction
from autopar.nest import kinds
from autopar.nest.ir import HELD

Array = np.ndarray[Any, Any]

_REPLACES: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda new, old: bool(old),
    "or": lambda new, old: not old,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_UFUNC = {
    "+": np.add,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}


def value(tag: int, cell: Any) -> Any:
    """The number in a cell, of the type that its tag stands for."""
    atom = kinds.ATOMS[tag - 1]
    if kinds.is_python(atom):
        return kinds.PYTHON[atom](cell)
    return np.dtype(kinds.dtype(atom)).type(cell)


def chosen(reduction: Reduction, tags: Sequence[int], cells: Array, rows: range) -> int | None:
    """The row that the source order would have kept, 0 for the value from before the loop.

    None where that value leaves it open: a nan that is not replaced in one order and is in another.
    And where a part has that value although another has found an equal one, of another type or a
    zero of the other sign: if it has found nothing, it does not replace that.
    """
    replaces, kept = _REPLACES[reduction.op], 0
    found = cells.tolist()
    if reduction.ordered and found[0] != found[0]:
        return None
    for row in rows:
        if not tags[row]:
            continue
        new, old = found[row], found[kept]
        if tags[row] != tags[kept]:  # of one type, they compare as Python's numbers, much sooner
            new, old = value(tags[row], cells[row]), value(tags[kept], cells[kept])
        if replaces(new, old):
            if reduction.op in ("<=", ">=") and not reduction.taken:
                alike = _same(tags, found, row, 0) and not _same(tags, found, row, kept)
                if alike and new == old:
                    return None
            kept = row
    return kept


def _same(tags: Sequence[int], found: Sequence[Any], one: int, two: int) -> bool:
    """Whether two rows, none with a nan, have the same, to the type and to the bit."""
    if tags[one] != tags[two] or found[one] != found[two]:
        return False
    return math.copysign(1.0, found[one]) == math.copysign(1.0, found[two])


def total(
    reduction: Reduction, tags: Sequence[int], cells: Array, rows: range, spans: Array | None
) -> tuple[int, Any] | None:
    """Tag and value of all parts together, `rows` in order after row 0; None where unsure.

    Parameters
    ----------
    spans
        Of each row, the greatest and the least value on the way, where NumPy warns of overflow.
    """
    parts = [row for row in rows if tags[row]]
    if not parts:
        return tags[0], cells[0]
    # NumPy's atoms come after Python's: a sum that is NumPy's once stays so.
    tag, join = max(tags[row] for row in (0, *parts)), _JOIN[reduction.op]
    atom = kinds.ATOMS[tag - 1]
    dtype = np.dtype(kinds.dtype(atom))
    if dtype == np.float64:  # Python's floats are added as NumPy's are, sooner, and never warn
        return tag, functools.reduce(join, [float(cells[row]) for row in (0, *parts)])
    if dtype.kind not in "iu":
        with np.errstate(all="ignore"):
            found = value(tag, cells[0])
            for row in parts:
                found = join(found, value(tag, cells[row]))
        return tag, found
    limits = np.iinfo(dtype)
    found = int(cells[0])
    if not limits.min <= found <= limits.max:
        return None
    for row in parts:
        if spans is not None:
            ways = [join(found, _int(end, dtype)) for end in spans[row]]
            if not all(limits.min <= way <= limits.max for way in ways):
                return None
        found = join(found, int(cells[row]))
    if not limits.min <= found <= limits.max:
        if kinds.is_python(atom) or spans is not None:
            return None
        found = _wrapped(found, limits)  # the user's errstate ignores it
    return tag, found


def _int(word: Any, dtype: np.dtype[Any]) -> int:
    """An end of a span, which travels in an int64 whatever its own type is."""
    found = int(word)
    return found % 2**64 if dtype == np.uint64 else found


def _wrapped(number: int, limits: Any) -> int:
    low, high = int(limits.min), int(limits.max)
    return (number - low) % (high - low + 1) + low


def copies(reduction: Reduction, array: Array, count: int) -> list[Array]:
    """Arrays for `count` parts to update in place of `array`; of the same layout."""
    if reduction.private:
        # The last part leaves the final contents, so it works on the array itself.
        held = reduction.name.startswith(HELD)  # of which nothing but what was written is read
        own = (np.empty_like(array) if held else array.copy(order="K") for _ in range(count - 1))
        return [*own, array]
    if reduction.chooses:
        return [array.copy(order="K") for _ in range(count)]
    neutral: Any = {"*": 1, "&": -1}.get(reduction.op, 0)
    if reduction.op == "+" and array.dtype.kind in "fc":
        neutral = -0.0
    first = np.empty_like(array, order="K", subok=False)
    first[...] = np.array(neutral).astype(array.dtype)
    return [first, *(first.copy(order="K") for _ in range(count - 1))]


def fits(op: str, array: Array, parts: Sequence[Array], spans: Array) -> bool:
    """Whether no sum or product in the source order can have left the dtype of `array`.

    A bound: the ends of all parts together, added to the greatest and the least element; for a
    product, of magnitudes, a part counting at least 1 for the elements that it does not update.
    """
    if not array.size:
        return True
    limits = np.iinfo(array.dtype)
    high, low = int(array.max()), int(array.min())
    ends = [[_int(end, array.dtype) for end in spans[row]] for row in range(1, len(parts) + 1)]
    if op == "*":
        size = max(high, -low)
        for most, least in ends:
            size *= max(1, most, -least)
        return size <= int(limits.max)
    for most, least in ends:
        high, low = high + max(0, most), low + min(0, least)
    return limits.min <= low and high <= limits.max


def tied(reduction: Reduction, array: Array, parts: Sequence[Array]) -> bool:
    """Whether zeros of both signs meet in an element, of which the last one written would stay.

    Nobody knows whether a part has written an element that has the value from before.
    """
    if reduction.op not in ("<=", ">=") or array.dtype.kind != "f":
        return False
    every = [array, *parts]
    positive = np.logical_or.reduce([(one == 0) & ~np.signbit(one) for one in every])
    negative = np.logical_or.reduce([(one == 0) & np.signbit(one) for one in every])
    return bool((positive & negative).any())


def gather(reduction: Reduction, array: Array, parts: Sequence[Array]) -> None:
    """Join `parts` into `array`, in order."""
    with np.errstate(all="ignore"):
        for part in parts:
            if reduction.chooses:
                np.copyto(array, part, where=_REPLACES[reduction.op](part, array))
            else:
                _UFUNC[reduction.op](array, part, out=array)
