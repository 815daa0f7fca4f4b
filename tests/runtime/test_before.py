"""A nest that has had kernels in an earlier process waits less for them in the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autopar import config
from autopar.runtime.before import Before
from autopar.runtime.process import clock
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec

PROGRAM = """
import sys
import numpy as np

def swept(a, n):
    for t in range(n):
        for i in range(1, len(a)):
            a[i] = 0.5 * a[i - 1] + a[i]

a = np.linspace(0.0, 1.0, 100)
for n in map(int, sys.argv[1:]):
    swept(a, n)
print(a.tobytes().hex()[:64], repr(a.sum()))
"""
# Trips of the outer loop that make some 35 ms of interpreted work, and a second.
MEDIUM, LARGE = "2000", "60000"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "swept.py"
    path.write_text(PROGRAM)
    return path


def runs(program: Path, cache: Path, *sizes: str) -> tuple[str, int]:
    """What is printed, and how often kernels ran."""
    report = program.with_suffix(".json")
    options = ["-m", "autopar", "--report-json", str(report)]
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(cache)}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK"):
        env.pop(name, None)
    command = [sys.executable, *options, str(program), *sizes]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    loops = json.loads(report.read_text())["loops"]
    (loop,) = (one for one in loops if one["function"] == "swept")
    return done.stdout, loop["runs"]


def test_a_nest_that_was_compiled_before_is_taken_sooner(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = subprocess.run(
        [sys.executable, str(program), MEDIUM], check=True, capture_output=True, text=True
    ).stdout
    assert runs(program, cache, MEDIUM) == (plain, 0)
    assert runs(program, cache, LARGE)[1] == 1
    assert runs(program, cache, MEDIUM) == (plain, 1)
    assert runs(program, cache, "2")[1] == 0  # which is next to nothing


def test_what_is_worth_reading_is_not_worth_compiling() -> None:
    assert MACHINE.dispatch_s < MACHINE.read_s < MACHINE.compile_s


def test_without_a_cache_nothing_is_known(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert runs(program, file / "cache", LARGE)[1] == 1
    assert runs(program, file / "cache", MEDIUM)[1] == 0


def site(file: str, nest: bytes = b"nest") -> SiteSpec:
    return SiteSpec(file, 1, "f", (), (), nest, "", None)


@pytest.fixture
def empty_cache(tmp_path: Path) -> Iterator[None]:
    before = config.current()
    (tmp_path / "cache").mkdir(mode=0o700)
    config.use(replace(before, cache_dir=tmp_path / "cache"))
    try:
        yield
    finally:
        config.use(before)


@pytest.mark.usefixtures("empty_cache")
def test_kernels_are_those_of_one_text_in_one_file() -> None:
    assert not Before(site("a.py")).compiled
    Before(site("a.py")).note()
    assert Before(site("a.py")).compiled
    assert not Before(site("a.py")).promised
    assert not Before(site("b.py")).compiled
    assert not Before(site("a.py", b"another")).compiled


@pytest.mark.usefixtures("empty_cache")
def test_a_nest_that_was_left_for_too_long_is_promised_kernels() -> None:
    assert not Before(site("a.py")).promised
    losing = Before(site("a.py"))
    losing.lost()
    losing.lost()
    assert Before(site("a.py")).promised
    assert not Before(site("a.py")).compiled
    assert not Before(site("b.py")).promised


@pytest.mark.usefixtures("empty_cache")
def test_losses_are_kept_until_they_are_enough() -> None:
    assert not Before(site("a.py")).lost_s
    Before(site("a.py")).loses(0.25)
    Before(site("a.py")).loses(0.5)
    assert Before(site("a.py")).lost_s == 0.75
    assert not Before(site("b.py")).lost_s
    assert Before(site("a.py")).losing(lambda: True)
    assert not Before(site("a.py")).losing(lambda: False)
    Before(site("a.py")).loses(0.0)
    assert not Before(site("a.py")).losing(lambda: True)
    Before(site("a.py")).loses(0.25)
    Before(site("a.py")).lost()
    assert not Before(site("a.py")).lost_s
    assert Before(site("a.py")).losing(lambda: False)
    assert not Before(site("b.py")).losing(lambda: True)


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("found", [b"", b"much", b"nan", b"\xff"])
def test_what_is_damaged_is_no_loss(found: bytes) -> None:
    one = Before(site("a.py"))
    one.loses(0.25)
    Path(f"{one.mark}.lost").write_bytes(found)
    assert not Before(site("a.py")).losing(lambda: True)


TOLD = """
if "autopar" in sys.modules:
    from autopar import journal
    print(*(record.runs for record in journal.records()), file=sys.stderr)
"""
BESIDE = """
import sys
import numpy as np

