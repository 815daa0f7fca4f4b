"""Nests that read lists of tuples of several types: lists of their items in place of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from autopar import pipeline
from autopar.nest.ir import Nest
from autopar.runtime.stand_ins.ragged import Ragged
from autopar.verdict import Refusal

E = TypeVar("E")


class Split(Ragged[E]):
    """A nest without such lists, and what runs it.

    Parameters
    ----------
    widths
        How many items the tuples have, by path.
    """

    def __init__(
        self, nest: Nest, widths: dict[str, int], written: Sequence[str], engine: E
    ) -> None:
        super().__init__(nest, tuple(widths), written, engine)
        self.widths = widths

    def arrays(self, path: str, rows: tuple[Any, ...]) -> tuple[Any, ...]:
        """A list of the items at each place of the tuples; raises `Refused`."""
        width = self.widths[path]
        if set(map(type, rows)) != {tuple} or set(map(len, rows)) != {width}:
            raise self.refused(f"{path} holds tuples that are not alike")
        return tuple(list(map(itemgetter(k), rows)) for k in range(width))


def without_tuples_of_several_types(
    nest: Nest, widths: dict[str, int], written: Sequence[str], engine: Callable[[Nest], E]
) -> Refusal | Split[E]:
    """`nest` without the lists at the paths `widths`; `engine` makes what runs it."""
    made = pipeline.split(nest, widths)
    return made if isinstance(made, Refusal) else Split(nest, widths, written, engine(made))
