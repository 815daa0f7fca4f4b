"""The fastest way to run a command is found out by running it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from autopar.records import replace
from autopar.runtime import earlier, tries
from autopar.runtime import process as once
from autopar.runtime.earlier import Ledger
from autopar.runtime.process import clock
from autopar.runtime.tries import LEARNING, NONE, Line, Runs
from autopar.site_spec import SiteSpec

MET = {"site": "call"}
FIRST, SECOND = {"a": Line(0.5, True, False, (7, 9))}, {"b": Line(0.0, False, True, ())}


def played(seconds: dict[str, float], times: int, doubt: bool = True, runs: Runs = NONE) -> str:
    """The ways of so many runs, each a letter: those that ask, or ask (n)othing, take `seconds`.

    Each that asks leaves lines of its own name: (f)irst and (s)econd in turn, or (e)mpty ones.
    """
    kept = {"f": FIRST, "s": SECOND}
    told = ""
    for number in range(times):
        way = runs.way()
        if way.alone_s:
            told += "n"
            assert way.alone_s > 0
            runs = runs.alone(seconds["n"])
        else:
            (name,) = [k for k, lines in {"e": {}, **kept}.items() if lines == way.lines]
            told += name
            newest = kept["fs"[number % 2]]
            runs = runs.asked(way, seconds[name], 0.1, 0.1, True, doubt, newest, MET)
        assert tries.read(runs.text()).text() == runs.text()
    return told


def test_what_is_not_in_doubt_is_asked_always() -> None:
    told = played({"e": 5.0, "f": 3.0, "s": 2.0}, 40, doubt=False)
    assert told == "efsfs" + 35 * "s"  # which was the fastest


def test_a_run_without_questions_says_whether_they_pay() -> None:
    told = played({"e": 5.0, "f": 1.3, "s": 4.0, "n": 1.0}, 41)
    assert told[:3] == "efn"  # two that ask come first
    assert {"n"} < set(told[LEARNING:])  # which of the others last: what the last one left
    assert told[LEARNING:].count("n") == 41 - LEARNING - 5  # but for each eighth
    told = played({"e": 5.0, "f": 0.8, "s": 0.9, "n": 1.0}, 41)
    assert told[2] == "n"
    assert set(told[LEARNING:]) == {"f", "n"}
    assert told[LEARNING:].count("n") == 5  # each eighth
    told = played({"e": 5.0, "f": 1.02, "s": 6.0, "n": 1.0}, 41)
    assert told[LEARNING:].count("n") == 5  # not worth it
    for asks, usual in ((3.0, "n"), (0.3, "f")):  # which is rare where much is lost
        told = played({"e": 5.0, "f": asks, "s": 4.0, "n": 1.0}, 128)
        assert told[LEARNING:].count(usual) == 128 - LEARNING - 1


def test_who_has_been_measured_to_lose_is_not_believed() -> None:
    """Questions are thought to win; runs that happened to ask nothing have taken less."""
    many = tries._AGAIN
    runs = Runs(LEARNING, False, 0.9, 1.1, 0.0, FIRST, SECOND, MET)
    ways = [replace(runs, number=LEARNING + k).way() for k in range(2 * many)]
    assert sum(bool(way.alone_s) for way in ways) == 2 * many - 2
    assert [way.lines for way in ways if not way.alone_s] == [SECOND] * 2
    faster = Runs(LEARNING, False, 1.1, 1.1, 0.0, FIRST, SECOND, MET)
    assert all(
        replace(faster, number=LEARNING + k).way() == tries.Way(FIRST) for k in range(2 * many)
    )


def test_a_way_that_has_paid_is_not_forgotten_where_all_is_put_off_after_it() -> None:
    """What has paid in all was guessed to lose, so that later runs ask nothing."""
    for asks_s, best in ((0.8, FIRST), (0.99, SECOND)):
        runs = Runs(1, False, 1.0, asks_s, 0.0, FIRST, SECOND, MET)
        assert runs.way() == tries.Way(SECOND)
        found = runs.asked(runs.way(), 1.0, 0.0, 0.0, True, False, SECOND, MET)
        assert found.way() == tries.Way(best)


def test_what_changes_is_noticed() -> None:
    runs = Runs(LEARNING, True, 1.0, 3.0, 2.5, FIRST, SECOND, MET)
    later = replace(runs, number=64)  # once in a while
    assert later.way() == tries.Way(SECOND)
    assert later.asked(later.way(), 0.5, 0.1, 0.1, True, True, FIRST, MET).way() == tries.Way(
        SECOND
    )
    slower = runs.asked(tries.Way(FIRST), 9.0, 0.1, 0.1, True, True, SECOND, MET)
    assert (slower.asked_s, slower.best) == (6.0, FIRST)


def test_how_long_nothing_is_asked() -> None:
    """Until as much is lost as questions cost, for all that is known of that."""
    runs = Runs(LEARNING, True, 1.0, 1.2, 1.1, FIRST, SECOND, MET)
    assert runs.way().alone_s == 1.5
    assert replace(runs, asked_s=3.0).way().alone_s == 3.0
    dear = {"a": Line(0.5, True, False, ()), "b": Line(0.25, True, False, ())}
    assert replace(runs, newest=dear).way().alone_s == 1.75
    longer = replace(runs, asked_s=3.0).alone(3.0)  # it was asked then, and ended after nine
    assert longer.way() == tries.Way(FIRST)


def dear_once(runs: Runs) -> Runs:
    """After one more whose questions have taken most of it."""
    return runs.asked(runs.way(), 3.0, 2.5, 2.5, True, True, SECOND, MET)


def test_runs_that_happen_to_ask_nothing_say_whether_questions_pay() -> None:
    short = NONE.asked(NONE.way(), 1.0, 0.0, 0.0, True, False, FIRST, MET)
    assert short == Runs(0, False, 1.0, 0.0, 0.0, {}, FIRST, MET)
    assert short.way() == tries.Way(FIRST)
    twice = short.asked(short.way(), 2.0, 0.0, 0.0, True, False, FIRST, MET)
    assert (twice.number, twice.alone_s) == (0, 1.5)  # nothing has been tried
    once = short.asked(short.way(), 4.0, 1.9, 1.9, False, True, SECOND, MET)
    assert (once.number, once.rest_s, once.asked_s) == (1, 0.0, 4.0)
    assert once.way() == tries.Way(SECOND)  # it may have made what this one has only to read
    cold = once.asked(once.way(), 4.0, 1.9, 1.9, False, True, SECOND, MET)
    assert cold.way() == tries.Way(SECOND)  # and so may this one
    third = cold.asked(cold.way(), 4.0, 1.9, 1.9, False, True, SECOND, MET)
    assert third.rest_s == pytest.approx(2.1)
    assert third.way().alone_s == 4.0
    vain = once.asked(once.way(), 3.0, 1.9, 1.9, True, True, SECOND, MET)
    assert vain.way().alone_s == 3.0  # slower whatever its questions take in the next
    assert vain.alone(1.0).way().alone_s == 3.0
    sure = once.asked(once.way(), 3.0, 1.9, 1.9, True, False, SECOND, MET)
    assert sure.way() == tries.Way(SECOND)
    busy = dear_once(once).asked(tries.Way(SECOND), 3.0, 0.1, 0.1, True, True, SECOND, MET)
    assert busy.way() == tries.Way(SECOND)  # another was fast enough
    dear = dear_once(once)
    assert dear.way() == tries.Way(SECOND)  # which may take half a second then
    again = once.asked(once.way(), 3.0, 2.5, 1.0, True, True, SECOND, MET)
    assert again.way().alone_s == 3.0  # this one asks for most of it once more


def test_short_runs_before_kernels_are_made_do_not_make_it_late() -> None:
    """Where it takes some processes to lose what kernels cost, and one that makes them."""
    for before in range(9):
        runs = NONE
        for _ in range(before):
            runs = runs.asked(runs.way(), 2.0, 0.0, 0.0, True, False, FIRST, MET)
        runs = runs.asked(runs.way(), 4.0, 2.0, 2.0, False, True, SECOND, MET)
        for _ in range(20):
            way = runs.way()
            if way.alone_s:
                runs = runs.alone(2.0)
            else:
                runs = runs.asked(way, 0.6, 0.2, 0.2, True, True, SECOND, MET)
        assert runs.asked_s == pytest.approx(0.6)
        assert not runs.way().alone_s


def test_other_calls_or_another_program_begin_anew() -> None:
    runs = Runs(LEARNING, True, 1.0, 3.0, 2.5, FIRST, SECOND, MET)
    assert not runs.others({"inner": "call"})  # which was not asked about before
    again = runs.asked(runs.way(), 5.0, 0.1, 0.1, True, True, FIRST, {"inner": "call"})
    assert again.met == {**MET, "inner": "call"}
    assert again.number == LEARNING + 1
    other = {"site": "larger"}
    assert runs.others(other)
    anew = runs.asked(runs.way(), 5.0, 2.0, 2.0, True, True, FIRST, other)
    assert anew == Runs(1, True, 0.0, 5.0, 3.0, runs.way().lines, FIRST, other)


def test_runs_that_say_nothing_of_others() -> None:
    runs = NONE.asked(NONE.way(), 0.0, 0.1, 0.1, True, True, FIRST, MET)  # one that failed
    assert runs == replace(NONE, newest=FIRST)
    runs = runs.asked(
        runs.way(), 9.0, 0.1, 0.1, False, True, SECOND, MET
    )  # it made what others read
    assert (runs.asked_s, runs.best) == (9.0, FIRST)
    runs = runs.asked(runs.way(), 8.0, 0.1, 0.1, False, True, SECOND, MET)
    assert runs.asked_s == 9.0
    assert runs.asked(runs.way(), 8.0, 0.1, 0.1, True, True, FIRST, MET).asked_s == 8.0
    assert runs.alone().alone_s == 13.5  # one that was stopped, who knows when
    assert runs.alone(7.0).alone().alone_s == 7.0


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "1 0 0.5 1", "1 0 x 2 1", "1 0 1 2 1\nnone a 1 0 0", "1 0 1e2345 2 1",
        "1 0 1 nan 1", "-1 0 1 2 1", "1 0 1 -2 1", "1 0 1 2 -1", "inf 0 1 2 1",
        "1 0 1 2 1\nbest a inf 0 0", "1 0 1 2 1\nmet a",
    ],
)  # fmt: skip
def test_what_is_damaged_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        tries.read(text)


@pytest.mark.parametrize(
    ("spent_s", "won_s", "took_s", "kernels_s", "expected"),
    [
        (0.01, 0.0, 0.02, 0.0, False),
        (0.1, 0.3, 1.0, 0.01, True),
        (0.1, 0.5, 1.0, 0.01, False),
        (1.0, 0.0, 2.0, 0.0, True),
        (1.0, 0.0, 200.0, 0.0, False),  # which nobody minds
        (0.1, 0.3, 1.0, 0.1, False),  # of which the interpreter may make ten seconds
    ],
)
def test_what_is_in_doubt(
    spent_s: float, won_s: float, took_s: float, kernels_s: float, expected: bool
) -> None:
    assert tries.doubtful(spent_s, won_s, took_s, kernels_s) is expected


@pytest.mark.parametrize(
    ("spent_s", "took_s", "kernels_s", "expected"),
    [(0.09, 1.0, 0.0, True), (0.11, 1.0, 0.0, False), (0.01, 1.0, 0.1, False)],
)
def test_what_is_as_a_run_without_questions(
    spent_s: float, took_s: float, kernels_s: float, expected: bool
) -> None:
    assert tries.costless(spent_s, took_s, kernels_s) is expected


# ---------------------------------------------------------------------------- in a process

VALUES = (7, np.zeros(9))
SPEC = SiteSpec("a.py", 1, "f", ("n", "a"), (), b"", "", None)


def process(
    folder: Path,
    spent_s: float = 0.0,
    won_s: float = 0.0,
    took_s: float = 0.0,
    values: tuple[object, ...] = VALUES,
    killed: bool = False,
) -> Ledger:
    """One that is over, whose loop has cost and won so much where it was asked."""
    ledger = Ledger(folder)
    ledger.began -= took_s
    one = ledger.account(SPEC, values)
    if not one.firm:  # then it counts from where that began
        one.due = max(0.0, one.due - took_s)
    if not one.waits(values, clock()):
        one.note(values, spent_s, won_s)
    if not killed:
        ledger.leave()
    return ledger


def test_a_process_without_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_is_first", lambda: False)
    monkeypatch.setattr(earlier, "records", list)  # of the loops of other tests
    asking = {"spent_s": 0.4, "won_s": 0.7, "took_s": 3.0}  # neither is sure to be right
    for _ in range(2):
        assert not process(tmp_path, **asking).way.alone_s
    alone = process(tmp_path, took_s=2.8)
    one = alone.account(SPEC, VALUES)
    assert one.firm
    assert one.wakes  # loops in it can be asked when that is over
    assert one.waits((7, np.zeros(10_000)), clock())  # whatever it is handed later
    assert not one.asked
    assert alone.after().alone_s == pytest.approx(2.8, rel=0.1)
    for _ in range(LEARNING - 3):  # one that asks would ask for all of it again
        assert process(tmp_path, took_s=2.8).way.alone_s
    again = process(tmp_path, **{**asking, "took_s": 5.0})
    assert again.way.alone_s == pytest.approx(4.2, rel=0.1)
    assert again.account(SPEC, VALUES).asked  # for it took longer than that
    assert Ledger(tmp_path).runs.alone_s == pytest.approx(4.2, rel=0.1)


@pytest.fixture
def doubtful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where two processes have left that it is in doubt whether questions pay."""
    monkeypatch.setattr(earlier, "_is_first", lambda: False)
    monkeypatch.setattr(earlier, "records", list)
    for _ in range(2):
        process(tmp_path, spent_s=0.4, won_s=0.7, took_s=3.0)
    return tmp_path


