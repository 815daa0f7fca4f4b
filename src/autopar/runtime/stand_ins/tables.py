"""Nests that look up integers in dictionaries: arrays in place of these, and the run on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from autopar import pipeline
from autopar.nest.ir import Nest
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST = 1 << 12  # keys: they are gone through at each call
_FARTHEST = 1 << 16  # from 0

E = TypeVar("E")
Array = np.ndarray[Any, Any]
Places = tuple[Array, Array]


class Tables(Generic[E]):
    """A nest without its dictionaries, and what runs it.

    Parameters
    ----------
    nest
        With them.
    paths
        Where they are in it.
    """

    def __init__(self, nest: Nest, paths: tuple[str, ...], engine: E) -> None:
        self.nest, self.paths, self.engine = nest, paths, engine
        self.known: dict[str, tuple[tuple[int, ...], Places]] = {}

    def roots(self, roots: tuple[Any, ...], dicts: dict[str, dict[Any, Any]]) -> tuple[Any, ...]:
        """`roots` and what is in `dicts` now; raises `Refused`."""
        return (*roots, *(one for path in self.paths for one in self.arrays(path, dicts[path])))

    def arrays(self, path: str, found: dict[Any, Any]) -> tuple[Any, ...]:
        """Values, and where they stand for the keys from 0 up and below.

        Raises
        ------
        Refused
            Where its keys are not few integers near 0.
        """
        if not 0 < len(found) <= _MOST:
            raise self.refused(f"{path} is a dict of {len(found)} keys")
        items = tuple(found.items())  # at once: other threads may change it
        keys = tuple([key for key, _ in items])
        if set(map(type, keys)) != {int}:
            raise self.refused(f"{path} is a dict whose keys are no integers")
        if max(keys) > _FARTHEST or min(keys) < -_FARTHEST:
            raise self.refused(f"{path} is a dict with keys far from 0")
        known = self.known.get(path)
        if known is None or known[0] != keys:
            known = self.known[path] = keys, places(keys)
        return tuple([value for _, value in items]), *known[1]

    def refused(self, detail: str) -> Refused:
        return Refused(Refusal(Reason.NOT_ARRAY, Span(self.nest.file, self.nest.loop.line), detail))


def places(keys: tuple[int, ...]) -> Places:
    """For each key from 0 up, and from the end for each below, its position in `keys`."""
    up = np.full(max(0, *keys) + 1, len(keys), np.int64)
    down = np.full(max(1, -min(keys)), len(keys), np.int64)
    for place, key in enumerate(keys):
        (up if key >= 0 else down)[key] = place
    up.flags.writeable = down.flags.writeable = False  # nobody's but ours
    return up, down


def without_dicts(
    nest: Nest, paths: tuple[str, ...], engine: Callable[[Nest], E]
) -> Refusal | Tables[E]:
    """`nest` with arrays in place of the dictionaries at `paths`; `engine` makes what runs it."""
    made = pipeline.tabled(nest, paths)
    return made if isinstance(made, Refusal) else Tables(nest, paths, engine(made))
