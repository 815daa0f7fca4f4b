"""Skipping questions: never for a call that has grown, never for long."""

from __future__ import annotations

import gc
import itertools
import sys
from collections.abc import Iterator

import pytest

from autopar.hook.harmless import harmless
from autopar.runtime import patience as module
from autopar.runtime.patience import ALWAYS, Patience


@pytest.fixture(autouse=True)
def nobody_has_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACE", module.Pace())


def spoken(patience: Patience, calls: int) -> int:
    """How many of `calls` tiny calls are asked."""
    asked = 0
    for _ in range(calls):
        if not patience.quiet((3,)):
            asked += 1
            patience.too_small((3,))
    return asked


def test_every_call_is_asked_at_first() -> None:
    assert spoken(Patience(1), 8) == 8
    assert spoken(Patience(1), 40) < 20


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
    assert spoken(patience, 8) == 8


def test_stubborn_refusals_end_all_questions() -> None:
    patience = Patience(1)
    assert not any(patience.refuse() for _ in range(63))
    assert patience.refuse()


def lost(patience: Patience, calls: int, seconds: float, might: float) -> int:
    """How many of `calls` are asked that lose so much each time."""
    asked = 0
    for _ in range(calls):
        if not patience.quiet((3,)):
            asked += 1
            patience.lost((3,), seconds, might)
    return asked


def test_calls_that_lose_much_are_asked_seldom() -> None:
    assert lost(Patience(1), 10_000, 1e-3, 10.0) < 60
    assert lost(Patience(1), 10_000, 1e-5, 10.0) < 500


def test_what_is_saved_is_no_more_than_a_call_might_take() -> None:
    seldom, often = (lost(Patience(1), 100_000, 1e-3, might) for might in (4.0, 0.5))
    assert seldom < 150
    assert often > 100_000 / 500


def test_a_win_ends_the_losses() -> None:
    patience = Patience(1)
    lost(patience, 1000, 1e-3, 10.0)
    patience.taken()
    while patience.quiet((3,)):
        pass
    patience.lost((3,), 1e-6, 10.0)
    assert not patience.quiet((3,))


def dear(patience: Patience, calls: int, call_s: float, question_s: float) -> float:
    """The part of the time that questions take."""
    now, asking, turn = 0.0, 0.0, ALWAYS
    for _ in range(calls):
        now += call_s
        if not next(turn, True):
            continue
        if not patience.quiet((3,), now):
            now += question_s
            asking += question_s
            patience.asked(question_s, now)
            patience.too_small((3,))
        turn = patience.turn()
    return asking / now


def test_questions_that_take_longer_than_the_loop_are_seldom() -> None:
    assert dear(Patience(1), 1_000_000, 5e-6, 4e-4) < 0.03
    patience = Patience(1)
    dear(patience, 100_000, 5e-6, 4e-4)
    assert dear(patience, 1_000_000, 5e-6, 4e-4) < 0.01


def test_of_the_first_calls_each_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    times = itertools.count(1.0, 2.1e-3)
    monkeypatch.setattr(module, "clock", lambda: next(times))
    patience = Patience(1)
    patience.skip((3,), 100)
    assert patience.turn() is ALWAYS
    assert patience.quiet((3,))
    assert not patience.quiet((300,))
    patience.skip((3,), 100)
    for _ in range(40):
        patience.quiet((3,))
    turn = patience.turn()
    assert 1 < [next(turn, True) for _ in range(20)].index(True) < 10


def test_growth_and_time_end_a_long_rest() -> None:
    patience = Patience(1)
    dear(patience, 100_000, 5e-6, 1.0)
    assert patience.quiet((3,), patience.resting - 1e-6) or patience.left == 0
    while patience.quiet((3,), patience.resting - 1e-6) and patience.left > 200:
        pass
    assert not patience.quiet((300,), patience.resting - 1e-6)
    patience.left = 0
    assert not patience.quiet((3,), patience.resting)


def test_a_question_that_compiled_something_is_no_measure() -> None:
    patience = Patience(1)
    patience.asked(10.0, 1.0)
    assert patience.resting < 2.0


def tiny_for_long() -> Patience:
    patience = Patience(1)
    patience.beaten((3,), 256)
    assert patience.quiet((3,))
    return patience


def test_tiny_calls_are_looked_at_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    times = itertools.count(1.0, 1.1e-3)
    monkeypatch.setattr(module, "clock", lambda: next(times))
    turn = tiny_for_long().turn()
    assert sum(1 for _ in turn) == 255 * 3  # of four milliseconds the last one is over
    assert list(turn) == []


def test_long_calls_are_looked_at_after_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    times = itertools.chain([1.0, 1.001], itertools.count(2.0))  # 255 calls take a second
    monkeypatch.setattr(module, "clock", lambda: next(times))
    assert sum(1 for _ in tiny_for_long().turn()) == 255


