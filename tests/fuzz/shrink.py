"""A shorter program with the same fault, by making fewer and smaller decisions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from .choices import replayed
from .grammar import program
from .program import Program

Made = list[int]


def shrink(made: Made, fails: Callable[[Program], bool], seconds: float) -> Program:
    """The simplest program found in `seconds` on which `fails` still holds.

    Parameters
    ----------
    made
        Decisions behind a program on which it holds (`choices.Choices.made`).
    """
    end = time.monotonic() + seconds
    best, best_made = program(replayed(made)), made
    seen = {str(best)}
    progress = True
    while progress:
        progress = False
        for candidate in _simpler(best_made):
            if time.monotonic() > end:
                return best
            choices = replayed(candidate)
            found = program(choices)
            if str(found) in seen or _size(found) > _size(best):
                continue
            seen.add(str(found))
            if fails(found):
                best, best_made, progress = found, choices.made, True
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
