"""How many work items go on together: what is tried and kept, and that results are the same."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import site

from autopar.device import groups, opencl
from autopar.device import run as device_run
from autopar.device.groups import Groups

SLOW = {64: 3.0, 128: 1.0, 256: 2.0, 512: 4.0}


def kept() -> tuple[list[int], Callable[[int], None]]:
    told: list[int] = []
    return told, told.append


def launches(found: Groups, count: int, took: dict[int, float], same: str = "") -> list[int]:
    """Sizes that so many launches are made with, each over before the next begins."""
    sizes = []
    for _ in range(count):
        size = found.turn(same)
        sizes.append(found.best if size is None else size)
        if size is not None:
            found.begun(same, size, functools.partial(took.__getitem__, size))
    return sizes


def test_the_fastest_is_taken_and_told_once():
    told, keep = kept()
    found = Groups(256, 1024, None, keep)
    assert launches(found, 8, SLOW) == [256, 64, 128, 512] * 2
    assert launches(found, 3, SLOW) == [128] * 3
    assert found.settled
    assert told == [128]


def test_the_usual_one_stays_unless_another_is_clearly_faster():
    told, keep = kept()
    found = Groups(256, 1024, None, keep)
    launches(found, 9, SLOW | {128: 1.95})
    assert found.settled
    assert told == [256]


@pytest.mark.parametrize(("most", "sizes"), [(100, [100, 64]), (200, [200, 64, 128]), (32, [32])])
def test_no_more_than_the_kernel_can_have(most, sizes):
    found = Groups(256, most, None, print)
    assert found.sizes == sizes
    assert found.settled == (len(sizes) == 1)
    assert max(launches(found, 20, dict.fromkeys(sizes, 1.0))) <= most


@pytest.mark.parametrize(("before", "best"), [(512, 512), (0, 256), (-64, 256), (1 << 40, 256)])
def test_what_an_earlier_process_has_found_unless_it_makes_no_sense(before, best):
    found = Groups(256, 1024, before, print)
    assert found.best == best
    assert found.settled == (best != 256)


def test_launches_that_do_something_else_are_not_compared():
    """The inner loops of a decomposition get shorter: what is tried later would seem faster."""
    told, keep = kept()
    found = Groups(256, 1024, None, keep)
    for step in range(40):
        launches(found, 1, SLOW, f"step {step}")
    assert not found.settled
    assert found.best == 256
    assert len(found.took) <= 8
    for _ in range(8):
        launches(found, 1, SLOW, "step 3")
    assert told == [128]


def test_a_launch_that_is_not_over_is_not_waited_for():
    found = Groups(256, 1024, None, print)
    over: list[float | None] = [None]
    assert found.turn("") == 256
    found.begun("", 256, lambda: over[0])
    assert [found.turn("") for _ in range(3)] == [None] * 3
    over[0] = 1.0
    assert found.turn("") == 64


SOURCE = "for i in range(len(a)):\n    b[i] = a[i] * 0.5 + i\n"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> opencl.OpenCL:
    """PoCL, of which a few numbers are tried as if it were a GPU."""
    device = opencl.find(0)
    monkeypatch.setattr(device, "tries", True)
    monkeypatch.setattr(device, "groups", {})
    monkeypatch.setattr(groups, "SIZES", (32, 128))
    monkeypatch.setattr(device_run, "LEAST", 1000)
    return device


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many work items go on together at each launch on PoCL."""
    found: list[int] = []
    launched = opencl.OpenCL.started

    def started(self: Any, kernel: Any, items: int, group: int, given: Any) -> Any:
        found.append(group)
        return launched(self, kernel, items, group, given)

    monkeypatch.setattr(opencl.OpenCL, "started", started)
    return found


def run(times: int, count: int) -> None:
    """Calls of a nest, each verified."""
    here = site(SOURCE)
    for _ in range(times):
        space = {**vars(builtins), "a": np.arange(count) / 7.0, "b": np.zeros(count)}
        assert here.run(tuple(space[root] for root in here.spec.roots)) is not None


def test_a_kernel_is_tried_and_the_next_process_knows(pocl, apart, tried, sizes):
    apart()
    run(8, 5000)
    assert sizes[:6] == [64, 32, 128] * 2
    (found,) = tried.groups.values()
    assert found.settled
    assert sizes[6:] == [found.best] * 2
    tried.groups.clear()  # as in another process
    sizes.clear()
    run(2, 5000)
    assert sizes == [found.best] * 2
    (again,) = tried.groups.values()
    assert again.settled


def test_short_launches_say_nothing(pocl, apart, tried, sizes):
    apart()
    run(8, 900)
    assert sizes == [64] * 8


def test_a_processor_is_not_tried(pocl, sizes):
    assert not opencl.find(0).tries
    run(3, 300_000)
    assert sizes == [64] * 3
