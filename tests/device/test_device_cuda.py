"""``--device cuda`` on a stand-in for CuPy: CUDA's text runs, and what fails is left to the CPU."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import standin
from test_device_runs import RNG, TAKEN, record

from autopar import config, journal
from autopar.device import cuda
from autopar.hook.loader import code_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import suite
from alpyna.script import digest

pytestmark = pytest.mark.skipif(standin.compiler() is None, reason="there is no C++ compiler")
LOOP = "for i in range(len(a)):\n    a[i] = a[i] * 0.5 + i\n"


@pytest.mark.parametrize("name", TAKEN)
def test_nests_run_as_the_interpreter_would(name, gpu):
    source, makers = TAKEN[name]
    names = {"np": np, **{key: make() for key, make in makers.items()}}
    if name == "views of one array":
        whole = np.arange(72.0).reshape(6, 12)
        names |= {"c": whole[:, :6], "d": whole[:, 6:]}
    said = record(source, **names)
    assert said.device == "cuda:0"
    assert said.transfer_bytes > 0


def test_more_than_one_piece_goes_over(gpu, monkeypatch):
    monkeypatch.setattr(cuda, "_PIECE", 1000)
    a = RNG.random((40, 30))
    said = record("for i in range(40):\n    for j in range(30):\n        a[i, j] += j\n", a=a)
    assert said.device == "cuda:0"


def test_a_nest_that_has_no_room_runs_in_pieces(gpu):
    config.use(replace(config.current(), device_memory=1600))
    a, b = RNG.random((40, 30)), np.zeros((40, 30))
    source = "for i in range(40):\n    for j in range(30):\n        b[i, j] = a[i, j] * 0.5\n"
    assert record(source, a=a, b=b).device == "cuda:0"


@pytest.mark.parametrize(
    ("device", "devices", "words"),
    [
        ("cuda", 0, "no CUDA device: cudaErrorNoDevice"),
        ("cuda:3", 2, "there is no device cuda:3; there are 2, from cuda:0"),
    ],
)
def test_a_device_that_is_not_there(gpu, tmp_path, capsys, monkeypatch, device, devices, words):
    monkeypatch.setitem(sys.modules, "cupy", standin.cupy(tmp_path, devices))
    config.use(replace(config.current(), device=device))
    for _ in range(2):
        assert record(LOOP, a=RNG.random(100)).device == "cpu"
    assert capsys.readouterr().err.count(f"{words}") == 1


def test_without_cupy(gpu, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert record(LOOP, a=RNG.random(100)).device == "cpu"
    assert "pip install autopar[cuda]; loops run on the CPU" in capsys.readouterr().err


def test_a_kernel_that_traps(gpu, capsys):
    gpu.cuda.runtime.eventQuery = lambda ptr: 719
    gpu.cuda.runtime.CUDARuntimeError = type(
        "Failed", (standin.CUDARuntimeError,), {"__str__": lambda self: f"cudaError {self.args[0]}"}
    )
    assert record(LOOP, a=RNG.random(100)).device == "cpu"
    assert "has given up a kernel: cudaError 719" in capsys.readouterr().err


def test_a_kernel_that_does_not_compile(gpu, monkeypatch, capsys):
    def refused(self: Any, entry: str) -> Any:
        raise standin.CompileException("error: no such word\nin line 3")

    monkeypatch.setattr(standin.Module, "get_function", refused)
    assert record(LOOP, a=RNG.random(100)).device == "cpu"
    said = capsys.readouterr().err
    assert "compiles no kernel: error: no such word; loops run on the CPU" in said


def test_no_memory(gpu, monkeypatch, capsys):
    def none(size: int) -> Any:
        raise MemoryError(f"out of memory allocating {size} bytes")

    monkeypatch.setattr(standin, "alloc", none)
    assert record(LOOP, a=RNG.random(100)).device == "cpu"
    assert "out of memory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["gemm", "jacobi", "conway", "syr2k", "cg_vectors", "floyd_warshall", "csr_loops"]
)
def test_benchmarks_leave_the_bytes_of_cpython(name, gpu):
    config.use(replace(config.current(), fail_on_fallback=False, check=True))
    plain = importlib.import_module(suite.PLACES[name][0])
    size = suite.sizes(name)["tiny"]
    expected, found = plain.make(size, 1), plain.make(size, 1)
    plain.run(**expected)
    assert plain.__file__ is not None
    journal.clear()
    space: dict[str, Any] = {"__name__": f"on_cuda_{name}"}
    code = code_of(Path(plain.__file__).read_text(), plain.__file__, "text")
    assert code is not None
    exec(code, space)
    space["run"](**found)
    assert digest(found) == digest(expected)
    assert {one.device for one in journal.records() if one.runs} == {"cuda:0"}
