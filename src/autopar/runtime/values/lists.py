"""Lists of numbers, of such lists, or of arrays, as arrays for the time of one call.

A list holds its numbers as objects, which kernels cannot work on.  So they work on an array of
the same numbers, and what has changed there is put back into the very lists when all is done.

At first only the first elements are looked at: they say what array it would be, which is enough to
decide on.  Only for a nest that is going to run, all elements are read, and must be as the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, repeat, takewhile
from operator import is_
from typing import Any, NoReturn

import numpy as np

from autopar.nest.hidden import FRESH, ORDER, STORED, TYPES
from autopar.nest.typed.told import Held
from autopar.records import replace
from autopar.runtime.values import mixed
from autopar.runtime.values.mirrors import (
    READ,
    Copied,
    Mirror,
    fill,
    holds_the_same,
    mirror,
    of_two,
    refused,
    rows_of,
)
from autopar.runtime.values.unchanged import LEAST, changed, learn
from autopar.verdict import Reason

Array = np.ndarray[Any, Any]


class Lists:
    """The lists of one call."""

    __slots__ = ("copied", "mirrors", "orders", "renewed", "values")

    def __init__(self) -> None:
        # By identity of a list of lists: where its rows are, as numbers of those that were there.
        self.orders: dict[int, Array] = {}
        self.renewed: dict[int, Array] = {}  # likewise: which rows are new lists
        self.mirrors: dict[str, Mirror] = {}
        # By identity: a list is one array, whatever it is called.
        self.values: dict[int, Mirror] = {}
        self.copied: tuple[Copied, ...] | None = None

    def add(
        self, path: str, value: Sequence[Any], seen: dict[int, Mirror], pair: mixed.Pair | None
    ) -> Mirror:
        """The mirror of the list behind `path`; raises `Refused`.

        Parameters
        ----------
        seen
            Mirrors of lists, by their `id`, that other nests have had made for this call.
        pair
            The two types that its elements are known to have.
        """
        found = self.values.get(id(value))
        if found is None:
            found = seen.get(id(value))
            if found is None:
                found = seen[id(value)] = mirror(path, value)
            if pair is not None and found.atom in pair and not found.inner:
                found = of_two(found, pair)
            self.values[id(value)] = found
        self.mirrors[path] = found
        return found

    def names(self, value: list[Any]) -> set[str]:
        """Paths of `value`, and of lists in which it is."""
        mirrors = self.mirrors.items()
        return {p for p, one in mirrors if _reaches(one.value, value, one.holders)}

    @property
    def tables(self) -> frozenset[str]:
        """Paths of lists of lists of numbers."""
        found = self.mirrors.items()
        return frozenset(p for p, one in found if one.holders == (list, list) and not one.inner)

    def order(self, path: str) -> Array:
        """The array that says where the rows of the list of lists `path` are; raises `Refused`."""
        one = self.table(path)
        return self.orders.setdefault(id(one.value), np.arange(len(one.value)))

    def fresh(self, path: str) -> Array:
        """The array that says which of them are new lists; raises `Refused`."""
        one = self.table(path)
        return self.renewed.setdefault(id(one.value), np.zeros(len(one.value), np.int64))

    def table(self, path: str) -> Mirror:
        """The list of lists `path`, in which other lists may be put; raises `Refused`."""
        one = self.mirrors.get(path)
        if one is None or one.inner or one.holders != (list, list):
            raise refused(Reason.WRONG_TYPE, f"the rows of {path}")
        if any(other is one for name, other in self.mirrors.items() if name != path):
            raise refused(Reason.OVERLAP, f"{path} has another name as well")
        return one

    @property
    def depths(self) -> dict[str, int]:
        """How many axes of each are those of lists, by path."""
        return {path: len(one.holders) for path, one in self.mirrors.items()}

    @property
    def fixed(self) -> frozenset[str]:
        """Paths of those of which a part is no list."""
        return frozenset(path for path, one in self.mirrors.items() if one.holders[-1] is not list)

    @property
    def paths(self) -> frozenset[str]:
        """Of all arrays that have to do with them."""
        notes = (path + STORED for path, one in self.mirrors.items() if one.stored is not None)
        types = (path + TYPES for path, one in self.mirrors.items() if one.types is not None)
        moved = (path for path, one in self.mirrors.items() if id(one.value) in self.orders)
        orders = (path + ORDER for path in moved)
        new = (p + FRESH for p, one in self.mirrors.items() if id(one.value) in self.renewed)
        return frozenset((*self.mirrors, *notes, *types, *orders, *new))

    def widened(self, weak: Collection[str]) -> Iterator[tuple[str, Mirror]]:
        """Mirrors for floats of the lists `weak`, which hold ints; raises `Refused`."""
        for one in {id(m): m for path, m in self.mirrors.items() if path in weak}.values():
            names = [path for path, mirror in self.mirrors.items() if mirror is one]
            ints = [path for path in names if path not in weak]
            if ints:
                detail = f"{ints[0]} holds int, float is stored"
                raise refused(Reason.MIXED_TYPE, detail)
            shape = one.array.shape
            stored = np.zeros(shape, np.bool_)
            wide = replace(one, array=np.zeros(shape), stored=stored, known=None)
            self.values[id(one.value)] = wide
            self.mirrors.update(dict.fromkeys(names, wide))
            yield from ((path, wide) for path in names)

    def noted(self, pairs: Mapping[str, mixed.Pair]) -> Iterator[tuple[str, Mirror]]:
        """Mirrors with types beside their elements for lists whose elements have one of two."""
        for one in {id(m): m for path, m in self.mirrors.items() if path in pairs}.values():
            names = [path for path, mirror in self.mirrors.items() if mirror is one]
            pair = next(pairs[path] for path in names if path in pairs)
            for path in names:
                if pairs.get(path) != pair:  # read without their types, or as others
                    raise refused(Reason.MIXED_TYPE, f"{path} has another name as well")
            types = np.zeros(one.array.shape, np.int8)
            with_types = replace(of_two(one, pair), types=types)
            self.values[id(one.value)] = with_types
            self.mirrors.update(dict.fromkeys(names, with_types))
            yield from ((path, with_types) for path in names)

    def read(self, written: Collection[str], arrays: dict[str, Array]) -> None:
        """Fill all arrays, once; `written` are those of `arrays` that the nest may write.

        Those that stood for a list which has changed are replaced.

        Raises
        ------
        Refused
            Where a list is not what its first elements promise, or where what is written would be
            in two arrays.
        """
        if self.copied is not None:
            return
        targets = {path: arrays[path] for path in written if path not in self.mirrors}
        changing = {id(self.mirrors[path]) for path in written if path in self.mirrors}
        copied: list[Copied] = []
        for one in tuple(self.values.values()):
            rows = rows_of(one)
            plain = not one.inner and one.stored is None and one.types is None
            plain = plain and one.holders[0] not in READ
            lasting = plain and one.array.size >= LEAST and id(one) not in changing
            if one.known is not None:
                if lasting and holds_the_same(one.known, rows):
                    copied.append(Copied(one, rows, None))
                    continue
                changes = id(one) in changing
                one = self.afresh(one, arrays)
                if changes:
                    changing.add(id(one))
            try:
                fill(one, rows, targets)
            except mixed.Mixed as found:
                names = (path for path, other in self.mirrors.items() if other is one)
                raise mixed.Mixed(found.refusal, found.pair, names) from None
            if lasting and one.native is not None:
                learn(one.value, one.holders, one.atom, one.array, rows)
            if id(one) in changing and _holds_nan(one.array):
                # Lists take the very same nan to be equal: who sees which elements were assigned?
                raise refused(Reason.WRONG_TYPE, f"{one.path}, a nan in a list that is written")
            before = one.array.copy() if id(one) in changing else None
            types = None if before is None or one.types is None else one.types.copy()
            copied.append(Copied(one, rows, before, types))
        _apart(copied)
        self.copied = tuple(copied)

    def afresh(self, one: Mirror, arrays: dict[str, Array]) -> Mirror:
        """`one` with an array of its own, in place of that of an earlier call, among `arrays`."""
        changed(one.value)
        made = replace(one, array=np.zeros(one.array.shape, one.array.dtype), known=None)
        self.values[id(one.value)] = made
        for path in [path for path, other in self.mirrors.items() if other is one]:
            self.mirrors[path] = made
            arrays[path] = made.array
        return made

    def without_nan(self, paths: Collection[str], numbers: Mapping[str, Any]) -> None:
        """Raise `Refused` where there is a nan among these lists and numbers."""
        for path in paths:
            found = self.mirrors.get(path)
            number = numbers.get(path)
            if number != number or (found is not None and _holds_nan(found.array)):
                raise refused(Reason.WRONG_TYPE, f"{path}, a nan that lists compare by identity")

    def prepare(self) -> None:
        """Have made what `put_back` needs."""
        for one in self.copied or ():
            one.writer()

    def put_back(self) -> None:
        """Let the lists be what the arrays have become."""
        for one in self.copied or ():
            order = self.orders.get(id(one.mirror.value))
            fresh = self.renewed.get(id(one.mirror.value))
            now = one if order is None else one.reordered(order)
            (now if fresh is None else now.renewed(fresh)).put_back()

    def rows(self) -> list[list[Any]]:
        """All lists in which numbers are, and those in which rows may be moved or replaced."""
        rows = {id(row): row for one in self.copied or () for row in one.rows}
        moved = {*self.orders, *self.renewed}
        rows |= {id(m.value): m.value for m in self.values.values() if id(m.value) in moved}
        return [row for row in rows.values() if isinstance(row, list)]

    def value(self, path: str) -> Any:
        """The list behind `path`, or None where that is none."""
        found = self.mirrors.get(path)
        return None if found is None else found.value


NO_LISTS = Lists()
"""Of a call that has none."""


def known_held(arrays: Mapping[str, Array], lists: Lists) -> dict[str, Held]:
    """What `tuples` needs to know of the arrays of a call, some of which stand for `lists`."""
    found = {}
    for path, array in arrays.items():
        one = lists.mirrors.get(path)
        holders = () if one is None else one.holders
        fixed = len(list(takewhile(lambda kind: kind is tuple, reversed(holders))))
        found[path] = Held(array.shape, fixed, one is not None)
    return found


def _holds_nan(array: Array) -> bool:
    """Whether there is a nan in it; their sum tells most arrays that have none."""
    if array.dtype.kind not in "fc":
        return False
    with np.errstate(all="ignore"):
        return bool(np.isnan(array.sum()) and np.isnan(array).any())


def _reaches(holder: Sequence[Any], value: list[Any], types: tuple[type, ...]) -> bool:
    """Whether `holder`, and what is in it, of these `types`, is `value` or has it in it."""
    if holder is value:
        return True
    inner = types[1:]
    if (
        list not in inner
    ):  # rows that are no tuples, as the first one is, are met when they are read
        return False
    if len(inner) == 1:
        return any(map(is_, holder, repeat(value)))
    return any(_reaches(row, value, inner) for row in holder)


def _apart(copied: Sequence[Copied]) -> None:
    """Raise `Refused` where a list that is written is met twice."""
    mine = [id(row) for one in copied if one.before is not None for row in one.rows]
    others = (one for one in copied if one.before is None and one.mirror.holders[-1] is list)
    theirs = (map(id, one.rows) for one in others)
    once = set(mine)
    if len(once) == len(mine) and once.isdisjoint(chain.from_iterable(theirs)):
        return
    _name_twice(copied)


def _name_twice(copied: Sequence[Copied]) -> NoReturn:
    """Raise it in words."""
    written: dict[str, set[int]] = {}
    for one in sorted(copied, key=lambda one: one.before is None):
        path = one.mirror.path
        for other, theirs in written.items():
            if not theirs.isdisjoint(map(id, one.rows)):
                raise refused(Reason.OVERLAP, f"{other} and {path} have a list in common")
        if one.before is not None:
            mine = written[path] = set(map(id, one.rows))
            if len(mine) < len(one.rows):
                raise refused(Reason.OVERLAP, f"{path} has the same list in it twice")
    raise AssertionError("no list is met twice")
