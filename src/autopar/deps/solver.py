"""Who answers for a system: exact elimination first, isl for what it cannot do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar

from autopar.deps.affine import Params
from autopar.deps.data import Condition
from autopar.deps.exact import Inexact
from autopar.deps.points import Exact
from autopar.deps.system import System

T = TypeVar("T")
PATIENCE_S = 2.0  # for one nest; a four-deep one with six statements takes 0.02


class Points(Protocol):
    """Integer points, as `points.Points` and `sets.Solutions` are; they describe the methods."""

    def is_empty(self) -> bool: ...
    def at_least(self, at: int, least: int) -> Self: ...
    def at_most(self, at: int, most: int) -> Self: ...
    def fixed(self, at: int, value: int) -> Self: ...
    def union(self, other: Self) -> Self: ...
    def exists(self) -> Condition: ...
    def value(self, at: int) -> int | None: ...
    def ends(self, at: int) -> tuple[int | None, int | None]: ...


class Way(Protocol):
    """A way to find points; any of its answers may be `Inexact` or `TooHard`."""

    def points(self, systems: Sequence[System], first: int) -> Points: ...


class Solver:
    """Both ways over one list of parameters, for one analysis in one thread."""

    def __init__(self, params: Params, patience_s: float = PATIENCE_S) -> None:
        self._params, self._patience_s = params, patience_s
        self._exact = Exact(params)
        self.elements = params.elements
        # Answers by question, for the caller.
        self.remembered: dict[object, Condition] = {}
        self.pairs: dict[object, list[Any]] = {}
        self.domains: dict[tuple[int, int | None], list[System]] = {}

    @cached_property
    def _isl(self) -> Way:
        from autopar.deps.sets import Solver  # the import takes longer than most analyses

        return Solver(self._params, self._patience_s)

    def first(self, work: Callable[[Way], T]) -> T:
        """`work` done in the first way that can."""
        try:
            return work(self._exact)
        except Inexact:
            return work(self._isl)
