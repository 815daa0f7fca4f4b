"""The kernels in array style: autopar takes all of them, and agrees with NumPy bit for bit."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from alpyna.script import digest  # noqa: E402
from array_style import NAMES  # noqa: E402


@pytest.mark.parametrize("name", NAMES)
def test_changes_something_and_the_same_twice(name):
    module = importlib.import_module(f"array_style.{name}")
    assert set(module.SIZES) == {"check", "steady"}
    size = max(12, module.SIZES["check"] // 40)
    first, second = module.make(size, 2), module.make(size, 2)
    before = digest(first)
    module.run(**first)
    module.run(**second)
    assert before != digest(first) == digest(second)


def test_autopar_agrees_bit_for_bit_and_takes_all_of_them(tmp_path):
    path = tmp_path / "array_style.json"
    command = [sys.executable, str(BENCHMARKS / "run.py"), "array_style", "--check"]
    # What pays differs from machine to machine; what may run as kernels does not.
    surroundings = {**os.environ, "AUTOPAR_VERIFY": "1"}
    command += ["--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=surroundings)
    assert path.exists(), done.stderr
    lines = json.loads(path.read_text())["benchmarks"]
    assert [line["name"] for line in lines if not line["check"]["equal"]] == []
    assert {x["name"]: x["check"]["complaints"] for x in lines if x["check"]["complaints"]} == {}
    assert [line["name"] for line in lines] == list(NAMES)
    assert done.returncode == 0
