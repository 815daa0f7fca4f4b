"""Which elements of two views share memory, as equations between their subscripts.

Element ``i`` of one view lies at ``sum(strides[k] * i[k])`` from its first one, so two elements
share memory when one linear equation holds.  Written in the strides' own number system it falls
apart into one equation for each pair of axes: for ``a = x[:, :-1]`` and ``b = x[:, 1:]``, where the
rows are far apart, into ``i[0] == j[0]`` and ``i[1] == j[1] + 1``, whatever the sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from autopar.deps.data import Equation
from autopar.records import dataclass, replace

_MOST_TERMS = 6  # of one equation; with more, isl is slow
_MOST_UNLIKE = 3  # of one with different factors: sizes, see `deps.meeting`


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of a view lie, in bytes from its first one."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def simple(self) -> bool:
        """Whether every index tuple certainly has bytes of its own."""
        span = self.itemsize
        sizes = zip(self.strides, self.shape, strict=True)
        for stride, size in sorted((abs(stride), size) for stride, size in sizes):
            if size > 1:
                if stride < span:
                    return False
                span += stride * (size - 1)
        return True


@dataclass(frozen=True, slots=True)
class _Term:
    """``factor * index`` of one axis; `side` 0 is the first view, 1 the second."""

    side: int
    axis: int
    factor: int
    extent: int

    @property
    def range(self) -> tuple[int, int]:
        end = self.factor * (self.extent - 1)
        return (end, 0) if end < 0 else (0, end)


def equations(first: Layout, second: Layout, apart: int) -> tuple[Equation, ...] | None:
    """When element ``i`` of `first` and ``j`` of `second` share a byte.

    Parameters
    ----------
    apart
        Address of the first element of `second`, less that of `first`.

    Returns
    -------
    tuple of Equation, or None
        They share one only where all of these hold, for subscripts within the extents, and always
        there unless an equation was left out as too costly; no equation says that any two may.
        None: no two elements do.

    Notes
    -----
    With ``L = sum(s[k] * i[k]) - sum(t[k] * j[k])`` they share a byte when
    ``apart - first.itemsize < L < apart + second.itemsize``.  `L` is a multiple of the strides'
    greatest common divisor; where only one such multiple lies in between, `L` must be it.  Where
    more do (a ``float32`` view of ``float64`` elements), nothing is said.

    The terms are then split, largest strides first: what the head of the list contributes is fixed
    as soon as only one value of it leaves a rest that the tail can make up.  This is the exact
    counterpart, for known numbers, of what Maslov calls delinearization (*Delinearization: an
    efficient way to break multiloop dependence equations*, PLDI 1992).
    """
    terms = (*_terms(first, 0), *_terms(second, 1))
    unit = math.gcd(*(t.factor for t in terms)) or 1
    low, high = apart - first.itemsize + 1, apart + second.itemsize - 1
    values = _multiples(unit, low, high) if terms else range(low <= 0 <= high)
    if len(values) != 1:
        return () if values else None
    ranks = len(first.shape), len(second.shape)
    ways = (terms, _in_units(terms, 0), _in_units(terms, 1))
    found = [_split(way, values[0], ranks) for way in ways]
    return None if None in found else max((f for f in found if f is not None), key=len)


def _terms(layout: Layout, side: int) -> Iterator[_Term]:
    for axis, (stride, extent) in enumerate(zip(layout.strides, layout.shape, strict=True)):
        if stride and extent > 1:
            yield _Term(side, axis, -stride if side else stride, extent)


def _in_units(terms: Iterable[_Term], side: int) -> list[_Term]:
    """`terms` with each factor as a sum of multiples of the factors of `side`.

    The step along a diagonal is one along the rows and one along the columns.
    """
    units = sorted({abs(t.factor) for t in terms if t.side == side}, reverse=True)
    made = []
    for term in terms:
        rest = term.factor
        for unit in units:
            steps = round(rest / unit)
            if steps:
                made.append(replace(term, factor=steps * unit))
                rest -= steps * unit
        if rest:
            made.append(replace(term, factor=rest))
    return made


def _split(
    terms: Iterable[_Term], total: int, ranks: tuple[int, int]
) -> tuple[Equation, ...] | None:
    """``sum of terms == total`` as equations that hold together; None where nothing can."""
    made = []
    head: list[_Term] = []
    terms = sorted(terms, key=lambda term: -abs(term.factor))
    for k, term in enumerate(terms):
        head.append(term)
        tail = terms[k + 1 :]
        if tail and abs(tail[0].factor) == abs(term.factor):
            continue
        least, most = _sum_range(tail)
        low, high = _sum_range(head)
        unit = math.gcd(*(t.factor for t in head))
        values = _multiples(unit, max(low, total - most), min(high, total - least))
        if not values:
            return None
        if len(values) == 1:
            if len(head) <= (_MOST_TERMS if _alike(head) else _MOST_UNLIKE):
                made.append(_equation(head, unit, values[0], ranks))
            total -= values[0]
            head = []
    return tuple(made)


def _equation(terms: Sequence[_Term], unit: int, value: int, ranks: tuple[int, int]) -> Equation:
    factors = ([0] * ranks[0], [0] * ranks[1])
    extents: tuple[list[int | None], list[int | None]] = ([None] * ranks[0], [None] * ranks[1])
    # Factors beyond 1 come from sizes; what the loops' bounds say of those is not in numbers.
    bounded = not _alike(terms)
    for term in terms:
        sign = -1 if term.side else 1
        factors[term.side][term.axis] += sign * term.factor // unit
        if bounded:
            extents[term.side][term.axis] = term.extent
    return Equation(
        tuple(factors[0]), tuple(factors[1]), value // unit, tuple(extents[0]), tuple(extents[1])
    )


def _alike(terms: Sequence[_Term]) -> bool:
    return len({abs(term.factor) for term in terms}) == 1


def _sum_range(terms: Iterable[_Term]) -> tuple[int, int]:
    ranges = [term.range for term in terms]
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)


def _multiples(unit: int, low: int, high: int) -> range:
    """Multiples of `unit` from `low` to `high`."""
    return range(-(-low // unit) * unit, high + 1, unit)
