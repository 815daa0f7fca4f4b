"""What is written by hand for a GPU leaves the plain run's results, as far as no GPU can tell."""

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "benchmarks"), str(TESTS / "device")]

import nvrtc  # noqa: E402
import suite  # noqa: E402
from gpu_column import VERSIONS  # noqa: E402
from group import Group  # noqa: E402


def test_agree_with_the_plain_run_in_the_simulator():
    pytest.importorskip("numba.cuda")
    program = str(Path(__file__).with_name("gpu_played.py"))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == set(suite.ALPYNA)
    for name, versions in found.items():
        there = {version: far for version, far in versions.items() if far is not None}
        with_sums = {"one_each"} if name in ("gemm", "syr2k") else set()
        assert set(there) == {"numba", "arrays"} | with_sums, name
        assert max(there.values()) <= suite.TOLERANCE, (name, there)


@pytest.mark.parametrize("name", suite.ALPYNA)
@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed")
def test_the_compiler_takes_the_text(name):
    text = importlib.import_module(f"suite.on_gpu.{name}").TEXT
    assert ".visible .entry " in nvrtc.compiled(text, "compute_90")


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
@pytest.mark.parametrize("version", VERSIONS)
def test_says_why_there_is_no_device(version):
    with Group([version], None, "gpu_column.py") as group:
        assert "cupy" in group.ask(version, "there")["missing"]
