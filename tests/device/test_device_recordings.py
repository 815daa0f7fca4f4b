"""Launches that are recorded and started together where a run is the same as an earlier one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import standin

from autopar import journal
from autopar.device import cuda, recordings
from autopar.hook.loader import code_of

pytestmark = pytest.mark.skipif(standin.compiler() is None, reason="there is no C++ compiler")
Function = Callable[..., Any]
HEAD = "def run(a, b, h, steps, s=0):\n"
STEPS = """\
    for t in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = (a[i - 1] + a[i] + a[i + 1]) * h
        for i in range(1, len(a) - 1):
            a[i] = (b[i - 1] + b[i] + b[i + 1]) * h
"""
LAST = STEPS.replace("for t", "for s")
ASKED = STEPS + "        if a[1] < 0:\n            break\n"
SUMMED = STEPS + "        for i in range(len(a)):\n            s += int(a[i])\n"


@pytest.fixture
def graphs(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many launches each graph had, in the order in which they were started."""
    journal.clear()
    found: list[int] = []
    monkeypatch.setattr(standin, "GRAPHS", found)
    return found


def function(steps: str = STEPS) -> Function:
    """A function with that loop, as the hook would have it."""
    code = code_of(f"{HEAD}{steps}    return s\n", "<user program>", "text")
    assert code is not None
    space: dict[str, Any] = {"__name__": "recorded"}
    exec(code, space)
    found: Function = space["run"]
    return found


def call(run: Function, steps: int = 10, h: float = 0.25, size: int = 50) -> None:
    """One verified call on the device."""
    run(np.arange(size) / 7.0, np.zeros(size), h, steps)
    assert {one.device for one in journal.records() if one.runs} == {"cuda:0"}


def test_a_run_is_recorded_at_its_second_call(graphs):
    here = function()
    call(here)
    assert graphs == []
    for _ in range(3):
        call(here)
    assert graphs == [20] * 3


def test_runs_that_differ_have_recordings_of_their_own(graphs):
    here = function()
    for _ in range(3):
        call(here)
        call(here, steps=12)
        call(here, h=0.5)
        call(here, size=60)
    assert graphs == [20, 24, 20, 20] * 2


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (1.0, 1)])
def test_numbers_that_are_equal_and_not_the_same(one, other, graphs):
    here = function()
    call(here, h=one)
    call(here, h=other)
    assert graphs == []
    call(here, h=one)
    call(here, h=other)
    assert graphs == [20, 20]


def test_very_many_launches_have_no_room(graphs, monkeypatch):
    monkeypatch.setattr("autopar.device.run.MOST", 30)
    here = function()
    for _ in range(3):
        call(here, steps=15)
        call(here, steps=16)
    assert graphs == [30] * 2


def test_one_launch_is_recorded_as_well(graphs):
    here = function("    for i in range(len(a)):\n        b[i] = a[i] * h\n")
    for _ in range(3):
        call(here)
    assert graphs == [1] * 2


def test_only_the_last_runs_are_kept(graphs):
    here = function()
    for size in range(40, 60):
        call(here, size=size)
    assert len(cuda.find(0).recordings.known) == recordings._KEPT
    call(here, size=40)  # long gone, so it is a first run again
    assert graphs == []
    call(here, size=59)
    assert graphs == [20]


def test_a_run_that_comes_again_is_one_of_the_last(graphs):
    here = function()
    for size in (40, 40, *range(41, 55), 40, 55, 56, 40):
        call(here, size=size)
    assert graphs == [20] * 3


@pytest.mark.parametrize(
    "source", [ASKED, SUMMED, LAST], ids=["a test", "a sum", "a variable of the driver's loop"]
)
def test_what_the_host_has_a_part_in_is_not_recorded(source, graphs):
    here = function(source)
    for _ in range(3):
        call(here)
    assert graphs == []


def test_a_recording_that_fails_is_the_last_one(graphs, monkeypatch, capsys):
    def refused(self: Any) -> Any:
        self.captured = None
        raise standin.CUDARuntimeError("cudaErrorStreamCaptureInvalidated")

    monkeypatch.setattr(standin.Stream, "end_capture", refused)
    here = function()
    for _ in range(4):
        call(here)
    assert graphs == []
    assert cuda.find(0).recordings is None
    assert capsys.readouterr().err == ""


def test_a_launch_that_fails_while_it_is_recorded(graphs, monkeypatch, capsys):
    here = function()
    call(here)
    plain = standin.Function.__call__

    def failing(self: Any, grid: Any, block: Any, args: Any, stream: Any) -> None:
        if stream.captured is not None and len(stream.captured) == 7:
            raise standin.CUDADriverError("CUDA_ERROR_INVALID_VALUE")
        plain(self, grid, block, args, stream)

    monkeypatch.setattr(standin.Function, "__call__", failing)
    for _ in range(3):
        call(here)
    assert graphs == []
    assert capsys.readouterr().err == ""


def test_an_interruption_is_not_lost_in_a_recording(graphs, monkeypatch):
    device = cuda.find(0)

    def refused(self: Any) -> Any:
        self.captured = None
        raise standin.CUDARuntimeError("cudaErrorStreamCaptureInvalidated")

    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(standin.Stream, "end_capture", refused)
    with pytest.raises(KeyboardInterrupt):
        device.recordings.record(interrupted)
    assert device.streams == {}


def test_other_threads_launch_as_ever_meanwhile(graphs, monkeypatch):
    """What another thread starts is not a part of what this one records."""
    device = cuda.find(0)
    here, other = function(), function()
    call(here)
    with ThreadPoolExecutor(1) as pool:
        recorded = device.recordings.record

        def meanwhile(work: Any) -> Any:
            def both() -> int:
                status: int = work()
                pool.submit(call, other, 3).result()
                return status

            return recorded(both)

        monkeypatch.setattr(device.recordings, "record", meanwhile)
        call(here)
    assert graphs == [20]
