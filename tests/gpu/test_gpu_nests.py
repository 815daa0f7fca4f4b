"""On a real GPU, nests, all benchmarks and random programs leave CPython's bytes."""

from __future__ import annotations

import argparse
import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import run

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "device"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import suite
from alpyna.script import digest
from on_device import NAMES, REFUSED, left
from outcome import both
from test_device_runs import TAKEN
from test_device_stages import NESTS, SIZES, WIDE, program

from autopar import config, journal
from autopar.hook.loader import code_of
from autopar.runtime.choice import items
from fuzz.__main__ import run as fuzz


@pytest.mark.parametrize("name", TAKEN)
def test_nests(name, gpu):
    source, makers = TAKEN[name]
    names = {"np": np, **{key: make() for key, make in makers.items()}}
    if name == "views of one array":
        whole = np.arange(72.0).reshape(6, 12)
        names |= {"c": whole[:, :6], "d": whole[:, 6:]}
    site, found = run(source, **names)
    assert found is not None
    assert site.record is not None
    assert site.record.device == "cuda:0"


@pytest.mark.parametrize("size", ["tiny", "quick"])
@pytest.mark.parametrize("name", NAMES)
def test_benchmarks(name, size, gpu, apart):
    apart()
    config.use(replace(config.current(), fail_on_fallback=False, check=True))
    plain = importlib.import_module(suite.PLACES[name][0])
    count = suite.sizes(name)[size]
    expected = digest(left(plain.run, plain.make(count, 1)))
    assert plain.__file__ is not None
    journal.clear()
    space: dict[str, Any] = {"__name__": f"on_gpu_{name}"}
    code = code_of(Path(plain.__file__).read_text(), plain.__file__, "text")
    assert code is not None
    exec(code, space)
    assert digest(left(space["run"], space["make"](count, 1))) == expected
    ran = [one for one in journal.records() if one.runs]
    assert ran
    assert name in REFUSED or all(one.device == "cuda:0" for one in ran)


@pytest.mark.parametrize("wide", [False, True], ids=["small blocks", "blocks of a GPU"])
@pytest.mark.parametrize("name", NESTS)
def test_work_items_that_read_by_way_of_the_chip(name, wide, gpu, apart, monkeypatch):
    apart()
    if wide:
        monkeypatch.setattr(items, "_SMALL", WIDE)
    sizes = "((70, 130, 40), (64, 128, 32), (31, 65, 17))" if wide else SIZES
    both(program(NESTS[name], sizes=sizes))


@pytest.mark.parametrize("memory", ["", "150"], ids=["at once", "in pieces"])
def test_random_programs(memory, gpu, monkeypatch):
    monkeypatch.setenv("AUTOPAR_DEVICE", "cuda")
    monkeypatch.setenv("AUTOPAR_DEVICE_MEMORY", memory)
    options = argparse.Namespace(seed=5, jobs=1, first=0, programs=200, batch=200, minutes=None)
    assert fuzz(options).wrong == []


def test_calls_that_come_again(gpu, apart):
    """Numbers of threads are tried, then launches are recorded; each call is verified."""
    apart()
    text = (
        "def run(a, b, steps):\n    for t in range(steps):\n"
        "        for i in range(1, len(a) - 1):\n            b[i] = (a[i - 1] + a[i + 1]) * 0.5\n"
        "        for i in range(1, len(a) - 1):\n            a[i] = (b[i - 1] + b[i + 1]) * 0.5\n"
    )
    journal.clear()
    code = code_of(text, "<user program>", "text")
    assert code is not None
    space: dict[str, Any] = {"__name__": "again"}
    exec(code, space)
    before = set(gpu.groups)
    for _ in range(20):
        space["run"](np.arange(300_000) / 7.0, np.zeros(300_000), 3)
    assert {one.device for one in journal.records() if one.runs} == {"cuda:0"}
    tried = [gpu.groups[key] for key in set(gpu.groups) - before]
    assert tried
    assert all(one.settled for one in tried)
    assert gpu.recordings is not None
    assert any(one.launches is not None for one in gpu.recordings.known.values())


def test_subnormal_numbers_stay(gpu):
    """CuPy has float32 ones flushed to zero where it compiles by itself."""
    a = np.float32(2.0) ** np.arange(-149, -100, dtype=np.float32)
    source = "for i in range(len(a)):\n    b[i] = a[i] * h\n    c[i] = a[i] / d[i]\n"
    names = {"a": a, "b": np.zeros_like(a), "c": np.zeros_like(a), "d": np.full_like(a, 3.0)}
    site, _ = run(source, h=np.float32(0.75), **names)
    assert site.record is not None
    assert site.record.device == "cuda:0"
    assert 0 < names["c"][1] < names["a"][3]


def test_an_error_of_the_device_is_met_by_the_cpu(gpu, monkeypatch):
    """A launch with too many threads fails in the driver; the nest has CPython's answer."""
    monkeypatch.setattr(type(gpu), "group", 1 << 20)
    monkeypatch.setattr(gpu, "tries", False)
    config.use(replace(config.current(), fail_on_fallback=False))
    site, found = run("for i in range(len(a)):\n    a[i] += 1.5\n", a=np.arange(1000.0))
    assert found is not None
    assert site.record is not None
    assert site.record.device == "cpu"