@pytest.mark.parametrize(("until", "parts"), [(2.0, 49), (1.02, 19), (1.001, 3), (0.0, 3)])
def test_where_only_time_makes_a_difference_nobody_looks_for_longer(
    until: float, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But no longer than a twentieth of a second, for the time may be over for another reason."""
    times = itertools.count(1.0, 1.0001e-3)
    monkeypatch.setattr(module, "clock", lambda: next(times))
    assert sum(1 for _ in tiny_for_long().turn(until)) == 255 * parts
    slow = Patience(1)
    slow.beaten((3,), 20)  # calls that take long, as nobody says that more may go unasked
    assert slow.quiet((3,))
    assert sum(1 for _ in slow.turn(until)) <= module._MOST_BLIND + module._LONG_MOST_BLIND


def test_looks_of_many_sites_are_further_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seventeen of them, each looked at each four milliseconds, took an eighth of the time."""
    now = 1.0
    monkeypatch.setattr(module, "clock", lambda: now)
    few, many = module.Pace(), module.Pace()
    for _ in range(100):
        now += 0.04
        assert few.blind_s(now) == module._BLIND_S
    began = now
    while now < began + 5.0:
        now += 0.1 * many.blind_s(now)  # ten sites that take turns
    assert many.count * module._LOOK_S < 2.5 * module._LOOKS * 5.0
    assert 2 * module._BLIND_S < many.blind_s(now) < 10 * module._BLIND_S
    after_s = many.blind_s(now + 60.0)  # in which nobody looked
    assert after_s == module._BLIND_S


def test_a_profiler_hears_of_no_call_that_is_not_looked_at() -> None:
    turn = tiny_for_long().turn()
    heard: list[str] = []
    sys.setprofile(lambda frame, event, what: heard.append(event))
    try:
        while False in turn:
            pass
    finally:
        sys.setprofile(None)
    assert heard == ["c_call"]  # of `setprofile` itself


@pytest.mark.parametrize(("rest", "left"), [(3000, 3000 - 766 - 1), (500, 0)])
def test_calls_that_nobody_looked_at_are_counted(
    rest: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = itertools.count(1.0, 1.1e-3)
    monkeypatch.setattr(module, "clock", lambda: next(times))
    patience = Patience(1)
    patience.beaten((3,), rest)
    assert patience.quiet((3,))
    tiny = patience.tiny
    assert sum(1 for _ in patience.turn()) == 765
    assert patience.quiet((3,), 0.0) == (left > 0)
    assert patience.tiny == tiny + 765
    assert patience.left == left


def test_a_turn_does_nothing_at_the_end_of_a_process() -> None:
    """Or Python would have to collect all there is, which takes longer than a short program."""
    found: list[object] = [tiny_for_long().turn()]
    for one in found:
        found += [part for part in gc.get_referents(one) if isinstance(part, Iterator | tuple)]
    assert "callable_iterator" in {type(one).__name__ for one in found}
    assert all(harmless([one]) for one in found)


def test_declines_that_take_long_are_seldom() -> None:
    patience = Patience(1)
    for _ in range(3):
        assert not patience.refuse()
        patience.dear((3,), 1.0, 1.001)
    assert not patience.quiet((3,), 1.002)
    for took_s, again in ((1e-5, False), (1e-3, True)):
        assert not patience.refuse()
        patience.dear((3,), 1.0, 1.0 + took_s)
        assert patience.quiet((3,), 1.1) is again
    assert not patience.quiet((300,), 1.1)
    patience.left = 0
    assert not patience.quiet((3,), 1.3)


def test_waiting_is_no_sign_of_small_calls() -> None:
    patience = Patience(1)
    for _ in range(40):
        patience.skip((3,), 100)
        while patience.quiet((3,)):
            pass
    patience.lost((3,), 1e-3, 1e-3)
    assert patience.left < 20
    patience.too_small((3,))
    for _ in range(10 * patience.left):
        if not patience.quiet((3,)):
            patience.too_small((3,))
    patience.lost((3,), 1e-3, 1e-3)
    assert patience.left > 20


def test_calls_that_follow_one_another_fast() -> None:
    patience = Patience(1)
    assert not patience.brief(1.0)
    patience.skip((3,), 100)
    patience._skipped(100)
    assert patience.brief(1.001)
    assert not patience.brief(1.1)


def test_runs_that_are_undone_are_seldom() -> None:
    patience = Patience(1)
    for _ in range(3):
        assert not patience.refuse()
        patience.undone((9,), 1.0, 1.1)
    assert not patience.quiet((9,), 1.2)
    patience.refuse()
    patience.undone((9,), 1.0, 1.001)  # so short that it makes no difference
    assert not patience.quiet((9,), 1.2)
    patience.undone((9,), 1.0, 1.1)
    assert patience.quiet((9,), 1.2)
    assert patience.quiet((9,), 3.5)
    assert not patience.quiet((999,), 3.5)  # far larger ones are another matter
    patience.left = 0
    assert not patience.quiet((9,), 3.7)
