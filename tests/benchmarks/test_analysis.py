"""The nests whose analysis is timed are what their table says."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from analysed import NESTS  # noqa: E402

from autopar.nest.ir import Assign, For  # noqa: E402
from autopar.nest.text.lift import lift_text  # noqa: E402
from autopar.nest.walking import statements  # noqa: E402


def depth(stmt):
    inner = max((depth(child) for child in getattr(stmt, "body", ())), default=0)
    return inner + isinstance(stmt, For)


@pytest.mark.parametrize("name", NESTS)
def test_six_statements_and_four_loops(name):
    loop = lift_text(NESTS[name].text).loop
    assert sum(isinstance(s, Assign) for s in statements(loop)) >= 6
    assert depth(loop) == 4


@pytest.mark.parametrize("name", NESTS)
def test_no_two_calls_have_the_same_sizes(name):
    found = {tuple(sorted(NESTS[name].parameters(k).items())) for k in range(400)}
    assert len(found) == 400


def test_a_first_analysis_is_timed():
    command = [sys.executable, str(BENCHMARKS / "analysis.py"), "tensor", "--first", "--not-ready"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)
    assert found["held"] > 0 < found["seconds"]
    assert found["imported"] == []
