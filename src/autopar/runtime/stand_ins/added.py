"""Nests that append to rows of lists of lists: they fill a list of their own in place of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from autopar import pipeline
from autopar.nest.ir import Nest
from autopar.runtime.stand_ins.drawn import Runs
from autopar.runtime.values.buckets import Buckets
from autopar.runtime.values.facts import Values
from autopar.runtime.values.lent import Lent
from autopar.runtime.values.paths import Said

E = TypeVar("E", bound=Runs)
Check = Callable[[Nest, dict[str, list[list[Any]]], dict[str, list[list[Any]]]], None]


class Added(Generic[E]):
    """A nest without such lists, and what runs it.

    Parameters
    ----------
    nest
        With them.
    """

    def __init__(self, nest: Nest, engine: E) -> None:
        self.nest, self.engine = nest, engine

    def call(
        self, said: Said, lent: Lent | None, values: Values, check: Check | None
    ) -> tuple[Any, ...] | None:
        """Run it, and append what it has added to the rows.

        Parameters
        ----------
        check
            What compares them to what the interpreter has appended meanwhile, if it has.
        """
        buckets = values.buckets
        lengths = {} if check is None else {path: _lengths(one) for path, one in buckets.items()}
        added: list[list[tuple[Any, ...]]] = [[] for _ in buckets]
        roots: list[Any] = []
        for one, items in zip(buckets.values(), added, strict=True):
            roots += items, *map(range, one.shape)
        beside = said.beside(*roots)
        results = self.engine.call(beside.roots, lent, beside)
        wanted = {path: _taken(buckets[path], before) for path, before in lengths.items()}
        if results is None:
            return None
        for one, items in zip(buckets.values(), added, strict=True):
            one.add(items)
        if check is not None:
            check(self.nest, wanted, {path: list(one.rows) for path, one in buckets.items()})
        return results


def _lengths(one: Buckets) -> list[int]:
    return list(map(len, one.rows))


def _taken(one: Buckets, lengths: list[int]) -> list[list[Any]]:
    """The rows as they are now; what is beyond these `lengths` is taken out of them."""
    now = list(map(list, one.rows))
    for row, length in zip(one.rows, lengths, strict=True):
        del row[length:]
    return now


def without_buckets(nest: Nest, values: Values, engine: Callable[[Nest], E]) -> Added[E]:
    """`nest` without the lists of rows that it appends to; `engine` makes what runs it."""
    depths = tuple((path, len(one.shape)) for path, one in values.buckets.items())
    return Added(nest, engine(pipeline.flat_buckets(nest, depths)))
