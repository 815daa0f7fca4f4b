"""Where a generator's decisions come from, for runs, replays and shrinking alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

Draw = Callable[[int, int], int]
_FIRST = ("terms", "families", "terms", "families", "parts", "families", "terms")
GRAMMARS = (*_FIRST, "more families", *_FIRST, "pivots")
"""Which grammar makes a program, by its number."""


class Choices:
    """Decisions, each an integer of a range; `made` lists them as distances from the lowest.

    The lowest is always meant to be the simplest, so that smaller numbers and a shorter list give
    a simpler program.
    """

    def __init__(self, draw: Draw, grammar: str = "terms") -> None:
        self.draw = draw
        self.grammar = grammar
        self.made: list[int] = []

    def number(self, low: int, high: int) -> int:
        found = self.draw(low, high)
        self.made.append(found - low)
        return found

    def pick(self, *options: Any) -> Any:
        return options[self.number(0, len(options) - 1)]

    def rarely(self, one_in: int) -> bool:
        return self.number(0, one_in - 1) == one_in - 1


def seeded(seed: int, number: int, grammar: str | None = None) -> Choices:
    """Those of program `number` of the run with `seed`; the same on every machine.

    With `grammar`, of the program that this one would make of the same numbers.
    """
    source = random.Random(f"{seed}:{number}")
    # Not `randint`: half of the generator's time would be spent in it.
    grammar = grammar or GRAMMARS[number % len(GRAMMARS)]
    return Choices(lambda low, high: low + int(source.random() * (high - low + 1)), grammar)


def replayed(made: Sequence[int], grammar: str) -> Choices:
    """Those of a list; where it ends or asks too much, the nearest that is possible."""
    rest = iter(made)
    return Choices(lambda low, high: low + min(next(rest, 0), high - low), grammar)
