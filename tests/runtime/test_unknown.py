"""Loops of which nobody knows how much they do: the clock says when they are worth a question."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autopar import config
from autopar.nest.hidden import AT, STOP
from autopar.records import replace
from autopar.runtime import earlier
from autopar.runtime.background import PAUSE_S
from autopar.runtime.before import Before
from autopar.runtime.budget import BUDGET
from autopar.runtime.unknown import Unknown
from autopar.site_spec import SiteSpec

LOOP = SiteSpec("user.py", 3, "f", ("layers", "x"), ("x",), b"", "x = f(x)", None)
RANGE = SiteSpec("user.py", 3, "f", ("a", AT, STOP), ("i",), b"", "for i in range(n): f(i)", None)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("learned_s", "spent_s"):  # whatever other tests have had compiled
        monkeypatch.setattr(BUDGET, name, 0.0)
    before = config.current()
    (tmp_path / "cache").mkdir(mode=0o700)
    config.use(replace(before, verify=False, cache_dir=tmp_path / "cache"))
    yield
    config.use(before)


def test_what_is_small_waits_until_it_has_taken_as_long_as_kernels_do() -> None:
    unknown = Unknown(LOOP, 2.0)
    cost_s = unknown.cost_s()
    assert not unknown.worth(([], 1.0), 2.0)
    assert not unknown.worth(([], 1.0), 2.0 + 0.9 * cost_s)
    assert unknown.worth(([], 1.0), 2.0 + 1.1 * cost_s)


def test_what_is_large_may_be_called_just_once() -> None:
    assert Unknown(LOOP, 2.0).worth(([0] * 1000, 1.0), 2.0)


class Poor(earlier.Account):
    """Of a program that takes no longer than its questions."""

    def affords(self, cost_s: float, made: bool) -> bool:
        return made


def test_what_costs_too_much_is_not_asked_however_long_it_takes() -> None:
    large = ([0] * 1000, 1.0)
    unknown = Unknown(LOOP, 2.0, Poor())
    for now in (2.0, 90.0):
        assert not unknown.worth(large, now)
        assert 0 <= unknown.pause(now) < 2.0 / PAUSE_S
    Before(LOOP).lost()
    unpromised = Unknown(RANGE, 2.0, Poor())
    assert not unpromised.worth((large[0], 3, 4), 2.0)
    assert Unknown(LOOP, 2.0, Poor()).worth(large, 2.0)  # others will have something of it
    Before(RANGE).note()
    assert Unknown(RANGE, 2.0, Poor()).worth((large[0], 3, 4), 2.0)  # they have made kernels


def test_a_loop_that_was_asked_in_vain_waits_long() -> None:
    cost_s = Unknown(LOOP, 2.0).cost_s()
    Before(LOOP).in_vain(1.0, ([0] * 1000, 1.0))
    unknown = Unknown(LOOP, 2.0)
    assert not unknown.worth(([0] * 1000, 1.0), 2.0)  # large as it is
    assert unknown.cost_s() == pytest.approx(cost_s + 20.0)
    assert not unknown.worth(([0] * 1000, 1.0), 20.0)
    assert Unknown(LOOP, 2.0).worth(([0] * 9000, 1.0), 2.0)  # which may be another matter
    assert unknown.worth(([0] * 1000, 1.0), 2.0 + 1.1 * unknown.cost_s())
    Before(LOOP).note()
    assert Unknown(LOOP, 2.0).worth(([0] * 1000, 1.0), 2.0)


def test_a_loop_that_was_won_before_waits_less() -> None:
    costs = []
    for _ in range(2):
        costs.append(Unknown(LOOP, 2.0).cost_s())
        Before(LOOP).note()
    assert costs[0] > 2 * costs[1] > 0


def test_calls_that_come_often_go_unasked_until_one_may_be_worth_it() -> None:
    pauses: dict[str, list[int]] = {}
    for name, apart_s in {"often": 1e-5, "seldom": 0.05}.items():
        unknown = Unknown(LOOP, 2.0)
        pauses[name], now = [], 2.0
        for _ in range(3):
            assert not unknown.worth(([], 1.0), now)
            pauses[name].append(unknown.pause(now))
            now += apart_s * (1 + pauses[name][-1])
    assert pauses["often"][0] == 0
    assert min(pauses["often"][1:]) > 50
    assert max(pauses["seldom"]) <= 1


def asked(each_s: float, stop: int, start: int = 0, step: int = 1, size: int = 9) -> int | None:
    """In which iteration of so many seconds a range is asked, if ever."""
    unknown = Unknown(RANGE, 2.0)
    for number, at in enumerate(range(start, stop, step)):
        if unknown.worth((np.zeros(size), at, stop), 2.0 + number * each_s):
            return number
    return None


def test_a_range_that_will_take_long_is_asked_after_some_iterations() -> None:
    assert asked(2e-2, 100000) == 2
    assert asked(2e-2, 0, 100000, -1) == 2
    assert asked(2e-2, 300000, 0, 3) == 2
    assert asked(2e-2, 100000, size=100000) == 2
    assert asked(1e-3, 100000) in (10, 11)  # after a hundredth of a second
    assert asked(1e-3, 20) is None


def test_a_range_of_few_iterations_that_may_be_long_is_asked_at_once() -> None:
    assert asked(1.0, 3, size=1000) == 0
    assert asked(10.0, 3, size=9) == 1  # where one iteration takes longer than kernels


def test_the_first_iteration_may_have_had_to_import() -> None:
    unknown = Unknown(RANGE, 2.0)
    now = 2.0
    for at in range(10):
        assert not unknown.worth((np.zeros(9), at, 10), now)
        now += 0.9 * unknown.cost_s() if at == 0 else 1e-4


def test_a_range_that_is_gone_through_again_is_another_one() -> None:
    unknown = Unknown(RANGE, 2.0)
    for number in range(40):  # five times eight iterations
        assert not unknown.worth((np.zeros(9), number % 8, 8), 2.0 + number * 5e-3)


def test_a_range_is_watched_the_first_times_or_where_calls_are_far_apart() -> None:
    for apart_s, always in {1e-4: False, 1.0: True}.items():
        unknown = Unknown(RANGE, 2.0)
        watched = []
        for number in range(6):
            unknown.begins()
            unknown.look((np.zeros(9), 0, 8), 2.0 + number * apart_s)
            watched.append(unknown.watches())
        assert watched[:2] == [True, True]
        assert watched[3:] == [always] * 3


def test_what_is_found_must_be_worth_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Unknown(RANGE, 2.0)
    for at in range(3):
        unknown.worth((np.zeros(9), at, 52), 2.0 + at * 2e-2)  # a second in all
    assert unknown.affords(300)
    assert not unknown.affords(3000)
    monkeypatch.setattr(BUDGET, "learned_s", BUDGET.learned_s + 0.9)
    assert not unknown.affords(300)
    unknown.look((np.zeros(9), 3, 9001), 2.96)  # of which the program has run a part
    assert unknown.affords(300)


def test_what_is_on_disk_takes_less() -> None:
    unknown = Unknown(RANGE, 2.0)
    unknown.before.__dict__["_found"] = 0.0
    for at in range(3):
        unknown.worth((np.zeros(9), at, 52), 2.0 + at * 2e-2)
    assert not unknown.affords(100000)
    unknown.took(100, 1e-4)
    assert unknown.affords(100000)


def test_the_time_that_is_ours_is_none_that_the_program_has_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = Unknown(LOOP, 2.0)
    cost_s = unknown.cost_s()
    monkeypatch.setattr(BUDGET, "spent_s", BUDGET.spent_s + 0.5 * cost_s)
    assert not unknown.worth(([], 1.0), 2.0 + 1.2 * cost_s)
    assert unknown.worth(([], 1.0), 2.0 + 1.6 * cost_s)


def test_where_it_is_sure_to_be_asked_every_step_is_taken() -> None:
    unknown = Unknown(LOOP, 2.0)
    unknown.worth((np.zeros(1000), 1.0), 2.0)
    assert unknown.affords(10**9)


HELPER = """
def work(p, k):
    s = 0.0
    for t in range(k):
        s += (p + t) % 7
    return s
"""
PROGRAM = """
import sys
import numpy as np
from helper import work

def run(n, k):
    out = np.zeros(n)
    for i in range(n):
        out[i] = work(i * 0.5, k)
    return out

print(run(int(sys.argv[1]), int(sys.argv[2])).sum())
print("autopar.runtime.engine" in sys.modules, file=sys.stderr)
"""


def ran(tmp_path: Path, *words: str) -> tuple[str, bool]:
    """What is printed, and whether a loop was asked about."""
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "autopar", str(tmp_path / "program.py"), *words]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    return done.stdout, "True" in done.stderr


@pytest.mark.parametrize(("n", "k", "taken"), [(20, 30, False), (3000, 30000, True)])
def test_a_program_that_is_over_soon_asks_nothing(
    n: int, k: int, taken: bool, tmp_path: Path
) -> None:
    out, asked_about = ran(tmp_path, str(n), str(k))
    terms = np.arange(k)
    plain = sum(float(((i * 0.5 + terms) % 7).sum()) for i in range(n))  # all of them halves: exact
    assert (out, asked_about) == (f"{plain}\n", taken)
