"""Kernels, and plans, that only some calls need are weighed by themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from outcome import both

from autopar import config, journal, kept, pipeline
from autopar.runtime import hunch
from autopar.runtime.background import Background
from autopar.runtime.choice.waiting import Waiting

HEAD = """
import math
import numpy as np
def doubled(n):
    a = np.arange(n * 1.0)
    for i in range(n):
        a[i] = math.sin(a[i]) * 2.0 + i
    return a
a = doubled(20)
"""


@pytest.fixture
def costs(lenient: None, monkeypatch: pytest.MonkeyPatch) -> dict[bool, float]:
    """Seconds that kernels cost, by whether they are a nest's first ones."""
    config.use(replace(config.current(), verify=False))
    found = {True: 0.0, False: math.inf}
    monkeypatch.setattr(hunch, "wanted", lambda: True)  # that all loops are asked
    monkeypatch.setattr(Waiting, "cost_s", lambda self, state: found[self.first])
    monkeypatch.setattr(pipeline, "missing", lambda typed, plan, program: "kernel")
    return found


def runs(text: str, head: str = HEAD, line: int = 6) -> int:
    """How many calls of `text` behind `head` ran as kernels, of the loop in that line."""
    journal.clear()
    both(head + text)
    (record,) = (record for record in journal.records() if record.line == line)
    return record.runs


def test_calls_of_another_size_wait_for_theirs(costs: dict[bool, float]) -> None:
    assert runs("a = doubled(300)\nb = doubled(300_000)\nc = doubled(310)\n") == 2


def test_they_get_them_once_they_are_worth_it(costs: dict[bool, float]) -> None:
    costs[False] = 0.0
    assert runs("a = doubled(300)\nb = doubled(300_000)\nc = doubled(310)\n") == 3


MOVED = """
import numpy as np
def moved(a, b):
    for i in range(a.size):
        a[i] = b[i] * 0.5 + i
x = np.arange(4001.0)
y = np.ones(4000)
moved(y, x[1:])
"""

SCATTERED = """
import numpy as np
def moved(a, b):
    for i in range(a.size):
        a[b[i]] = i * 2.0
x = np.zeros(200_000)
moved(x, np.arange(200_000))
y = np.arange(200_000) // 2
"""


@pytest.fixture
def nothing_made(costs: dict[bool, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this process had imported nothing that makes plans, and copies of it would make them.

    All kernels are there.
    """
    monkeypatch.setattr(Background, "serve", lambda self, before: True)
    monkeypatch.setattr(pipeline, "missing", lambda typed, plan, program: None)
    monkeypatch.setattr(kept, "planned", lambda: False)


@pytest.mark.parametrize(("cost_s", "count"), [(math.inf, 1), (0.0, 2)])
def test_calls_without_a_plan_wait_until_they_are_worth_one(
    costs: dict[bool, float], nothing_made: None, cost_s: float, count: int
) -> None:
    costs[False] = cost_s
    assert runs("moved(x, x)\n", MOVED, line=4) == count


def test_where_no_copy_makes_it_it_is_made_at_once(
    costs: dict[bool, float], nothing_made: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Background, "serve", lambda self, before: False)
    assert runs("moved(x, x)\n", MOVED, line=4) == 2


def test_a_plan_of_which_the_next_call_needs_another_is_made_at_once(
    costs: dict[bool, float], nothing_made: None
) -> None:
    assert runs("moved(x[1:], x[:-1])\nmoved(x[2:], x[:-2])\n", MOVED, line=4) == 3


@pytest.mark.parametrize(("questions", "count"), [(99, 1), (3, 2)])
def test_so_do_those_of_which_index_arrays_decide(
    nothing_made: None, monkeypatch: pytest.MonkeyPatch, questions: int, count: int
) -> None:
    """Each of them asks whether it is worth one by now."""
    asked = 0

    def enough(self: Waiting, state: object, work_s: float) -> bool:
        nonlocal asked
        asked += not self.first
        return self.first or asked > questions

    monkeypatch.setattr(Waiting, "enough", enough)
    assert runs("moved(x, y)\nmoved(x, y)\nmoved(x, y)\n", SCATTERED, line=4) == count
