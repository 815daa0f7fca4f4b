"""Questions before there are kernels must not cost more than a part of the loop itself."""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from autopar.runtime import budget, patience
from autopar.runtime.before import LATELY, Before, Lately, Loss
from autopar.runtime.choice import waiting
from autopar.runtime.choice.waiting import Waiting
from autopar.runtime.patience import Patience
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec
from autopar.verdict import Reason

STATE: Any = SimpleNamespace(operations=20.0, unending=False, ready=False)
COST_S = MACHINE.first_compile_s + 20.0 * MACHINE.compile_op_s


class Never(Before):
    """No earlier process."""

    def __init__(self) -> None:
        self.spec = SiteSpec("user.py", 3, "f", ("x",), (), b"", "", None)
        self.promises = False
        self.left: list[float] = []

    compiled = promised = False  # type: ignore[assignment]
    lost_s = known_s = 0.0  # type: ignore[assignment]

    def lost(self) -> None:
        self.promises = True

    def loses(self, seconds: float) -> None:
        self.left.append(seconds)


class Clock:
    """Time that goes by when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waiting, "clock", made)
    monkeypatch.setattr(budget, "used_s", made)
    monkeypatch.setattr(waiting, "BUDGET", budget.Budget())
    monkeypatch.setattr(sys.modules[__name__], "LATELY", lately := Lately())
    monkeypatch.setattr(waiting, "LATELY", lately)
    return made


def one_nest() -> Waiting:
    return Waiting(Never(), Patience(1), MACHINE.dispatch_s, leaves=False)


def asked(clock: Clock, question_s: float, guess_s: float, truth_s: float) -> tuple[int, int]:
    """How many calls are asked until the nest is compiled, and how many there are."""
    one, questions, calls = one_nest(), 0, 0
    while True:
        found = one.reason(STATE, guess_s)
        questions, calls = questions + 1, calls + 1
        if found is None:
            return questions, calls
        assert found is Reason.NOT_YET
        more = one.pause(question_s)
        one.patience.skip((3,), more)
        assert all(one.patience.quiet((3,)) for _ in range(more))
        calls += more
        clock.now += question_s + (1 + more) * truth_s


def test_cheap_questions_are_asked_each_time(clock: Clock) -> None:
    questions, calls = asked(clock, 1e-6, 1e-3, 1e-3)
    assert questions == calls


def test_no_question_is_spared_beyond_where_it_may_be_worth_it(clock: Clock) -> None:
    one = one_nest()
    assert one.reason(STATE, 0.7 * COST_S) is not None
    assert one.pause(10.0 * COST_S) == 0


def test_dear_questions_are_spared_and_the_work_counts_all_the_same(clock: Clock) -> None:
    questions, calls = asked(clock, 2e-4, 1e-4, 1e-4)
    assert questions * 2e-4 <= 2.5 * 0.02 * calls * 1e-4
    assert COST_S / 1e-4 <= calls <= 3 * COST_S / 1e-4


def test_calls_that_went_by_without_a_look_count(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, each_s = one_nest(), COST_S / 1e4
    times = itertools.count(1.0, 1.1e-3)
    monkeypatch.setattr(patience, "clock", lambda: next(times))
    assert one.reason(STATE, each_s) is not None
    one.patience.beaten((10,), one.pause(4e-4 * COST_S))
    skipped = sum(1 for _ in one.patience.turn())
    assert skipped > 1.5 * one.paused > 0
    clock.now += COST_S
    one.patience.quiet((10,))
    assert one.since_last_s() == pytest.approx((1 + one.patience.gone) * each_s)
    assert one.patience.gone in (skipped, skipped + 1)


def test_there_is_no_pause_without_a_wait() -> None:
    assert one_nest().pause(1.0) == 0


def test_what_a_call_has_taken_counts_not_what_was_guessed(clock: Clock) -> None:
    _, calls = asked(clock, 1e-6, 1e-2, 1e-4)
    assert calls * 1e-4 > COST_S / 2


def test_calls_that_never_came_say_nothing_of_what_calls_take(clock: Clock) -> None:
    one, each_s = one_nest(), COST_S / 1e4
    assert one.reason(STATE, each_s) is not None
    count = one.pause(each_s)
    assert count > 10
    one.patience.skip((10,), count)
    assert one.patience.quiet((10,))
    clock.now += 2 * each_s
    assert not one.patience.quiet((1000,)), "a larger one"
    assert one.reason(STATE, 2 * COST_S) is None, "which is sure to win"
    assert one.truth == 1.0


def test_who_has_lost_enough_promises_it_to_the_next(clock: Clock) -> None:
    one = one_nest()
    for _ in range(20):
        one.reason(STATE, COST_S / 10)
        clock.now += COST_S / 10
    assert one.before.promises
    next_one = one_nest()
    next_one.promised = True
    assert next_one.reason(STATE, COST_S / 10) is None


def test_kernels_that_were_promised_must_win_something(clock: Clock) -> None:
    one = one_nest()
    one.promised = True
    assert one.reason(STATE, COST_S / 1000) is not None
    clock.now += COST_S
    assert one.reason(STATE, COST_S / 10) is None


def test_a_nest_that_runs_once_in_each_process_promises_them_too(clock: Clock) -> None:
    one, other = one_nest(), one_nest()
    assert one.reason(STATE, 0.7 * COST_S) is not None
    assert not one.before.promises
    clock.now += 0.7 * COST_S
    LATELY.ends(clock.now)
    assert one.before.promises
    assert other.reason(STATE, 0.7 * COST_S) is not None  # a guess, and it was over at once
    clock.now += 0.01 * COST_S
    LATELY.ends(clock.now)
    clock.now += COST_S
    LATELY.leave()
    assert not other.before.promises


ROUND = """
def around(begins, asks, m):
    begins()
    for i in range(m):
        pass
        asks()
    asks()
