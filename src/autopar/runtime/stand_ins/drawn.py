"""Nests that draw random numbers: what draws, and the run on generators that are lent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from autopar import pipeline
from autopar.nest.ir import Nest
from autopar.runtime.values.facts import Values
from autopar.runtime.values.generators import Drawing, as_expected, is_known, source_of
from autopar.runtime.values.lent import Lent
from autopar.runtime.values.paths import Said
from autopar.verdict import Reason, Refusal, Span


class Runs(Protocol):
    """What runs a nest."""

    def call(
        self, roots: tuple[Any, ...], lent: Lent | None = None, said: Said | None = None
    ) -> tuple[Any, ...] | None:
        """See `Engine.call`."""


E = TypeVar("E", bound=Runs)


class Drawn(Generic[E]):
    """A nest whose draws are statements of their own, and what runs it."""

    def __init__(self, engine: E, pairs: frozenset[int]) -> None:
        self.engine, self.pairs = engine, pairs

    def call(self, said: Said, values: Values) -> tuple[Any, ...] | None:
        """Run on the generators of this call."""
        owners: dict[int, Any] = {}
        for found in values.calls.values():
            if type(found) is Drawing:
                owners.setdefault(id(source_of(found.owner)), found.owner)
        lent = Lent(tuple(owners.values()), self.pairs)
        try:
            beside = said.beside(*lent.arrays)
            return self.engine.call(beside.roots, lent, beside)
        finally:
            lent.close()


def drawn_apart(nest: Nest, values: Values, engine: Callable[[Nest], E]) -> Refusal | Drawn[E]:
    """`nest` with its draws taken out of expressions.

    Parameters
    ----------
    engine
        Makes what runs a nest.
    """
    from autopar.nest.calls.draws import Method, keeps_second

    numbers: dict[int, int] = {}
    owners: dict[int, dict[int, None]] = {}
    methods: dict[str, Method] = {}
    for path, found in values.calls.items():
        if type(found) is Drawing:
            source = found.source
            number = numbers.setdefault(id(source), len(numbers))
            owners.setdefault(number, {})[id(found.owner)] = None
            methods[path] = Method(found.kind, found.name, number)
            if not is_known(source):
                return _refusal(nest, f"{path}, from {type(source).__name__}")
    pairs = keeps_second(methods)
    if any(len(owners[number]) > 1 for number in pairs):
        return _refusal(nest, "normal numbers, from two owners of one generator")
    if any(m.owner != "Random" for m in methods.values()) and not as_expected():
        return _refusal(nest, "this NumPy draws in another way")
    ranks = {path: array.ndim for path, array in values.arrays.items()}
    made = pipeline.drawn(nest, methods, ranks, frozenset(values.lists.depths))
    return made if isinstance(made, Refusal) else Drawn(engine(made), pairs)


def _refusal(nest: Nest, detail: str) -> Refusal:
    return Refusal(Reason.DRAW, Span(nest.file, nest.loop.line), detail)
