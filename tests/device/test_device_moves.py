"""Bytes that go to a device and come back: no more than the accesses of a nest allow.

The least is found by running the plain function on arrays that note each access: in must go what is
read before it is written, and back what is written.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded import Log, Touched, recorded

from autopar import config, journal
from autopar.hook.loader import code_of
from autopar.runtime.running import Runner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import suite
from alpyna.script import digest
from test_device_suite import NAMES, REFUSED


def least(one: Touched) -> int:
    """Bytes of one array that must go over and come back."""
    return (len(one.needed) + len(one.written)) * one.array.itemsize


def bytes_of(log: Log) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for line, arrays in log.runs:
        found.setdefault(line, []).append(sum(map(least, arrays.values())))
    return found


@pytest.fixture
def moved(pocl: None, apart: Any, monkeypatch: pytest.MonkeyPatch) -> dict[int, list[int]]:
    """Bytes of arrays that each run on the device has moved, by the line of its loop."""
    apart()
    # Verification would run what is called by the interpreter's run on the device as well.
    config.use(replace(config.current(), check=True, verify=False))
    found: dict[int, list[int]] = {}
    offloaded = Runner.offloaded

    def noted(self: Runner, *given: Any) -> Any:
        launch: Any = offloaded(self, *given)
        if launch is not None:
            found.setdefault(self.nest.loop.line, []).append(launch.moved)
        return launch

    monkeypatch.setattr(Runner, "offloaded", noted)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_benchmarks_move_no_more_than_they_must(name, moved):
    plain = importlib.import_module(suite.PLACES[name][0])
    size = suite.sizes(name)["tiny"]
    text = Path(plain.__file__).read_text()
    log = recorded(text, f"recorded_{name}", plain.make(size, 1))
    journal.clear()
    space: dict[str, Any] = {"__name__": f"moves_{name}"}
    exec(code_of(text, plain.__file__, "text"), space)
    space["run"](**space["make"](size, 1))
    expected = bytes_of(log)
    print(expected, moved)
    assert moved == expected
