"""Kernels that only calls of another size need are weighed by themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from outcome import both

from autopar import config, journal, pipeline
from autopar.runtime import hunch
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


def runs(text: str) -> int:
    """How many calls of `text` behind `HEAD` ran as kernels."""
    journal.clear()
    both(HEAD + text)
    (record,) = (record for record in journal.records() if record.line == 6)
    return record.runs


def test_calls_of_another_size_wait_for_theirs(costs: dict[bool, float]) -> None:
    assert runs("a = doubled(300)\nb = doubled(300_000)\nc = doubled(310)\n") == 2


def test_they_get_them_once_they_are_worth_it(costs: dict[bool, float]) -> None:
    costs[False] = 0.0
    assert runs("a = doubled(300)\nb = doubled(300_000)\nc = doubled(310)\n") == 3
