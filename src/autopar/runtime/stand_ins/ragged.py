"""Nests that read lists of lists of several lengths: three lists in place of these, and the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any, Generic, TypeVar

import numpy as np

from autopar import pipeline
from autopar.nest.ir import Nest
from autopar.runtime.values.facts import Values
from autopar.runtime.values.mirrors import Mirror
from autopar.verdict import Reason, Refusal, Refused, Span

E = TypeVar("E")


class Ragged(Generic[E]):
    """A nest without such lists, and what runs it.

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
        self, nest: Nest, paths: tuple[str, ...], written: Sequence[str], engine: E
    ) -> None:
        self.nest, self.paths, self.written, self.engine = nest, paths, written, engine

    def roots(self, roots: tuple[Any, ...], values: Values) -> tuple[Any, ...]:
        """`roots` and what is in the lists now; raises `Refused`."""
        lists = [tuple(values.ragged[path]) for path in self.paths]
        mirrors = values.lists.mirrors
        changed = [mirrors[path] for path in self.written if path in mirrors]
        if changed or values.extended:  # else nobody asks which rows there are
            self.only_read(lists, changed, values)
        pairs = zip(self.paths, lists, strict=True)
        return (*roots, *(one for path, rows in pairs for one in self.arrays(path, rows)))

    def only_read(
        self, lists: Sequence[tuple[Any, ...]], changed: Sequence[Mirror], values: Values
    ) -> None:
        """Raise `Refused` where a list that is written is one of these, or in one of them."""
        mine = {id(row) for rows in lists for row in rows}
        mine |= {id(values.ragged[path]) for path in self.paths}
        written = set(map(id, values.extended.values()))
        for one in changed:
            if one.array.ndim > 2:
                raise self.refused(f"{self.paths[0]} has a list in it that is written")
            written |= {id(one.value), *map(id, one.value if one.array.ndim > 1 else ())}
        if not mine.isdisjoint(written):
            raise self.refused(f"{self.paths[0]} has a list in it that is written")

    def arrays(self, path: str, rows: tuple[Any, ...]) -> tuple[Any, ...]:
        """All items, where each row begins among them, and how long it is.

        Raises
        ------
        Refused
            Where the rows are no lists or tuples.
        """
        kinds = set(map(type, rows))
        if not kinds <= {list, tuple}:
            raise self.refused(f"{path} holds lists that are not alike")
        items = list(chain.from_iterable(rows))
        lengths = list(map(len, rows))
        first = np.fromiter(accumulate(lengths, initial=0), np.int64, len(lengths) + 1)
        if first[-1] != len(items):
            raise self.refused(f"{path} changes meanwhile")  # another thread is at it
        return items, first[:-1], lengths

    def refused(self, detail: str) -> Refused:
        return Refused(
            Refusal(Reason.WRONG_TYPE, Span(self.nest.file, self.nest.loop.line), detail)
        )


def without_ragged(
    nest: Nest, paths: tuple[str, ...], written: Sequence[str], engine: Callable[[Nest], E]
) -> Refusal | Ragged[E]:
    """`nest` without the lists of several lengths at `paths`; `engine` makes what runs it."""
    made = pipeline.flattened(nest, paths)
    return made if isinstance(made, Refusal) else Ragged(nest, paths, written, engine(made))