def small(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = (i * 3 + j * 7) % 11 * 0.5

def large(a, b):
    for t in range(12):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

a, b = np.zeros((400, 400)), np.zeros((400, 400))
small(a)
large(a, b)
print(b.sum())
"""
BEHIND = BESIDE.replace("(400, 400)", "(700, 700)").replace("range(12)", "range(1)")


@pytest.mark.parametrize("text", [BESIDE, BEHIND], ids=["beside a large one", "behind a kernel"])
def test_each_nest_gets_kernels_in_the_end(text: str, tmp_path: Path) -> None:
    """Who reads kernels for one has what others need; threads that ran one are in nobody's way."""
    program = tmp_path / "program.py"
    program.write_text(text + TOLD)
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for name in ("AUTOPAR_VERIFY", "AUTOPAR_FAIL_ON_FALLBACK"):
        env.pop(name, None)
    seen = []
    for way in [[], *[["-m", "autopar"]] * 40]:  # a fast interpreter loses little in each
        command = [sys.executable, *way, str(program)]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        seen.append((done.stdout, done.stderr.split()))
        if seen[-1][1] == ["1", "1"]:
            break
    assert len({out for out, _ in seen}) == 1
    assert seen[-1][1] == ["1", "1"]


@pytest.mark.usefixtures("empty_cache")
def test_what_kernels_cost_that_are_there_is_kept() -> None:
    one = Before(site("a.py"))
    one.lost()
    one.note()
    assert Before(site("a.py")).losing(list)  # as nobody knows what they cost
    one.note(0.25)
    later = Before(site("a.py"))
    assert later.compiled
    assert later.asks_s == 0.25
    assert not later.losing(lambda: True)  # it is lost each time
    later.note()  # which says less
    assert Before(site("a.py")).asks_s == 0.25
    assert one.asks_s == 0.0
    one.look()
    assert one.asks_s == 0.25


@pytest.mark.usefixtures("empty_cache")
def test_losses_do_not_count_where_it_is_known_what_kernels_cost() -> None:
    Before(site("a.py")).loses(0.25)
    assert Before(site("a.py")).owed_s == 0.25
    Before(site("a.py")).note(0.5)
    assert Before(site("a.py")).owed_s == 0.0
    assert not Before(site("a.py")).losing(lambda: True)


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("found", [b"x", b"", b"\xff"])
def test_a_mark_that_says_nothing_is_one(found: bytes) -> None:
    one = Before(site("a.py"))
    assert not one.compiled
    assert one.mark is not None
    Path(one.mark).write_bytes(found)
    later = Before(site("a.py"))
    assert later.compiled
    assert later.asks_s == 0.0


@pytest.mark.usefixtures("empty_cache")
def test_much_that_is_lost_outweighs_a_question() -> None:
    """Or a loop that each process enters once would wait in all of them."""
    one = site("some.py")
    Before(one).loses(0.2)
    assert Before(one).weighed(lambda: False, 0.01)
    assert not Before(one).weighed(lambda: False, 0.1)
    Before(one).loses(0.0)
    assert not Before(one).weighed(lambda: False, 0.01)
    Before(one).note(0.02)
    assert Before(one).weighed(lambda: False, 0.05)  # it may have made them
    assert not Before(one).weighed(lambda: False, 0.06)  # to read them did not pay


@pytest.mark.usefixtures("empty_cache")
def test_what_was_asked_in_vain_waits_long() -> None:
    one, values = site("a.py"), (7, [1.0] * 30)
    Before(one).lost()
    Before(one).in_vain(0.25, values)
    found = Before(one)
    assert found.losing(lambda: False)  # nothing is known yet of the call at hand
    found.meets(values, 1.0)
    assert found.waits_s == pytest.approx(5.0)
    assert not found.losing(lambda: True)
    found.loses(9.0)
    assert Before(one).owed_s == 9.0
    assert found.owed_s == 0.0
    found.meets((7, [1.0] * 200), 1.0)  # which may be another matter
    assert found.waits_s == 0.0
    assert found.losing(lambda: False)
    found.meets(values, 2.0)
    for now, waits_s in ((2.001, 5.0), (2.01, 0.0)):  # what is in a list is looked at again later
        found.meets((7, ["a"] * 30), now)
        assert found.waits_s == pytest.approx(waits_s)
    other = Before(site("b.py"))
    other.meets(values, 1.0)
    assert other.waits_s == 0.0
    Before(one).note(0.5)
    made = Before(one)
    made.meets(values, 1.0)
    assert made.waits_s == 0.0  # there are kernels, if of other calls


@pytest.mark.usefixtures("empty_cache")
def test_what_stays_the_same_is_looked_at_less_and_less() -> None:
    one, values, others = site("a.py"), (7, [1.0] * 30), (7, ["a"] * 30)
    Before(one).in_vain(0.25, values)
    found, now = Before(one), 1.0
    for _ in range(9):
        found.meets(values, now)
        now += 0.1
    found.meets(others, now - 0.03)
    assert found.waits_s == pytest.approx(5.0)
    found.meets(others, now)
    assert found.waits_s == 0.0
    found.meets(values, now + 0.01)  # it is looked at soon again
    assert found.waits_s == pytest.approx(5.0)


@pytest.mark.usefixtures("empty_cache")
def test_who_has_sent_a_copy_learns_what_that_has_found() -> None:
    ours, copy = Before(site("a.py")), Before(site("a.py"))
    ours.meets((), clock())
    copy.in_vain(0.25, ())
    ours.meets((), clock())
    assert ours.waits_s == 0.0
    ours.look()
    ours.meets((), clock())
    assert ours.waits_s == pytest.approx(5.0)
    assert not ours.compiled


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("found", [b"", b"1 2", b"nan 1 a", b"\xff"])
def test_what_is_damaged_was_not_in_vain(found: bytes) -> None:
    one = Before(site("a.py"))
    one.in_vain(1.0, ())
    Path(f"{one.mark}.vain").write_bytes(found)
    later = Before(site("a.py"))
    later.meets((), 1.0)
    assert later.waits_s == 0.0


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("found", [b"nan", b"inf", b"-1", b"x", b""])
def test_what_is_damaged_was_not_lost(found: bytes) -> None:
    one = Before(site("a.py"))
    one.loses(0.25)
    assert Before(one.spec).lost_s == 0.25
    Path(f"{one.mark}.lost").write_bytes(found)
    assert Before(one.spec).lost_s == 0.0
    assert one.mark is not None
    Path(one.mark).write_bytes(found)
    again = Before(one.spec)
    assert again.compiled
    assert again.asks_s == 0.0
