"""The fastest way to run a command is found out by running it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autopar.kernel import SiteSpec
from autopar.runtime import earlier, tries
from autopar.runtime.earlier import Ledger
from autopar.runtime.process import clock
from autopar.runtime.tries import LEARNING, NONE, Line, Runs

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
            runs = runs.asked(way, seconds[name], True, doubt, newest)
        assert tries.read(runs.text()) == runs
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


def test_what_changes_is_noticed() -> None:
    runs = Runs(LEARNING, True, 1.0, 3.0, FIRST, SECOND)
    assert runs.way().alone_s == 1.5
    later = runs._replace(number=64)  # once in a while
    assert later.way() == tries.Way(SECOND)
    assert later.asked(later.way(), 0.5, True, True, FIRST).way() == tries.Way(SECOND)
    assert runs.longer(9.0) == NONE._replace(newest=SECOND)
    assert runs._replace(alone_s=0.0).longer(9.0).alone_s == 9.0  # and the others three


def test_runs_that_say_nothing_of_others() -> None:
    runs = NONE.asked(NONE.way(), 0.0, True, True, FIRST)  # one that failed
    assert (runs.number, runs.asked_s) == (1, 0.0)
    runs = runs.asked(runs.way(), 9.0, False, True, SECOND)  # it made what others read
    assert (runs.asked_s, runs.best) == (9.0, FIRST)
    runs = runs.asked(runs.way(), 8.0, False, True, SECOND)
    assert runs.asked_s == 9.0
    assert runs.asked(runs.way(), 8.0, True, True, FIRST).asked_s == 8.0
    assert runs.alone(0.0).alone_s == 0.0


@pytest.mark.parametrize("text", ["", "a", "1 0 0.5", "1 0 x 2", "1 0 1 2\nnone a 1 0 0"])
def test_what_is_damaged_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"values to unpack|invalid literal|convert|none"):
        tries.read(text)


@pytest.mark.parametrize(
    ("spent_s", "won_s", "took_s", "expected"),
    [
        (0.01, 0.0, 0.02, False),
        (0.1, 0.3, 1.0, True),
        (0.1, 0.5, 1.0, False),
        (1.0, 0.0, 2.0, True),
        (1.0, 0.0, 200.0, False),  # which nobody minds
    ],
)
def test_what_is_in_doubt(spent_s: float, won_s: float, took_s: float, expected: bool) -> None:
    assert tries.doubtful(spent_s, won_s, took_s) is expected


# ---------------------------------------------------------------------------- in a process

VALUES = (7, np.zeros(9))
SPEC = SiteSpec("a.py", 1, "f", ("n", "a"), (), b"", "", None)


def process(folder: Path, spent_s: float = 0.0, won_s: float = 0.0, took_s: float = 0.0) -> Ledger:
    """One that is over, whose loop has cost and won so much where it was asked."""
    ledger = Ledger(folder)
    ledger.began -= took_s
    one = ledger.account(SPEC, VALUES)
    one.due = max(0.0, one.due - took_s)
    if not one.waits(VALUES, clock()):
        one.note(VALUES, spent_s, won_s)
    ledger.leave()
    return ledger


def test_a_process_without_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_is_first", lambda: False)
    asking = {"spent_s": 0.4, "won_s": 0.7, "took_s": 3.0}  # neither is sure to be right
    for _ in range(2):
        assert not process(tmp_path, **asking).way.alone_s
    alone = process(tmp_path, took_s=2.0)
    one = alone.account(SPEC, VALUES)
    assert one.firm
    assert one.waits((7, np.zeros(10_000)), clock())  # whatever it is handed
    assert not one.asked
    assert alone.after().alone_s == pytest.approx(2.0, rel=0.2)
    for _ in range(LEARNING - 3):
        assert not process(tmp_path, **asking).way.alone_s
    again = process(tmp_path, **asking)
    assert again.way.alone_s == pytest.approx(3.0, rel=0.2)
    assert again.account(SPEC, VALUES).asked  # for it took longer than that
    assert Ledger(tmp_path).runs.number == 0


def test_one_that_an_exception_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_is_first", lambda: False)
    monkeypatch.setattr("sys.last_type", KeyboardInterrupt, raising=False)
    process(tmp_path, spent_s=0.4, took_s=3.0)
    assert Ledger(tmp_path).runs.asked_s == 0.0
