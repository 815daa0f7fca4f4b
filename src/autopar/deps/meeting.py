"""When two accesses are one place in memory, in terms of their subscripts."""

from __future__ import annotations

from collections.abc import Sequence

from autopar.deps.affine import Atom, Linear, at_least, number
from autopar.deps.data import Equation, Facts, Overlap
from autopar.deps.domains import Reach
from autopar.records import dataclass

Index = Sequence[Linear | None]


@dataclass(frozen=True, slots=True)
class Meeting:
    """What must hold of two accesses for both to touch one place; everything that is known.

    Attributes
    ----------
    equal
        Forms of the one and of the other that have the same value.
    first, second
        What holds of the one's and of the other's loop variables alone.
    """

    equal: tuple[tuple[Linear, Linear], ...] = ()
    first: tuple[Atom, ...] = ()
    second: tuple[Atom, ...] = ()


def meeting(one: Reach, two: Reach, facts: Facts) -> Meeting | None:
    """When `one` and `two` meet; None: never."""
    a, b = one.access.array, two.access.array
    for overlap in facts.tangled:
        if (overlap.first, overlap.second) in ((a, b), (b, a)):
            return _overlapping(one, two, overlap, bool(facts.values))
    if a != b and not any(a in group and b in group for group in facts.same):
        return None
    axes = zip(one.index, two.index, strict=False)
    return Meeting(tuple((x, y) for x, y in axes if x is not None and y is not None))


def _overlapping(one: Reach, two: Reach, overlap: Overlap, numbers: bool) -> Meeting:
    """See `meeting`; `numbers`: sizes are numbers in the subscripts, too."""
    plain = len(one.place.guards) == len(two.place.guards) == 1
    equal: list[tuple[Linear, Linear]] = []
    first: list[Atom] = []
    second: list[Atom] = []
    for known in overlap.where:
        equation = known if one.access.array == overlap.first else known.turned()
        if _uneven(equation) and not (numbers and plain):
            continue  # isl may take minutes, for nothing without numbers
        left = _sum(equation.first, one.index)
        right = _sum(equation.second, two.index)
        if left is None or right is None:
            continue  # one condition less: they meet more often
        equal.append((left, right + number(equation.const)))
        first += _within(equation.first_extents, one.index)
        second += _within(equation.second_extents, two.index)
    return Meeting(tuple(equal), tuple(first), tuple(second))


def _uneven(equation: Equation) -> bool:
    """Whether sizes are factors in it, and more than two terms."""
    factors = [abs(factor) for factor in (*equation.first, *equation.second) if factor]
    return len(factors) > 2 and len(set(factors)) > 1


def _sum(factors: Sequence[int], index: Index) -> Linear | None:
    """The subscripts times `factors`; None when one that counts cannot be read."""
    if len(factors) != len(index):
        return None
    total = number(0)
    for factor, axis in zip(factors, index, strict=True):
        if factor:
            if axis is None:
                return None
            total += axis.times(factor)
    return total


def _within(extents: Sequence[int | None], index: Index) -> list[Atom]:
    atoms = []
    for extent, axis in zip(extents, index, strict=True):
        if extent is not None and axis is not None:
            atoms += [at_least(axis, number(0)), at_least(number(extent), axis, 1)]
    return atoms
