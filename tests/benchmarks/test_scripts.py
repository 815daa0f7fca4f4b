"""Each of the smaller benchmarks runs from start to table, on as little as it can be asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import processor
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import tables  # noqa: E402

LEAST = {
    "draws": ["pi_of_the_library", "--rounds", "2"],
    "gpu": ["gemm", "--device", "opencl", "--size", "quick", "--repetitions", "2"],
    "guards": ["gemm", "--rounds", "2", "--calls", "100"],
    "idioms": ["darts", "--rounds", "2"],
    "lists": ["squares", "--rounds", "2"],
    "memory": ["hilbert", "--quick"],
    "startup": ["--pairs", "1", "--starts", "1"],
    "wavefronts": ["matrix_chain", "--rounds", "2"],
}
"""Arguments for a few seconds; `analysis`, `never_slower` and `run` have tests of their own."""


@pytest.mark.parametrize("name", LEAST)
def test_from_start_to_table(name, tmp_path):
    if name == "gpu":
        processor.skip_unless_known()
    out = tmp_path / "found.json"
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *LEAST[name], "--json", str(out)]
    surroundings = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=surroundings)
    assert out.exists(), done.stderr
    assert done.stdout.strip() == tables.TABLES[name](json.loads(out.read_text())).strip()


def test_memory_sees_copies_and_not_what_came_before(tmp_path):
    text = "import numpy as np\n\ndef make(n, seed):\n    np.ones(9 * n).sum()\n"
    text += "    return {'a': np.ones(n), 'b': np.zeros(n)}\n\n"
    text += "def run(a, b):\n    b[:] = a\n    np.ones(4 * a.size)[::512].sum()\n"
    (tmp_path / "some_kernel.py").write_text(text)
    n = 1_000_000
    command = [sys.executable, str(BENCHMARKS / "peak.py"), "some_kernel", str(n), "--changes"]
    surroundings = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=surroundings)
    found = json.loads(done.stdout)
    assert found["held"] == 16 * n
    assert found["written"] == 8 * n
    if sys.platform == "linux":
        assert 36 * n < found["peak"] - found["before"] < 60 * n
