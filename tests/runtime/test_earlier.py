"""Questions that did not pay in an earlier run of the same command are put off in the next."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autopar import config
from autopar.runtime import earlier, tries
from autopar.runtime.earlier import Account, Ledger
from autopar.site_spec import SiteSpec

PROGRAM = """
import sys
import numpy as np

def changed(a, random):
    for i, _ in enumerate(a):
        a[i] = 0.5 * a[i] + random.zipf(2.0)  # a draw that is not taken
        for j in range(3):
            a[i] += j * 0.25

a = np.linspace(0.0, 1.0, int(sys.argv[1]))
random = np.random.default_rng(3)
for _ in range(20):
    changed(a, random)
print(a.tobytes().hex()[:64], repr(a.sum()))
print("autopar.runtime.engine" in sys.modules, file=sys.stderr)
"""


def run(program: Path, cache: Path, *words: str, options: tuple[str, ...] = ()) -> tuple[str, bool]:
    """What is printed, and whether a loop was asked about."""
    # Who asks is the program itself, not a copy of it.
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(cache), "AUTOPAR_BACKGROUND": "0"}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK", "AUTOPAR_DEBUG"):
        env.pop(name, None)
    command = [sys.executable, "-m", "autopar", *options, str(program), *words]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    return done.stdout, "True" in done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "changed.py"
    path.write_text(PROGRAM)
    return path


def test_the_same_command_does_not_ask_again(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = subprocess.run(
        [sys.executable, str(program), "1000"], check=True, capture_output=True, text=True
    ).stdout
    assert run(program, cache, "1000") == (plain, True)
    assert run(program, cache, "1000") == (plain, False)
    assert run(program, cache, "1000", options=("--report",)) == (plain, True)
    assert run(program, cache, "1001")[1]
    assert not run(program, cache, "1000")[1]
    program.write_text(PROGRAM.replace("zipf(2.0)", "zipf(3.0)"))
    assert run(program, cache, "1000")[1]


def test_a_helper_that_has_changed_is_another_matter(program: Path, tmp_path: Path) -> None:
    cache, helper = tmp_path / "cache", tmp_path / "helper.py"
    helper.write_text("def more(x, random):\n    return x + random.zipf(2.0)\n")
    text = PROGRAM.replace("0.5 * a[i] + random.zipf(2.0)", "more(0.5 * a[i], random)")
    program.write_text(f"from helper import more\n{text}")
    assert run(program, cache, "1000")[1]
    assert not run(program, cache, "1000")[1]
    helper.write_text("def more(x, random):\n    return x + random.random()\n")
    assert run(program, cache, "1000")[1]


@pytest.mark.parametrize(
    "first",
    [
        "del sys.argv",
        "sys.argv = [None, 10**5000]",
        "import os, tempfile; os.chdir(folder := tempfile.mkdtemp()); os.rmdir(folder)",
        "n = 10**5000",
    ],
)
def test_what_a_program_does_to_its_process_keeps_no_loop_from_running(
    first: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "import sys\nimport numpy as np\nn = 0\n"
        f"{first}\n"
        "def count(a, n):\n"
        "    s = 0.0\n"
        "    for i in range(len(a)):\n"
        "        s += a[i]\n"
        "        if i > n:\n"
        "            s += 1.0\n"
        "    return s\n"
        "print([count(np.ones(100000), m) for m in (n, 5)])\n"
    )
    plain = subprocess.run(
        [sys.executable, str(path)], check=True, capture_output=True, text=True
    ).stdout
    assert run(path, tmp_path / "cache") == (plain, False)
    assert run(path, tmp_path / "cache") == (plain, False)


def test_without_a_cache_all_is_asked(program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for _ in range(2):
        assert run(program, tmp_path / "file" / "cache", "1000")[1]


# ---------------------------------------------------------------------------- accounts


SPEC = SiteSpec(
    file="a.py", line=1, function="f", roots=("n", "a"), live_out=(), nest=b"", text="", parent=None
)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setattr(earlier, "_is_first", lambda: False)
    # On a busy machine, long pauses may come between any two lines.
    monkeypatch.setattr(earlier, "clock", itertools.count(1000.0, 1e-6).__next__)
    return Ledger(tmp_path)


def asked(ledger: Ledger, line: int, spent_s: float, won_s: float, *values: object) -> Account:
    values = values or (7, np.zeros(9))
    spec = SiteSpec("a.py", line, "f", ("n", "a"), (), b"", "", None)
    one = ledger.account(spec, values)
    one.note(values, spent_s, won_s)
    return one


def test_what_costs_more_than_it_wins_is_left(ledger: Ledger) -> None:
    good = asked(ledger, 1, 0.01, 9.0)
    bad = asked(ledger, 2, 0.2, 0.05)
    asked(ledger, 3, 0.0001, 0.0)  # which is nothing
    assert {name: line.winner for name, line in ledger.lines().items()} == {
        good.name: True,
        bad.name: False,
    }
    asked(ledger, 2, 0.0, 0.06)  # a guess: it may have been twice as much
    assert {*ledger.lines()} == {good.name}


def test_who_was_only_looked_at_pays_for_that_alone(ledger: Ledger) -> None:
    values = 7, np.zeros(9)
    bad = asked(ledger, 4, 0.2, 0.0)
    guessed, other = ledger.account(SPEC, values), asked(ledger, 3, 0.0, 0.0)
    for one, spent_s in ((guessed, 0.001), (other, 0.002)):
        one.looked = False
        one.note(values, spent_s, 0.0, looked=False)
    costs = {name: line.cost_s for name, line in ledger.lines().items()}
    assert costs == pytest.approx({bad.name: 0.2, guessed.name: 0.003, other.name: 0.003})
    guessed.note(values, 0.0, 0.0)
    assert ledger.lines()[guessed.name].cost_s == pytest.approx(0.05)


def test_who_wins_nothing_when_its_time_has_come_is_put_off_for_longer(tmp_path: Path) -> None:
    costs = []
    for _ in range(8):
        ledger = Ledger(tmp_path)
        one = asked(ledger, 1, 0.02, 0.0)
        costs.append(ledger.lines()[one.name].cost_s)
        ledger.write(tries.Runs(1, False, 0.0, 1.0, 0.0, {}, ledger.lines(), {}))
    assert costs == pytest.approx([0.02, 0.04, 0.08, 0.16, *[0.32] * 4], rel=0.01)


def test_who_was_asked_late_is_asked_again(ledger: Ledger) -> None:
    """Its kernels came when most was over: it would have been put off in all later runs."""
    values = 7, np.zeros(9)
    late = ledger.account(SPEC, values)
    late.born -= 10.0
    late.note(values, 0.2, 0.01)
    assert late.late
    assert [line.cost_s for line in ledger.lines().values()] == [0.0]
    ledger.before = ledger.lines()
    assert [line.cost_s for line in ledger.lines().values()] == [0.2]  # again: so it will be
    ledger.before = {}
    late.note(values, 0.001, 0.0)  # which is not what took long
    late.born -= 30.0  # since when as much again has gone by
    assert not late.late
    assert ledger.lines()[late.name].cost_s > 0.2
    late.born += 30.0
    late.wakes = True  # it was declined for what it is
    assert ledger.lines()[late.name].cost_s > 0.2


def test_where_a_whole_process_wins_nothing_nothing_is_worth_asking(ledger: Ledger) -> None:
    good, bad = asked(ledger, 1, 0.1, 0.2), asked(ledger, 2, 0.5, 0.0)
    assert {*ledger.lines()} == {good.name, bad.name}


def test_what_a_first_process_makes_the_next_one_may_read(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier, "_is_first", lambda: True)
    made = asked(ledger, 1, 2.0, 0.5)
    asked(ledger, 3, 2.0, 0.05)
    refused = asked(ledger, 2, 2.0, 0.0)
    lines = ledger.lines()
    assert {*lines} == {made.name, refused.name}
    assert lines[made.name].winner
    assert not lines[refused.name].winner
    assert lines[refused.name].cost_s < 0.1  # most was for what is on disk from now on


def test_one_call_with_objects_says_nothing_of_the_next(ledger: Ledger) -> None:
    one = asked(ledger, 1, 0.5, 0.0, 7, ledger)
    one.born -= 5.0  # it may have run for so long
    assert not ledger.lines()
    one.note((7, ledger), 0.0, 0.0)
    assert {*ledger.lines()} == {one.name}


def test_one_that_was_over_at_once_is_put_off_until_it_is_longer(ledger: Ledger) -> None:
    one = asked(ledger, 1, 0.5, 0.0, 7, ledger)
    assert {*ledger.lines()} == {one.name}
    ledger.leave()
    folder = Path(ledger.file).parent
    spec = SiteSpec("a.py", 1, "f", ("n", "a"), (), b"", "", None)
    second = Ledger(folder)
    again = second.account(spec, (7, ledger))
    assert again.waits((7, ledger), earlier.clock())
    assert {*second.lines()} == {one.name}
    again.born -= 5.0  # this time it took longer, and nobody had asked
    assert not second.lines()
    second.leave()
    assert not Ledger(folder).account(spec, (7, ledger)).due


def test_the_next_process_waits_in_proportion(ledger: Ledger) -> None:
    one = asked(ledger, 1, 0.5, 0.0)
    one.wakes = True
    good = asked(ledger, 2, 0.01, 5.0)
    ledger.leave()
    after = Ledger(Path(ledger.file).parent)
    again = after.account(SPEC, (7, np.zeros(9)))
    assert again.name == one.name
    assert again.wakes
    now = earlier.clock()
    assert again.waits((7, np.zeros(9)), now)
    assert not again.waits((7, np.zeros(9)), now + 11)
    assert again.waits((7, np.zeros(30)), now)
    assert not again.waits((7, np.zeros(1000)), now)  # so much larger
    assert not again.waits((7, np.zeros(9)), now)
    assert not after.account(SPEC, (7.5, np.zeros(9))).due  # of another type
    assert not after.account(SPEC, (7, np.zeros(9, np.float32))).due
    assert {*after.lines()} == {one.name, good.name}  # nobody has asked again


def test_calls_that_wait_are_seen_more_rarely_but_not_beyond_half_the_wait() -> None:
    one = Account("name")
    one.due = 101.0
    assert one.pause(100.0) == 0  # nobody knows how often they come
    assert one.pause(100.001) == 15
    assert one.pause(100.201) == 15  # sixteen calls have taken 0.2 s
    assert one.pause(100.901) == 1
    assert one.pause(102.0) == 0
    one.due, one.since, one.firm = 1000.0, 100.0, True
    assert one.pause(100.001) == 255  # nothing but time makes it due


def test_imports_that_others_pay_for_are_paid_for(ledger: Ledger) -> None:
    asked(ledger, 1, 0.02, 0.05)
    assert not ledger.pays()
    asked(ledger, 2, 0.02, 0.5)
    assert ledger.pays()
    ledger.leave()
    assert Ledger(Path(ledger.file).parent).pays()


def test_what_has_won_much_need_not_wait(ledger: Ledger) -> None:
    good = asked(ledger, 1, 0.02, 0.5)
    asked(ledger, 2, 0.02, 0.05)  # which is little
    asked(ledger, 3, 0.4, 0.5)  # and has cost nearly as much
    assert not good.wins((7, np.zeros(9)))  # nothing was known when it was asked first
    ledger.leave()
    after = Ledger(Path(ledger.file).parent)
    assert {*after.before} == {good.name}
    again = after.account(SPEC, (7, np.zeros(9)))
    assert not again.due
    assert again.wins((7, np.zeros(9)))
    assert again.wins((7, np.zeros(1000)))
    assert not again.wins((7, np.zeros(1)))  # so much smaller
    assert {*after.lines()} == {good.name}  # nobody has asked again


def test_who_no_longer_wins_is_forgotten(ledger: Ledger) -> None:
    asked(ledger, 1, 0.001, 0.5)
    ledger.leave()
    folder = Path(ledger.file).parent
    still = Ledger(folder)
    asked(still, 1, 0.001, 0.05)  # less than what makes a winner: one that is known stays
    asked(still, 2, 0.001, 0.05)
    assert [line.winner for line in still.lines().values()] == [True]
    less = Ledger(folder)
    asked(less, 1, 0.001, 0.01)
    assert not less.lines()
    worse = Ledger(folder)
    asked(worse, 1, 0.2, 0.01)
    worse.leave()
    again = Ledger(folder).account(SPEC, (7, np.zeros(9)))
    assert again.due
    assert not again.wins((7, np.zeros(9)))


def test_what_is_damaged_is_nothing(ledger: Ledger) -> None:
    asked(ledger, 1, 0.5, 0.0)
    ledger.leave()
    file = Path(ledger.file)
    file.write_text("a b c")
    assert not Ledger(file.parent).before
    file.write_bytes(b"\xff\xfe\x00")
    assert not Ledger(file.parent).before


def test_old_files_go(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_MOST_FILES", 4)
    file = Path(ledger.file)
    for k in range(6):
        (file.parent / f"old{k}").write_text("")
    asked(ledger, 1, 0.5, 0.0)
    ledger.leave()
    assert file.exists()
    assert len(list(file.parent.iterdir())) == 4


def test_accounts_are_kept_for_whole_programs_alone() -> None:
    assert not config.whole_command
    assert not earlier.account(SPEC, (7, np.zeros(9))).name
