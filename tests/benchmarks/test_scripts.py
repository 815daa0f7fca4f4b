"""Each of the smaller benchmarks runs from start to table, on as little as it can be asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import tables  # noqa: E402

LEAST = {
    "draws": ["pi_of_the_library", "--rounds", "2"],
    "guards": ["gemm", "--rounds", "2", "--calls", "100"],
    "lists": ["squares", "--rounds", "2"],
    "startup": ["--pairs", "1", "--starts", "1"],
    "wavefronts": ["matrix_chain", "--rounds", "2"],
}
"""Arguments for a few seconds; `analysis`, `never_slower` and `run` have tests of their own."""


@pytest.mark.parametrize("name", LEAST)
def test_from_start_to_table(name, tmp_path):
    out = tmp_path / "found.json"
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *LEAST[name], "--json", str(out)]
    surroundings = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=surroundings)
    assert out.exists(), done.stderr
    assert done.stdout.strip() == tables.TABLES[name](json.loads(out.read_text())).strip()
    assert done.stderr == ""
