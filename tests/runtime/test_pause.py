"""Questions before there are kernels must not cost more than a part of the loop itself."""

from __future__ import annotations

from autopar.nest.text.lift import lift_text
from autopar.runtime.before import Before
from autopar.runtime.choice.choose import Chooser
from autopar.sched.machine import MACHINE
from autopar.verdict import Reason


class Never(Before):
    """No earlier process."""

    def __init__(self) -> None:
        pass

    @property
    def compiled(self) -> bool:
        return False


def chooser() -> Chooser:
    return Chooser(lift_text("for i in range(n):\n    a[i] = 1.0\n"), None, Never())  # type: ignore[arg-type]


def asked(question_s: float, work_s: float) -> tuple[int, int]:
    """How many calls are asked until the nest is compiled, and how many there are."""
    one, questions, calls = chooser(), 0, 0
    while True:
        refusal = one.waiting(work_s)
        questions, calls = questions + 1, calls + 1
        if refusal is None:
            return questions, calls
        assert refusal.reason is Reason.NOT_YET
        calls += one.pause(question_s)


def test_cheap_questions_are_asked_each_time() -> None:
    questions, calls = asked(1e-6, 1e-3)
    assert questions == calls


def test_dear_questions_are_spared_and_the_work_counts_all_the_same() -> None:
    questions, calls = asked(2e-4, 1e-4)
    assert questions * 2e-4 <= 2.5 * 0.05 * calls * 1e-4
    assert calls >= MACHINE.compile_s / 1e-4


def test_there_is_no_pause_without_a_wait() -> None:
    assert chooser().pause(1.0) == 0
