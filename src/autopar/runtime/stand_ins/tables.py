"""Nests that look up integers in dictionaries and sets: arrays in place of these, and the run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar

import numpy as np

from autopar import pipeline
from autopar.nest.ir import Nest
from autopar.nest.values.tables import asked
from autopar.runtime.stand_ins.drawn import Runs
from autopar.runtime.values.facts import Table, Values
from autopar.runtime.values.lent import Lent
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST = 1 << 12  # keys: they are gone through at each call
_FARTHEST = 1 << 16  # from 0

E = TypeVar("E", bound=Runs)
Array = np.ndarray[Any, Any]
Places = tuple[Array, Array]
Check = Callable[[Nest, dict[str, Table], dict[str, Table]], None]


class Tables(Generic[E]):
    """A nest without its dictionaries, and what runs it.

    Parameters
    ----------
    nest
        With them.
    paths
        Where they are in it.
    written
        Paths that it may write.
    """

    def __init__(
        self, nest: Nest, paths: tuple[str, ...], written: Collection[str], engine: E
    ) -> None:
        self.nest, self.paths, self.written, self.engine = nest, paths, written, engine
        self.stored = tuple(path for path in paths if path in written)
        self.told = asked(nest)
        self.known: dict[str, tuple[tuple[int, ...], Places]] = {}

    def roots(self, roots: tuple[Any, ...], values: Values) -> tuple[Any, ...]:
        """`roots` and what is in the dictionaries now; raises `Refused`."""
        if any(type(table) is list for table in values.dicts.values()) and self.changes(values):
            raise self.refused("a list is asked with in where one is changed")
        tables = [values.dicts[path] for path in self.paths]
        if self.stored and len(set(map(id, tables))) < len(tables):
            raise self.refused(f"{self.stored[0]} has another name as well")
        pairs = zip(self.paths, tables, strict=True)
        return (*roots, *(one for path, table in pairs for one in self.arrays(path, table)))

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
        if not self.stored:
            return self.engine.call(roots, lent)
        tables = {path: values.dicts[path] for path in self.stored}
        before = {} if check is None else {path: dict(one) for path, one in tables.items()}
        results = self.engine.call(roots, lent)
        wanted = {path: dict(tables[path]) for path in before}  # what the interpreter makes of them
        for path, had in before.items():
            tables[path].clear()
            tables[path].update(had)
        if results is None:
            return None
        first = len(roots) - 3 * len(self.paths)
        for path, table in tables.items():
            new = roots[first + 3 * self.paths.index(path)]
            for key, value in zip(self.known[path][0], new, strict=True):
                if table.get(key) is not value:
                    table[key] = value
        if check is not None:
            check(self.nest, wanted, tables)
        return results

    def arrays(self, path: str, table: Table) -> tuple[Any, ...]:
        """Values, and where they stand for the keys from 0 up and below.

        Raises
        ------
        Refused
            Where its keys are not few integers near 0.
        """
        told = path in self.told  # whether there is a key is all that is asked
        what = type(table).__name__
        if not (table or told):
            raise self.refused(f"{path} is an empty {what}")
        if len(table) > _MOST:
            raise self.refused(f"{path} is a {what} of more than {_MOST} keys")
        # At once: other threads may change it.
        items = tuple(table.items() if type(table) is dict else ((key, None) for key in table))
        found = tuple([key for key, _ in items])
        if not all(kind is int or issubclass(kind, np.integer) for kind in set(map(type, found))):
            raise self.refused(f"{path} is a {what} whose keys are no integers")
        keys = tuple(dict.fromkeys(int(key) for key in found))
        if keys and (max(keys) > _FARTHEST or min(keys) < -_FARTHEST):
            raise self.refused(f"{path} is a {what} with keys far from 0")
        known = self.known.get(path)
        if known is None or known[0] != keys:
            known = self.known[path] = keys, places(keys)
        if told:
            return np.empty(len(keys), np.int64), *known[1]
        values = [value for _, value in items]
        return values if path in self.stored else tuple(values), *known[1]

    def refused(self, detail: str) -> Refused:
        return Refused(Refusal(Reason.NOT_ARRAY, Span(self.nest.file, self.nest.loop.line), detail))


def places(keys: tuple[int, ...]) -> Places:
    """For each key from 0 up, and from the end for each below, its position in `keys`."""
    up = np.full(max((0, *keys)) + 1, len(keys), np.int64)
    down = np.full(-min((-1, *keys)), len(keys), np.int64)
    for place, key in enumerate(keys):
        (up if key >= 0 else down)[key] = place
    up.flags.writeable = down.flags.writeable = False  # nobody's but ours
    return up, down


def without_dicts(
    nest: Nest, paths: tuple[str, ...], written: Collection[str], engine: Callable[[Nest], E]
) -> Refusal | Tables[E]:
    """`nest` with arrays in place of the dictionaries at `paths`; `engine` makes what runs it."""
    made = pipeline.tabled(nest, paths)
    return made if isinstance(made, Refusal) else Tables(nest, paths, written, engine(made))
