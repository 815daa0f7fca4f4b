"""Whole-array values: how long they are along each axis, and how one element is computed.

Nothing is stored in between: the elements of ``a[1:] + b[:-1]`` are ``a[k + 1] + b[k]``, which is
how chains of element-wise operations become one loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autopar.nest.ir import Expr
from autopar.nest.polynomial import Polynomial, number
from autopar.records import dataclass, replace

Index = tuple[Polynomial, ...]
ZERO, ONE = number(0), number(1)


@dataclass(frozen=True, slots=True)
class Section:
    """A value with axes: a part of an array, or computed from others.

    Attributes
    ----------
    extents
        Along each axis; a literal 1 stretches to any other.
    compute
        The element at an index, with accesses of its own each time; None for a part of an array.
    path, where
        That array, and the subscripts there of the element at an index.
    mask, masked
        Whether the element at an index is meant at all, and on how many of its axes that depends;
        only for targets.
    distinct
        Whether no two indices are one and the same element of `path`.
    boolean, counting, real
        Whether elements are NumPy's bools, integers, or floats, as far as that is known.
    signed, unsigned
        Whether they are integers with a sign, or without one, as far as that is known.
    double
        Whether they are floats of double precision, as far as that is known.
    ordered
        Whether NumPy lays it out, or what it computes from it, in C order.
    forwards
        Whether NumPy goes through its elements upwards in memory, as far as that is known.
    dtype
        That of a new array, where it does not follow from its elements.
    shared
        Whether it is computed here, but a view of an array for NumPy.
    listed
        How many of its axes, from the first on, are those of lists, which have elements and a
        length and nothing else.
    new
        Whether `path` is an array of its own, of which nobody else knows.
    """

    extents: Index
    compute: Callable[[Index], Expr] | None = None
    path: str = ""
    where: Callable[[Index], Index] = tuple
    mask: Callable[[Index], Expr] | None = None
    masked: int = 0
    distinct: bool = True
    boolean: bool = False
    counting: bool = False
    real: bool = False
    signed: bool = False
    unsigned: bool = False
    double: bool = False
    ordered: bool = True
    forwards: bool = True
    dtype: str | None = None
    new: bool = False
    shared: bool = False
    listed: int = 0

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.extents)

    @property
    def fresh(self) -> bool:
        """Whether it is a new array, rather than a view of one."""
        return self.new or self.compute is not None


@dataclass(frozen=True, slots=True)
class Run:
    """An axis of which a subscript takes `extent` elements, from `start` on, each `step`.

    A step that is no literal is positive.
    """

    extent: Polynomial
    start: Polynomial = ZERO
    step: int | Polynomial = 1

    def place(self, k: Polynomial) -> Polynomial:
        """Where the element `k` is."""
        return self.start + k * (number(self.step) if isinstance(self.step, int) else self.step)

    @property
    def backwards(self) -> bool:
        return isinstance(self.step, int) and self.step < 0


@dataclass(frozen=True, slots=True)
class Place:
    """An axis of which a subscript takes one element."""

    index: Polynomial


@dataclass(frozen=True, slots=True)
class New:
    """An axis that the subscript adds, of extent 1."""


Item = Run | Place | New


def even(section: Section, axis: int) -> bool:
    """Whether it is known how far apart elements of an array lie along an axis of a part of it."""
    first = [ZERO] * section.rank
    ends = [section.where((*first[:axis], one, *first[axis + 1 :])) for one in (ZERO, ONE)]
    return all((two - one).literal is not None for one, two in zip(*ends, strict=True))


def part(whole: Section, items: Sequence[Item]) -> Section:
    """What a subscript takes of a part of an array: one item for each axis of it, and new ones."""
    extents = tuple(
        item.extent if isinstance(item, Run) else ONE
        for item in items
        if not isinstance(item, Place)
    )

    def where(index: Index) -> Index:
        rest, found = iter(index), []
        for item in items:
            match item:
                case Place(index=place):
                    found.append(place)
                case Run():
                    found.append(item.place(next(rest)))
                case New():
                    next(rest)
        return whole.where(tuple(found))

    forwards = not any(isinstance(item, Run) and item.backwards for item in items)
    chosen = sum(isinstance(item, Place) for item in items[: whole.listed])
    return replace(
        whole,
        listed=whole.listed - chosen,
        extents=extents,
        where=where,
        ordered=whole.ordered and forwards,
        forwards=whole.forwards and forwards,
    )


def turned(whole: Section) -> Section:
    """With its axes in reverse order."""

    def where(index: Index) -> Index:
        return whole.where(index[::-1])

    return replace(
        whole,
        extents=whole.extents[::-1],
        where=where,
        ordered=whole.ordered and whole.rank < 2,
    )


def stretched(section: Section, extents: Index) -> Index:
    """Those of `extents` along which broadcasting repeats the elements of a section."""
    left = len(extents) - section.rank
    own = zip(extents[max(left, 0) :], section.extents[max(-left, 0) :], strict=True)
    return extents[: max(left, 0)] + tuple(one for one, two in own if two == ONE != one)


def aligned(section: Section, index: Index) -> Index:
    """The index of the element that broadcasting puts at `index`."""
    missing = section.rank - len(index)  # axes of extent 1
    own = (ZERO,) * missing + index if missing > 0 else index[-missing:]
    return tuple(
        ZERO if extent == ONE else i for extent, i in zip(section.extents, own, strict=True)
    )
