"""The catalogue: nothing claimed that is not so, and most of what is so claimed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .judge import Verdict, judge
from .loop import Loop, catalogue
from .run import ready
from .table import misses, share, table

LOOPS = tuple(catalogue())
LEAST = 0.95
"""Part of the legal pairs that must be found; to be raised as more is found."""

_verdicts: dict[str, list[Verdict]] = {}


def verdicts(loop: Loop, cache: Path) -> list[Verdict]:
    """Each loop is judged once."""
    if loop.name not in _verdicts:
        with ready(cache):
            _verdicts[loop.name] = judge(loop)
    return _verdicts[loop.name]


@pytest.mark.parametrize("loop", LOOPS, ids=[f"{one.category}-{one.name}" for one in LOOPS])
def test_what_is_claimed_is_so(loop: Loop, cache: Path) -> None:
    for verdict in verdicts(loop, cache):
        assert not verdict.wrong, (verdict.case.label, verdict.plans)


def test_most_of_what_is_legal_is_found(cache: Path) -> None:
    everything = [v for loop in LOOPS for v in verdicts(loop, cache)]
    print(table(everything))
    assert share(everything) >= LEAST, misses(everything)


def test_the_catalogue_is_as_large_as_promised() -> None:
    names = [loop.name for loop in LOOPS]
    assert len(names) == len(set(names)) >= 170
    assert all(loop.function.__doc__ for loop in LOOPS)
