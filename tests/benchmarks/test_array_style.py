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

SUITE = "array_style"


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


@pytest.mark.parametrize("name", NAMES)
def test_autopar_agrees_bit_for_bit_and_takes_all_of_them(name, checked):
    found = checked(name)
    assert found["equal"]
    assert found["complaints"] == []


def test_the_command_says_so_of_one(tmp_path):
    path = tmp_path / "array_style.json"
    command = [sys.executable, str(BENCHMARKS / "run.py"), "array_style", "softmax", "--check"]
    surroundings = {**os.environ, "AUTOPAR_VERIFY": "1"}
    command += ["--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=surroundings)
    assert path.exists(), done.stderr
    (line,) = json.loads(path.read_text())["benchmarks"]
    assert line["name"] == "softmax"
    assert line["check"]["equal"]
    assert done.returncode == 0
