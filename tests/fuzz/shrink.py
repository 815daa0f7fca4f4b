"""A shorter program with the same fault, by making fewer and smaller decisions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from .choices import Choices, replayed
from .grammar import program
from .program import Program

Made = list[int]


def shrink(found: Choices, fails: Callable[[Program], bool], seconds: float) -> Program:
    """The simplest program found in `seconds` on which `fails` still holds.

    Parameters
    ----------
    found
        Decisions behind a program on which it holds.
    """
    end = time.monotonic() + seconds
    best, best_made = program(replayed(found.made, found.grammar)), found.made
    seen = {str(best)}
    progress = True
    while progress:
        progress = False
        for candidate in _simpler(best_made):
            if time.monotonic() > end:
                return best
            choices = replayed(candidate, found.grammar)
            simpler = program(choices)
            if str(simpler) in seen or _size(simpler) > _size(best):
                continue
            seen.add(str(simpler))
            if fails(simpler):
                best, best_made, progress = simpler, choices.made, True
                break
    return best


def _size(found: Program) -> tuple[int, int]:
    return len(found.loop), len(str(found))


def _simpler(made: Made) -> Iterator[Made]:
    """Lists with a part left out, then lists with one decision lowered."""
    for length in (32, 16, 8, 4, 2, 1):
        for start in range(0, len(made) - length + 1, max(1, length // 2)):
            yield made[:start] + made[start + length :]
    for at, value in enumerate(made):
        for lower in dict.fromkeys((0, value // 2, value - 1)):
            if 0 <= lower < value:
                yield [*made[:at], lower, *made[at + 1 :]]
