"""``--device auto``: a GPU runs what it is clearly faster at; here PoCL is taken for one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from outcome import both

from autopar import config, journal
from autopar.device import offer
from autopar.device.api import DeviceFailed
from autopar.device.offer import Offer, best
from autopar.device.run import Run
from autopar.runtime.choice import choose, gpu
from autopar.runtime.run import on_device

pytest.importorskip("pyopencl")

PROGRAM = """
import numpy as np
def smooth(a, b, n):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            b[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) * 0.25
def in_order(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + x[i]
a, b, x = np.arange(160000.0).reshape(400, 400), np.zeros((400, 400)), np.arange(200000.0)
for k in range(12):
    smooth(a, b, 400 - k % 2)
    in_order(x)
    print(b.tobytes() == a.tobytes(), float(b.sum()).hex(), float(x.sum()).hex())
    a, b = b, a
"""
FAST = Offer(("opencl", 0), 1e-15, 1e-15, 1e-12, 1e-15, 1e-16)
SLOW = replace(FAST, over_s=1e-3)


@pytest.fixture
def chosen(lenient: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Which devices loops ran on, by line, where a GPU costs what an offer says."""
    monkeypatch.setattr(on_device, "_warned", [])
    monkeypatch.setattr(choose, "_LOOKING_S", 0.0)
    config.use(replace(config.current(), verify=False, device="auto", threads=2))

    def run(found: Offer | None) -> dict[int, str | None]:
        monkeypatch.setattr(gpu, "offered", lambda: found)
        both(PROGRAM)
        return {one.line: one.device for one in journal.records() if one.runs}

    return run


def test_what_is_clearly_faster_there_runs_there(chosen):
    assert chosen(FAST) == {4: "opencl:0", 8: "cpu"}


@pytest.mark.parametrize("found", [SLOW, None], ids=["far away", "none"])
def test_what_is_not_stays_on_the_cores(chosen, found):
    assert chosen(found) == {4: "cpu", 8: "cpu"}


def test_a_user_who_wants_the_cores_has_them(chosen):
    config.use(replace(config.current(), device="cpu"))
    assert chosen(FAST) == {4: "cpu", 8: "cpu"}


def test_nobody_looks_for_a_gpu_for_what_is_soon_over(chosen, monkeypatch):
    monkeypatch.setattr(choose, "_LOOKING_S", 2.0)
    asked: list[Any] = []
    monkeypatch.setattr(offer, "best", lambda copy: asked.append(None))
    assert chosen(FAST) == {4: "cpu", 8: "cpu"}
    assert not asked


def test_a_gpu_that_fails_is_not_chosen_again(chosen, monkeypatch, capsys):
    launches: list[Any] = []

    def broken(self: Run, *given: Any) -> None:
        launches.append(given)
        raise DeviceFailed("the device is gone")

    monkeypatch.setattr(Run, "launch", broken)
    assert chosen(FAST) == {4: "cpu", 8: "cpu"}
    assert len(launches) == 1
    assert capsys.readouterr().err.count("the device is gone; loops run on the CPU") == 1


def test_libraries_that_fail_in_their_own_way_are_no_matter(chosen, monkeypatch):
    # No text of ours in between: that would be the user's.
    monkeypatch.setattr(gpu, "best", json.loads)
    gpu.offered.cache_clear()
    found = gpu.offered()
    gpu.offered.cache_clear()
    assert found is None
    assert chosen(found) == {4: "cpu", 8: "cpu"}


def test_pocl_is_no_gpu(lenient):
    assert best(np.copyto) is None


def test_an_offer_is_measured_once(lenient, tmp_path, monkeypatch):
    config.use(replace(config.current(), cache_dir=tmp_path))
    from autopar.device import opencl

    monkeypatch.setattr(offer, "_MOVED", 1 << 16)
    monkeypatch.setattr(offer, "_COPIED", 1 << 16)
    monkeypatch.setattr(offer, "_ITEMS", 1 << 8)
    device = opencl.find(0)
    made = offer._kept(device, ("opencl", 0))
    fields = np.array([made.over_s, made.back_s, made.launch_s, made.byte_s, made.operation_s])
    assert (fields >= 0).all()
    assert made.launch_s > 0
    monkeypatch.setattr(offer, "_measured", None)
    assert offer._kept(device, ("opencl", 0)) == made
    (file,) = (tmp_path / "devices").iterdir()
    file.write_text('{"over_s": 1}')
    with pytest.raises(TypeError):  # what is damaged is measured again
        offer._kept(device, ("opencl", 0))


def test_a_run_costs_what_moves_and_what_is_done():
    found = Offer(("cuda", 0), 2.0, 3.0, 10.0, 0.5, 0.25)
    assert found.run_s((4, 2), 1, 4) == 8 + 6 + 10 + 3
    assert found.run_s((4, 2), 2, 400) == 8 + 6 + 20 + 100
