"""Nests that look up integers in dictionaries and sets: arrays in place of these, and the run.

How far from 0 new keys are, nobody knows: kernels give up beyond the room that there is for them,
and run again with more.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np

from autopar import pipeline
from autopar.nest import kinds
from autopar.nest.ir import Nest
from autopar.nest.values.new_keys import get_keys
from autopar.nest.values.tables import DOWN, TABLE, UP, asked, gone_through, lettered, roots_of
from autopar.runtime.stand_ins.drawn import Runs
from autopar.runtime.values.dicts import DICTS, kind_of
from autopar.runtime.values.facts import Keys, Table, Values
from autopar.runtime.values.lent import Lent
from autopar.runtime.values.plain import type_name
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST = 1 << 12  # keys: they are gone through at each call
_FARTHEST = 1 << 16  # from 0
_NOWHERE = (
    1 << 62
)  # where the values of numbers stand that are no keys, if there are to be new ones
_ROOM, _MORE, _MOST_ROOM = 1 << 12, 1 << 4, 1 << 20  # from 0, for these
_ROOMY = 8  # calls in a row with far more room than they need

E = TypeVar("E", bound=Runs)
Array = np.ndarray[Any, Any]
Places = tuple[Array, Array]
NO_DICT = ""
"""In place of what a dictionary does about new keys: of what is only asked with ``in``."""
Check = Callable[[Nest, dict[str, Table], dict[str, Table]], None]


class NoRoom(Exception):
    """Kernels have given up, maybe for lack of room for a new key; all is as it was before."""


class Tables(Generic[E]):
    """A nest without its dictionaries, and what runs it.

    Parameters
    ----------
    nest
        With them.
    kinds
        What they do about keys that they have not, by path.
    written
        Paths that it may write.
    """

    def __init__(
        self, nest: Nest, kinds: Mapping[str, str], written: Collection[str], engine: E
    ) -> None:
        self.nest, self.written, self.engine = nest, written, engine
        self.paths = tuple(sorted(kinds))
        self.stored = tuple(path for path in self.paths if path in written)
        self.told = asked(nest)
        self.new_keys = get_keys(nest.loop, kinds)
        self.letters = lettered(nest, kinds)
        self.through = gone_through(nest.loop)
        self.room, self.roomy = _ROOM, 0
        self.known: dict[str, tuple[tuple[int, ...], Places]] = {}

    def roots(self, roots: tuple[Any, ...], values: Values) -> tuple[Any, ...]:
        """`roots` and what is in the dictionaries now; raises `Refused`."""
        if any(type(table) is list for table in values.dicts.values()) and self.changes(values):
            raise self.refused("a list is asked with in where one is changed")
        tables = [values.dicts[path] for path in self.paths]
        if self.stored and len(set(map(id, tables))) < len(tables):
            raise self.refused(f"{self.stored[0]} has another name as well")
        return (*roots, *(one for path in self.paths for one in self.arrays(path, values)))

    def changes(self, values: Values) -> bool:
        """Whether the nest changes any list."""
        return bool(values.extended) or any(path in values.lists.mirrors for path in self.written)

    def call(
        self, roots: tuple[Any, ...], lent: Lent | None, values: Values, check: Check | None
    ) -> tuple[Any, ...] | None:
        """Run it, and give the dictionaries the values that it stores.

        Parameters
        ----------
        check
            What compares them to the values that the interpreter has stored meanwhile, if it has.
        """
        if not self.stored and check is None:
            return self.engine.call(roots, lent)
        tables = {
            path: table
            for path, table in values.dicts.items()
            # To read one may add a key to it, where the interpreter does that.
            if path in self.stored or (check is not None and type(table) in DICTS)
        }
        before = {} if check is None else {path: dict(one) for path, one in tables.items()}
        results, more = None, False
        try:
            results = self.engine.call(roots, lent)
        except NoRoom:
            more = True
        wanted = {path: dict(tables[path]) for path in before}  # what the interpreter makes of them
        for path, had in before.items():
            if not _is_as_before(tables[path], had):  # else somebody may be going through it
                dict.clear(tables[path])
                dict.update(tables[path], had)  # that of a `Counter` would add
        if more:
            self.room *= _MORE
            own = roots[: len(roots) - sum(map(self.count, self.paths))]
            try:
                again = self.roots(own, values)
            except Refused:  # another thread has changed a dictionary
                return None
            return self.call(again, lent, values, check)
        if results is None:
            return None
        first = len(roots)
        for path in reversed(self.paths):
            first -= self.count(path)
            if path in self.stored:
                found = roots[first : first + self.count(path)]
                self.give(path, tables[path], values.keys[path], *found)
        if check is not None:
            check(self.nest, wanted, tables)
        return results

    def count(self, path: str) -> int:
        """How many arrays and lists stand for a dictionary."""
        return len(roots_of("", path in self.new_keys, path in self.through))

    def give(
        self,
        path: str,
        table: Table,
        keys: Keys,
        found: list[Any],
        up: Array,
        down: Array,
        others: Sequence[Any] = (),
    ) -> None:
        """A dictionary gets the values that are `found` for its `keys`, and for `others`.

        But only those that the nest has changed: other threads may have changed others.
        """
        said = chr if path in self.letters else _itself
        more = others if path in self.new_keys else ()
        for key, old, new in zip(map(said, keys.numbers), keys.values, found, strict=False):
            if not _unchanged(old, new):
                table[key] = new
        dict.update(table, zip(map(said, more), found[len(keys.numbers) :], strict=True))
        self.needs(max(map(abs, (*keys.numbers, *more)), default=0))

    def needs(self, farthest: int) -> None:
        """There is less room for new keys after some calls that need less."""
        self.roomy = self.roomy + 1 if farthest * _MORE < self.room > _ROOM else 0
        if self.roomy > _ROOMY:
            self.room, self.roomy = self.room // _MORE, 0

    def arrays(self, path: str, values: Values) -> tuple[Any, ...]:
        """What stands for a dictionary; see `roots_of`.

        Raises
        ------
        Refused
            Where its keys are not few integers near 0.
        """
        table = values.dicts[path]
        told = path in self.told  # whether there is a key is all that is asked
        grows = path in self.new_keys
        what = type(table).__name__
        if not (table or told or grows):
            raise self.refused(f"{path} is an empty {what}")
        if len(table) > _MOST:
            raise self.refused(f"{path} is a {what} of more than {_MOST} keys")
        # At once: other threads may change it.
        items = tuple(dict.items(table) if type(table) in DICTS else ((key, None) for key in table))
        found: tuple[Any, ...] = tuple([key for key, _ in items])
        if path in self.letters:
            if not all(type(key) is str and len(key) == 1 for key in found):
                raise self.refused(f"{path} is a {what} whose keys are no single characters")
            found = tuple(map(ord, found))
        if not all(kind is int or issubclass(kind, np.integer) for kind in set(map(type, found))):
            raise self.refused(f"{path} is a {what} whose keys are no integers")
        keys = tuple(dict.fromkeys(int(key) for key in found))
        values.keys[path] = Keys(keys, tuple([value for _, value in items]))
        farthest = _MOST_ROOM if grows else _FARTHEST
        if keys and (max(keys) >= farthest or min(keys) < -farthest):
            raise self.refused(f"{path} is a {what} with keys far from 0")
        lists = not grows and all(type(value) in (list, tuple) for _, value in items)
        if not (told or lists) and items and kinds.atom_of(items[0][1]) is None:
            raise self.refused(f"{path} is a {what} of {type_name(items[0][1])}")
        if grows:
            return [value for _, value in items], *places(keys, self.room), []
        each = (found,) if path in self.through else ()
        if each and not all(type(key) is int for key in found):
            raise self.refused(f"{path} is a {what} whose keys are no ints of Python's")
        known = self.known.get(path)
        if known is None or known[0] != keys:
            known = self.known[path] = keys, places(keys)
        if told:
            return np.empty(len(keys), np.int64), *known[1]
        held = [value for _, value in items]
        return held if path in self.stored else tuple(held), *known[1], *each

    def refused(self, detail: str) -> Refused:
        return Refused(Refusal(Reason.NOT_ARRAY, Span(self.nest.file, self.nest.loop.line), detail))


def _itself(key: Any) -> Any:
    return key


def _is_as_before(table: Table, had: dict[Any, Any]) -> bool:
    """Whether a dictionary has the very same things in the same order."""
    if len(table) != len(had):
        return False
    now, before = (chain.from_iterable(dict.items(one)) for one in (table, had))
    return all(map(operator.is_, now, before))


def _unchanged(old: Any, new: Any) -> bool:
    """Whether a number is the very same, or one that nobody can tell from it."""
    if old is new:
        return True
    return type(old) is type(new) and old == new and (new != 0 or repr(old) == repr(new))


def may_want_room(values: Values, written: Collection[str]) -> bool:
    """Whether kernels may have given up for lack of room for new keys."""
    return any(
        path.startswith(TABLE) and path in written and array.ndim and len(array) < _MOST_ROOM
        for path, array in values.arrays.items()
        if path.endswith((UP, DOWN))
    )


def places(keys: tuple[int, ...], room: int = 0) -> Places:
    """For each key from 0 up, and from the end for each below, its position in `keys`.

    Parameters
    ----------
    room
        How far from 0 there are to be new ones; 0: nowhere.
    """
    nowhere = _NOWHERE if room else len(keys)
    up = np.full(max((room, 1 + max((0, *keys)))), nowhere, np.int64)
    down = np.full(max(room, -min((-1, *keys))), nowhere, np.int64)
    for place, key in enumerate(keys):
        (up if key >= 0 else down)[key] = place
    up.flags.writeable = down.flags.writeable = bool(room)  # else nobody's but ours
    return up, down


def without_dicts(
    nest: Nest, values: Values, written: Collection[str], engine: Callable[[Nest], E]
) -> Refusal | Tables[E]:
    """`nest` with arrays in place of its dictionaries; `engine` makes what runs it."""
    kinds = {path: kind_of(table) or NO_DICT for path, table in values.dicts.items()}
    for path, kind in kinds.items():
        if kind == NO_DICT and type(values.dicts[path]) in DICTS:
            return Refusal(
                Reason.SHADOWED, Span(nest.file, nest.loop.line), f"a method of {path}, a Counter"
            )
    made = pipeline.tabled(nest, kinds)
    return made if isinstance(made, Refusal) else Tables(nest, kinds, written, engine(made))
