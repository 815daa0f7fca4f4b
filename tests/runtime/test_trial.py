"""Nests that are over in no time: whether kernels pay is measured."""

from __future__ import annotations

from autopar.runtime.patience import Patience
from autopar.runtime.site import Site
from autopar.runtime.trial import Trial
from autopar.runtime.unknown import Unknown
from autopar.runtime.watched import Watched
from autopar.site_spec import SiteSpec


def calls(kernels_s: float, interpreted_s: float, count: int) -> list[bool]:
    """Which of `count` calls of a site run as kernels, and how long a call takes then or else."""
    patience, trial, now, ran = Patience(1), Trial(), 0.0, []
    for _ in range(count):
        if patience.quiet((3,), now):
            trial.skipped += trial.out
            ran.append(False)
            now += interpreted_s
            continue
        rest = trial.ended(now) if trial.out else 0
        if rest:
            patience.beaten((3,), rest)
            ran.append(False)
            now += interpreted_s
            continue
        now += kernels_s
        ran.append(True)
        left = trial.compiled(now)
        if left:
            patience.skip((3,), left)
    return ran


def test_kernels_that_are_slower_are_given_up() -> None:
    ran = calls(4e-5, 1e-5, 100_000)
    assert all(ran[:40])
    assert sum(ran) < 500


def test_kernels_that_are_faster_go_on() -> None:
    ran = calls(1e-5, 4e-5, 100_000)
    assert 100_000 - sum(ran) < 60


def test_what_is_as_fast_goes_on() -> None:
    assert sum(calls(1e-5, 1e-5, 10_000)) > 9_900


def test_a_call_that_has_grown_ends_a_trial_without_an_answer() -> None:
    patience, trial = Patience(1), Trial()
    while not (left := trial.compiled(1.0)):
        pass
    patience.skip((3,), left)
    assert patience.quiet((3,))
    trial.skipped += 1
    assert not patience.quiet((3000,))
    assert trial.out
    assert not trial.ended(1.0)
    assert not trial.out


def test_only_calls_in_doubt_that_follow_one_another_are_measured() -> None:
    trial = Trial()
    for call in range(100_000):  # one in a thousand is held up by something
        if call % 1000:
            trial.certain()
        else:
            assert not trial.compiled(call * 1e-5)
    assert not trial.out


def test_a_loop_that_is_asked_in_each_iteration_is_left_whole() -> None:
    """Else eight of its iterations would count as eight calls."""
    spec = SiteSpec("a.py", 1, "f", (), (), b"", "", None, watched=True)
    site = Watched(spec, None)
    assert not site.watches()
    site.unknown = Unknown(spec, 0.0)
    assert site.watches()
    site.trial = Trial()
    assert site.watches()
    while not site.trial.compiled(1.0):
        pass
    assert not site.watches()


def test_loops_within_calls_of_microseconds_doze() -> None:
    specs = [SiteSpec("a.py", line, "f", (), (), b"", "", None) for line in (1, 2, 3)]
    outer = Site(specs[0], None)
    inner = Site(specs[1], outer)
    innermost = Site(specs[2], inner)
    outer.began = 1.0
    outer.handed_on(wakes=False)
    assert not inner.active
    outer.handed_on(wakes=True)
    inner.handed_on(wakes=True)
    assert inner.active
    assert innermost.active
    outer.patience._skipped(1000)
    outer.began = 1.001
    outer.handed_on(wakes=True)
    assert not inner.active
    assert not innermost.active
    outer.began = 3.0
    outer.handed_on(wakes=True)
    assert inner.active
