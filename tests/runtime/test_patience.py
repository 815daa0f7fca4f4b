"""Skipping questions: never for a call that has grown, never for long."""

from __future__ import annotations

from autopar.runtime.patience import Patience


def spoken(patience: Patience, calls: int) -> int:
    """How many of `calls` tiny calls are asked."""
    asked = 0
    for _ in range(calls):
        if not patience.quiet((3,)):
            asked += 1
            patience.too_small((3,))
    return asked


def test_every_call_is_asked_at_first() -> None:
    assert spoken(Patience(1), 30) == 30


def test_tiny_calls_are_asked_less_and_less() -> None:
    assert spoken(Patience(1), 10_000) < 500


def test_a_call_that_has_grown_is_asked_at_once() -> None:
    patience = Patience(1)
    spoken(patience, 1000)
    assert patience.quiet((3,))
    assert not patience.quiet((1000,))


def test_a_run_ends_the_series() -> None:
    patience = Patience(1)
    spoken(patience, 1000)
    patience.taken()
    while patience.quiet((3,)):
        pass
    assert spoken(patience, 30) == 30


def test_stubborn_refusals_end_all_questions() -> None:
    patience = Patience(1)
    assert not any(patience.refuse() for _ in range(63))
    assert patience.refuse()
