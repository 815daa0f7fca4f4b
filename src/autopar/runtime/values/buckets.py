"""Lists of lists to whose rows a nest appends, as one call has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from autopar.records import dataclass
from autopar.runtime.values.mirrors import refused
from autopar.verdict import Reason


@dataclass(frozen=True, slots=True)
class Buckets:
    """One list, `held` by which are lists that are no rows, itself among them.

    Attributes
    ----------
    shape
        How many lists there are along each axis.
    rows
        All of them, those along the last axis beside one another.
    """

    held: tuple[list[Any], ...]
    shape: tuple[int, ...]
    rows: tuple[list[Any], ...]

    @property
    def lists(self) -> Iterator[list[Any]]:
        """All that it consists of."""
        return chain(self.held, self.rows)

    def add(self, items: Iterable[tuple[Any, ...]]) -> None:
        """Append to the rows what comes behind their places."""
        rows, (_, *sizes) = self.rows, self.shape
        if not sizes:
            for place, item in items:
                rows[place].append(item)
            return
        for first, *more, item in items:
            for size, place in zip(sizes, more, strict=True):
                first = first * size + place
            rows[first].append(item)


def buckets(path: str, value: object, depth: int) -> Buckets:
    """The list `value` behind `path`, `depth` subscripts of which lead to a row.

    Raises
    ------
    Refused
        Where it is none, there are not as many rows in each of its lists, or one is in itself.
    """
    level: tuple[Any, ...] = (value,)
    held: tuple[list[Any], ...] = ()
    above: set[int] = set()
    shape: tuple[int, ...] = ()
    for _ in range(depth):
        _only_lists(path, level)
        held += level
        above = _not_above(path, level, above)
        sizes = set(map(len, level))
        if len(sizes) > 1:
            raise refused(Reason.WRONG_TYPE, f"{path} holds lists that are not of one length")
        shape += (sizes.pop() if sizes else 0,)
        level = tuple(chain.from_iterable(level))
    _only_lists(path, level)
    _not_above(path, level, above)
    return Buckets(held, shape, level)


def _not_above(path: str, level: Sequence[object], above: set[int]) -> set[int]:
    """The `id` of all lists so far; raises `Refused` where one of `level` is one of those above."""
    mine = set(map(id, level))
    if not mine.isdisjoint(above):
        raise refused(Reason.OVERLAP, f"{path} is, or has in it, a list that is in itself")
    return above | mine


def _only_lists(path: str, level: Sequence[object]) -> None:
    other = next((one for one in level if type(one) is not list), None)
    if other is not None:
        raise refused(Reason.NOT_ARRAY, f"{path} is, or holds, {type(other).__name__}")


def alone(found: Mapping[str, Buckets], others: set[int]) -> None:
    """See to it that nothing else is, or has in it, what some nest appends to.

    Parameters
    ----------
    others
        The `id` of each list that it reads, or changes in another way.

    Raises
    ------
    Refused
        Where a list is reached in two ways.
    """
    for path, one in found.items():
        mine = set(map(id, one.lists))
        if not mine.isdisjoint(others):
            raise refused(Reason.OVERLAP, f"{path} has a list in it with another name")
        others |= mine


def within(value: Iterable[Any], depth: int) -> Iterator[int]:
    """The `id` of `value` and of all lists in it, down to those within `depth` others."""
    level: Iterable[Any] = (value,)
    for _ in range(depth):
        level = tuple(level)
        yield from map(id, level)
        level = chain.from_iterable(level)
    yield from map(id, level)