def test_one_that_an_exception_has_ended(doubtful: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = earlier.Ledger(doubtful).read()
    for module, name, value in ((sys, "last_type", KeyError), (once, "failed", True)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value, raising=False)
            ledger = Ledger(doubtful)
            ledger.way = tries.Way(before.newest)
            ledger.account(SPEC, VALUES).note(VALUES, 9.0, 0.0)
            assert replace(ledger.after(), newest={}) == replace(ledger.runs, newest={})


def test_one_without_questions_that_is_killed(doubtful: Path) -> None:
    assert process(doubtful, killed=True).way.alone_s
    assert not process(doubtful, spent_s=0.4, won_s=0.7, took_s=3.0).way.alone_s
    assert Ledger(doubtful).runs.alone_s == pytest.approx(4.5, rel=0.2)  # so long, at least


def test_values_of_other_sizes_are_asked_about(doubtful: Path) -> None:
    larger = process(doubtful, took_s=5.0, values=(7, np.zeros(90)))
    assert not larger.way.alone_s
    one = larger.account(SPEC, (7, np.zeros(90)))
    assert one.asked
    assert not one.firm
    again = Ledger(doubtful).runs  # all begins anew
    assert (again.number, again.asked_s) == (0, 0.0)
    assert again.alone_s == pytest.approx(5.0, rel=0.1)


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """Of a process after one that took a second without questions."""
    monkeypatch.setattr(earlier, "_is_first", lambda: False)
    monkeypatch.setattr(earlier, "records", list)
    process(tmp_path, spent_s=0.01, took_s=1.0)
    found = Ledger(tmp_path)
    assert found.runs.alone_s == pytest.approx(1.0, rel=0.1)
    other = Ledger(tmp_path / "other")
    for line in range(10, 60, 10):
        other.account(replace(SPEC, line=line), VALUES)
    found.runs = replace(found.runs, met={**found.runs.met, **other.met})
    return found


def test_what_others_took_says_nothing_of_another_program(second: Ledger) -> None:
    known, new = (replace(SPEC, line=line) for line in (10, 11))
    assert not second.account(known, VALUES).affords(0.5, made=False)
    assert second.account(new, VALUES).affords(0.5, made=False)
    assert second.account(replace(SPEC, line=20), VALUES).affords(0.5, made=False)
    assert second.likely(3.0) == 3.0


def test_a_question_that_takes_most_of_what_there_is_to_win_is_not_asked(second: Ledger) -> None:
    cheap, dear = (second.account(replace(SPEC, line=line), VALUES) for line in (10, 20))
    assert cheap.affords(0.3, made=False)
    assert not dear.affords(0.4, made=False)
    cheap.note(VALUES, 0.1, 0.0)
    assert not dear.affords(0.3, made=False)  # with what others have lost so far
    assert dear.affords(0.45, made=True)  # kernels need only be read
    assert not dear.affords(0.55, made=True)
    dear.winner = True
    assert dear.affords(9.0, made=False)
    second.began -= 2.0
    assert cheap.affords(9.0, made=False)  # by then there is more to be won
    assert earlier.NOBODY.affords(9.0, made=False)


def test_questions_win_no_more_than_all(second: Ledger) -> None:
    for line, won_s in ((10, 30.0), (20, 0.1), (30, 30.0)):
        second.account(replace(SPEC, line=line), VALUES).note(VALUES, 0.4, won_s)
    names = list(second.accounts)
    both = {names[0], names[2]}
    for alone_s, winners in ((0.0, both), (1.0, set()), (9.0, both)):
        second.runs = replace(second.runs, alone_s=alone_s)
        lines = second.lines()
        assert {name for name, line in lines.items() if line.winner} == winners
        assert lines[names[1]].cost_s == pytest.approx(0.4)
        assert second.after().doubt is (alone_s == 1.0)


def test_the_clock_knows_better_than_a_guess_that_is_too_low(second: Ledger) -> None:
    for line, won_s in ((10, 0.2), (20, 0.01), (30, 0.0)):
        second.account(replace(SPEC, line=line), VALUES).note(VALUES, 0.1, won_s)
    much, little, nothing = second.accounts
    slow, fast = second.lines(seen_s=0.1), second.lines(seen_s=0.9)  # of a second
    assert [slow[name].cost_s for name in (much, little, nothing)] == [pytest.approx(0.1)] * 3
    assert much not in fast  # it is asked, and nothing more: who knows how slow that second was
    assert [fast[name].cost_s for name in (little, nothing)] == [pytest.approx(0.1)] * 2
    second.began -= 0.4
    assert second.after().newest == fast
    assert second.after().doubt  # whether that is better is to be tried
    second.began -= 0.8
    assert second.after().newest == slow


def test_what_the_next_one_asks_again_costs_it_as_much(second: Ledger) -> None:
    second.began -= 3.0
    second.runs = replace(second.runs, alone_s=9.0)
    second.account(replace(SPEC, line=10), VALUES).note(VALUES, 1.0, 1.6)
    second.account(replace(SPEC, line=20), VALUES).note(VALUES, 0.5, 0.0)
    assert second.after().rest_s == pytest.approx(2.5, rel=0.1)


def test_questions_end_where_they_have_lost_a_part_of_what_there_was_to_win(
    tmp_path: Path, second: Ledger
) -> None:
    ledger = second
    specs = [replace(SPEC, line=line) for line in (10, 20, 30, 40)]
    vain, wins, other, late = specs
    known = Line(0.0, False, True, (7, 9))
    ledger.before = {Ledger(tmp_path).account(SPEC, VALUES).name: known}
    ledger.account(wins, VALUES).note(VALUES, 0.1, 0.2)
    ledger.account(other, VALUES)
    ledger.account(vain, VALUES).note(VALUES, 0.3, 0.0)
    assert not any(one.waits(VALUES, clock()) for one in ledger.accounts.values())
    ledger.account(vain, VALUES).note(VALUES, 0.1, 0.0)
    later = clock() + 1.3
    waiting = [ledger.account(spec, VALUES).waits(VALUES, later) for spec in (*specs, SPEC)]
    assert waiting == [True, False, True, True, False]  # the last one has won before
    assert not ledger.account(late, VALUES).firm
    assert not ledger.account(late, VALUES).wakes  # which others would be told
    longer = clock() + 1.7
    assert not any(one.waits(VALUES, longer) for one in ledger.accounts.values())
    ledger.rests = clock() - 1.0
    assert not ledger.account(replace(SPEC, line=50), VALUES).waits(VALUES, clock())


@pytest.mark.parametrize("took_s", [0.3, 0.8, 1.2, 1.6])
def test_what_runs_take_without_questions_is_left(
    tmp_path: Path, took_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier, "records", list)
    process(tmp_path, took_s=took_s)
    assert Ledger(tmp_path).runs.alone_s == pytest.approx(took_s, rel=0.1)
    before = [file.stat().st_mtime_ns for file in tmp_path.iterdir()]
    process(tmp_path, took_s=took_s)
    assert [file.stat().st_mtime_ns for file in tmp_path.iterdir()] == before  # it is no news
    process(tmp_path, took_s=3 * took_s)
    assert Ledger(tmp_path).runs.alone_s == pytest.approx(2 * took_s, rel=0.1)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (SPEC, True),
        (replace(SPEC, parent=0), True),  # loops that stand next to one another
        (replace(SPEC, inner=True), False),
        (replace(SPEC, flat=True), False),
    ],
)
def test_runs_are_told_apart_by_loops_that_are_asked_from_the_start(
    spec: SiteSpec, told: bool, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path)
    ledger.account(spec, VALUES)
    assert bool(ledger.met) is told


def test_who_knows_no_better_asks_on(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    one = ledger.account(SPEC, VALUES)
    one.note(VALUES, 9.0, 0.0)
    assert not one.waits(VALUES, clock())
