"""The number of threads that a short nest runs on is the one that has been measured to be best."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autopar.runtime.choice.contest import Alone, Contest


def after(contest: Contest, calls: int, seconds: Callable[[int], float]) -> list[int]:
    """On how many threads each of so many calls runs, which take `seconds` on so many."""
    found = []
    for _ in range(calls):
        found.append(contest.now)
        contest.took(seconds(contest.now))
    return found


@pytest.mark.parametrize("most", [2, 3, 4, 8])
def test_threads_that_cost_more_than_they_win_are_not_used(most: int) -> None:
    contest = Contest(most, most)
    used = after(contest, 3000, lambda threads: 1.0 + threads)
    assert contest.best == 1
    assert used[-200:].count(1) > 150


@pytest.mark.parametrize("most", [2, 3, 4, 8])
def test_threads_that_win_are_used_although_nobody_expected_it(most: int) -> None:
    contest = Contest(1, most)
    after(contest, 3000, lambda threads: 1.0 / threads)
    assert contest.best == most


def test_some_threads_may_be_better_than_all() -> None:
    contest = Contest(8, 8)
    after(contest, 3000, lambda threads: 1.0 / threads + 0.1 * threads)
    assert contest.best in (2, 4)


def test_trials_get_rarer() -> None:
    contest = Contest(2, 2)
    used = after(contest, 20_000, lambda threads: 2.0 / threads)
    assert used[-10_000:].count(1) < 20


def test_what_was_interrupted_does_not_decide() -> None:
    contest = Contest(2, 2)
    count = iter(range(10**6))
    after(contest, 500, lambda threads: 100.0 if next(count) % 5 == 0 else 2.0 / threads)
    assert contest.best == 2


def test_when_the_machine_becomes_another_the_best_does_too() -> None:
    contest = Contest(2, 2)
    after(contest, 400, lambda threads: 2.0 / threads)
    assert contest.best == 2
    after(contest, 20_000, lambda threads: float(threads))
    assert contest.best == 1


def test_a_rival_that_is_not_even_as_fast_costs_few_slow_calls() -> None:
    contest = Contest(2, 2)
    used = after(contest, 120, lambda threads: 1.0 if threads == 2 else 1.2)
    assert contest.best == 2
    assert 4 <= used.count(1) <= 8


def test_a_rival_that_is_a_little_faster_does_not_win_and_is_tried_to_the_end() -> None:
    contest = Contest(2, 2)
    used = after(contest, 24, lambda threads: 1.0 if threads == 2 else 0.95)
    assert contest.best == 2
    assert used.count(1) >= 6


def test_one_thread_that_is_nearly_as_fast_is_told() -> None:
    near, far = Contest(2, 2), Contest(2, 2)
    after(near, 100, lambda threads: 1.0 if threads == 2 else 1.3)
    after(far, 100, lambda threads: 1.0 if threads == 2 else 2.0)
    assert near.near
    assert not far.near


@pytest.mark.parametrize(("own", "wins"), [(0.5, True), (1.0, False)])
def test_one_kernel_is_tried_once_and_kept_where_it_is_faster(own: float, wins: bool) -> None:
    alone = Alone()
    begun = [alone.begins(1.0) for _ in range(20)]
    assert begun.count(True) == 1  # among the calls on several threads that it is compared with
    assert alone.wanted
    ended = [alone.loses(own) for _ in range(20)]
    assert ended.count(True) == (0 if wins else 1)
    assert alone.wanted is wins
    assert not alone.begins(1.0)
