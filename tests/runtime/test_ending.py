"""A ``while``, of which nobody knows how long it takes before it is over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autopar.runtime import before, hunch, watched
from autopar.runtime.before import Before, Call, Lately, Loss
from autopar.runtime.hunch import Hunch
from autopar.runtime.watched import Ending
from autopar.site_spec import SiteSpec

SPEC = SiteSpec("a.py", 1, "f", ("x",), (), b"", "while x > 1: x *= h", None, ends=True)
PROGRAM = """
def decays(x, h):
    n = 0
    while x > 1.0:
        x *= h
        n += 1
    return x, n
print(decays(1e10, 0.99999))
"""


class Clock:
    """Time that goes by when it is told to."""

    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    lately, found = Lately(), Clock()
    for module in (hunch, watched):
        monkeypatch.setattr(module, "LATELY", lately)
        monkeypatch.setattr(module, "clock", found)
    monkeypatch.setattr(before, "_took", {})
    return found


def test_what_it_has_taken_is_known(clock: Clock) -> None:
    site = Ending(SPEC, None)
    guess = site.hunch = Hunch(SPEC)
    guess.before.__dict__.update(_found=None, lost_s=0.0)
    for took_s, known_s in ((1e-4, 0.0), (0.5, 0.5), (0.2, 0.2), (1e-4, 0.0)):
        site.began, site.open = clock.now, True
        guess.since = clock.now
        clock.now += took_s
        site.over()
        assert not site.open
        assert guess.before.known_s == pytest.approx(known_s)
        assert Before(SPEC).known_s == pytest.approx(known_s)


def test_the_call_that_was_left_has_taken_so_long(clock: Clock) -> None:
    site = Ending(SPEC, None)
    guess = site.hunch = Hunch(SPEC)
    guess.before.__dict__.update(_found=None, lost_s=0.0)
    site.began = guess.since = clock.now
    call = Call(Loss(guess.before, 0.0, lambda: 10.0, sure=False), clock.now, 1e-6)
    watched.LATELY.open = [call]
    clock.now += 0.5
    site.over()
    assert watched.LATELY.open == [call]
    assert call.ran_s(clock.now + 99.0) == pytest.approx(0.5)


def test_what_earlier_ones_have_lost_tells_what_it_takes(clock: Clock) -> None:
    for ends, known_s in ((True, 0.7), (False, 0.0)):
        spec = SiteSpec("a.py", 1, "f", ("x",), (), b"", "", None, ends=ends)
        found = Before(spec)
        found.__dict__["lost_s"] = 0.7
        assert found.known_s == known_s


def ran(folder: Path, *command: str) -> tuple[str, float]:
    """What the program prints, and how long it takes in all."""
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(folder / "cache")}
    program = str(folder / "program.py")
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *command, program], env=env, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, time.monotonic() - began


@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
def test_one_call_in_each_process_gets_kernels_in_the_end(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    plain, _ = ran(tmp_path)
    for _ in range(8):
        found, _ = ran(tmp_path, "-m", "autopar")
        assert found == plain
        time.sleep(1.0)  # a copy is at work
        told, _ = ran(tmp_path, "-m", "autopar", "--report-json", str(tmp_path / "told"))
        assert told == plain
        if json.loads((tmp_path / "told").read_text())["loops"][0]["runs"]:
            return
    raise AssertionError((tmp_path / "told").read_text())