"""


def test_a_call_is_not_over_by_a_question_that_stands_in_it(clock: Clock) -> None:
    """What is asked in a function that it calls may be over at once; the loop goes on."""
    space: dict[str, Any] = {}
    exec(compile(ROUND, "user.py", "exec"), space)
    outer = Never()
    outer.spec = SiteSpec("user.py", 4, "around", ("m",), (), b"", "", None, last=6)
    open_calls = []

    def asks() -> None:
        clock.now += 0.25
        LATELY.ends(clock.now)
        open_calls.append(len(LATELY.open))
        LATELY.begins(Loss(Never(), 0.0, lambda: COST_S), clock.now, 9.0)

    def begins() -> None:
        LATELY.begins(Loss(outer, 0.0, lambda: 0.9), clock.now, 9.0)

    space["around"](begins, asks, 3)
    assert open_calls == [1, 1, 1, 0]
    assert outer.promises  # 1 s, and not the quarter that it was until the first question


def test_what_kernels_cost_may_be_known_better_in_the_end(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = one_nest()
    assert one.reason(STATE, 0.3 * COST_S) is not None
    clock.now += 0.3 * COST_S
    LATELY.ends(clock.now)
    assert not one.before.promises
    cheaper = replace(MACHINE, compile_op_s=MACHINE.compile_op_s / 4, first_compile_s=0.01)
    monkeypatch.setattr(waiting, "machine", lambda: cheaper)
    LATELY.leave()
    assert one.before.promises


def test_losses_of_several_processes_add_up(clock: Clock) -> None:
    one = one_nest()
    assert one.reason(STATE, 0.3 * COST_S) is not None
    clock.now += 0.3 * COST_S
    LATELY.ends(clock.now)
    LATELY.leave()
    assert not one.before.promises
    assert one.before.left == pytest.approx([0.3 * COST_S])
    second = one_nest()
    second.before.lost_s = 0.3 * COST_S
    assert second.reason(STATE, 0.3 * COST_S) is not None
    clock.now += 0.3 * COST_S
    LATELY.ends(clock.now)
    assert second.before.promises


def test_what_earlier_processes_have_lost_is_as_good_as_a_promise(clock: Clock) -> None:
    one = one_nest()
    one.before.lost_s = 0.6 * COST_S  # as nobody knew who had not looked at the nest
    assert one.reason(STATE, COST_S / 1000) is not None
    clock.now += COST_S
    assert one.reason(STATE, COST_S / 10) is None


@pytest.mark.parametrize("part", [0.01, 0.04])
def test_who_finds_next_to_nothing_to_win_forgets_what_others_have_guessed(
    clock: Clock, part: float
) -> None:
    one = one_nest()
    assert one.reason(STATE, part * COST_S) is not None
    clock.now += part * COST_S
    LATELY.ends(clock.now)
    LATELY.leave()
    assert not one.before.promises
    assert one.before.left == [0.0]


def test_a_call_that_is_sure_to_win_compiles_at_once(clock: Clock) -> None:
    assert one_nest().reason(STATE, 2 * COST_S) is None


def test_a_nest_that_may_be_left_early_must_win_more(clock: Clock) -> None:
    vague: Any = SimpleNamespace(operations=20.0, unending=True, ready=False)
    assert one_nest().reason(vague, 2 * COST_S) is not None


def test_what_calls_have_lost_is_not_spent_before_the_process_can_afford_it(clock: Clock) -> None:
    one = one_nest()
    assert one.reason(STATE, COST_S) is not None
    clock.now += COST_S
    assert one.reason(STATE, COST_S) is not None, "as much again as it has lasted"
    waiting.BUDGET.won_s = COST_S
    clock.now += COST_S
    assert one.reason(STATE, COST_S) is None, "other kernels have won that"


def test_what_is_nothing_beside_what_kernels_have_won_is_made_soon(clock: Clock) -> None:
    one = one_nest()
    waiting.BUDGET.won_s = 19 * COST_S
    assert one.reason(STATE, COST_S / 100) is not None
    assert one.missing_s > 0.9 * COST_S
    waiting.BUDGET.won_s, waiting.BUDGET.spent_s = 22 * COST_S, COST_S
    clock.now += COST_S / 100
    assert one.reason(STATE, COST_S / 200) is not None
    assert one.missing_s < COST_S / 50
    clock.now += COST_S / 100
    assert one.reason(STATE, COST_S / 100) is None
