"""What a program keeps to its end is still seen to end, though kernels have run on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
HEAD = """
import numpy as np
class A:
    def __init__(self, name):
        self.name, self.x, self.own = name, np.ones(20_000), self
    def step(self, k):
        self.x[k] += k
    def __del__(self):
        for k in range(3):
            self.x[k] = k
        print('end', self.name, self.x[:4])
kept = A('kept')
"""
PROGRAMS = {
    "a method": "def f(a):\n    for k in range(20_000):\n        a.step(k)\n",
    "an attribute": "def f(a):\n    for k in range(20_000):\n        a.x[k] = a.x[k] * 0.5\n",
    "an array": (
        "def f(a):\n    x = a.x\n    for k in range(len(x)):\n        x[k] = x[k] * 0.5 + 1.0\n"
    ),
    "a function": (
        "def g(v):\n    return v * 0.5\n"
        "def f(a):\n    x = a.x\n    for k in range(len(x)):\n        x[k] = g(x[k])\n"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_ends_while_it_can_say_so(tmp_path: Path, name: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"{HEAD}{PROGRAMS[name]}for r in range(160):\n    f(kept)\nprint('last')\n")
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    env["AUTOPAR_BACKGROUND"] = "0"  # where others work as well, a copy may come too late
    report = tmp_path / "report.json"  # so that all loops are asked at once
    plain = subprocess.run([sys.executable, script], capture_output=True, check=True)
    assert plain.stdout.splitlines()[-1].startswith(b"end kept")
    command = [sys.executable, "-m", "autopar", "--report-json", report, script]
    for _ in range(4):  # what the first has lost counts for the next
        ours = subprocess.run(command, env=env, capture_output=True, check=True)
        assert ours.stdout == plain.stdout
        if '"cpu"' in report.read_text():
            return
    pytest.fail("no kernel has run")
