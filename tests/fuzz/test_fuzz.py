"""The bounded run: a few hundred programs, by the same machine as the long ones."""

from __future__ import annotations

import argparse

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from . import crew, findings
from .__main__ import run
from .choices import Choices, replayed, seeded
from .compare import Wrong, judge
from .grammar import program
from .program import PLACES, Program, read
from .setting import eager
from .shrink import shrink

PROGRAMS = 150
SEED = 0


def test_programs_do_what_the_interpreter_does() -> None:
    options = argparse.Namespace(
        seed=SEED, jobs=2, first=0, programs=PROGRAMS, batch=PROGRAMS // 2, minutes=None
    )
    table = run(options)
    assert table.wrong == []
    assert table.programs + table.repeated == PROGRAMS
    assert table.share("parallel", "sequential") >= 60
    assert table.share("parallel") >= 30  # 35 in long runs; this many programs scatter by 4


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """The same grammar as a strategy."""
    return program(Choices(lambda low, high: draw(st.integers(low, high))))


@settings(max_examples=4, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(found=programs())
def test_the_grammar_is_a_strategy_too(found: Program) -> None:
    with eager():
        judge(found)


# ---------------------------------------------------------------------------- the machine itself


def test_a_program_is_its_number_its_choices_and_its_text() -> None:
    for number in range(300):
        choices = seeded(1, number)
        found = program(choices)
        assert (
            program(seeded(1, number)) == program(replayed(choices.made, choices.grammar)) == found
        )
        assert read(str(found)) == found
        compile(found.source(["n"]), "<program>", "exec")
    assert len({str(program(seeded(1, n))) for n in range(300)}) > 290


def test_every_place_and_every_kind_of_array_occurs() -> None:
    found = [program(seeded(2, number)) for number in range(600)]
    assert {p.place for p in found} == set(PLACES)
    text = "".join(map(str, found))
    for part in ("float32", "int8", "uint64", "complex64", "bool", "asfortran", "[::-1]", "True)"):
        assert part in text
    for part in ("while", "break", "continue", "else:", "+=", "X[", "p.A", "math.", "np.", " ** "):
        assert part in text


def test_a_difference_is_cut_down_to_what_it_needs() -> None:
    runs = (seeded(5, number) for number in range(999))
    choices = next(c for c in runs if "np.sin" in program(c).loop and len(c.made) > 60)
    small = shrink(choices, lambda p: "np.sin" in p.loop, 20.0)
    assert len(small.loop.splitlines()) <= 3
    assert "np.sin" in small.loop


def test_what_is_kept_is_what_was_found(tmp_path) -> None:
    found = program(seeded(4, 4))
    path = findings.keep(found, 'said """so""" \\ and', tmp_path)
    assert findings.load(path) == found


@pytest.mark.parametrize("loop", ["A[i] = os._exit(7)", "A[i] = os.kill(os.getpid(), 11)"])
def test_a_crash_is_noticed(loop: str) -> None:
    setup = "import os\nA = np.zeros(3)\nn = 3\n"
    assert not crew.survives(Program(setup, f"for i in range(n):\n    {loop}\n"))
    assert crew.survives(Program(setup, "for i in range(n):\n    A[i] = 7\n"))


def test_a_hang_is_noticed(monkeypatch) -> None:
    monkeypatch.setattr(crew, "HANG_S", 8.0)
    setup = "import time\nA = np.zeros(3)\nn = 3\n"
    endless = Program(setup, "for i in range(n):\n    A[i] = time.sleep(60)\n")
    assert not crew.survives(endless)
    assert not crew.survives(endless, judged=False)
    assert crew.survives(Program(setup, "for i in range(n):\n    A[i] = 7\n"), judged=False)


def test_a_difference_is_noticed(monkeypatch) -> None:
    from autopar.runtime.run.launch import Launch

    true = Launch.parallel
    found = Program(
        "A = values('float64', (14,), 3)\nn = 5\n", "for i in range(n):\n    A[i] = 1\n"
    )

    def lazy(self, kernel, start, stop, *rest):
        return true(self, kernel, start, stop - 1, *rest)

    with eager():
        assert judge(found).status == "parallel"
        monkeypatch.setattr(Launch, "parallel", lazy)
        with pytest.raises(Wrong, match="call 0: A as it came: CPython has"):
            judge(found)
