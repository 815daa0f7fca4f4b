"""Random loops with another loop next to them, as one nest on the cores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autopar import journal
from autopar.runtime import site

from .choices import seeded
from .compare import judge
from .grammar import program
from .setting import eager

PROGRAMS = 25


def test_neighbours_do_what_the_interpreter_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "joins", lambda: True)
    joined = 0
    with eager():
        for number in range(PROGRAMS):
            judge(replace(program(seeded(11, number)), place="beside"))
            ran = [one for one in journal.records() if one.together is not None]
            joined += any(one.together.runs for one in ran if one.together is not None)
    assert joined >= PROGRAMS // 3
