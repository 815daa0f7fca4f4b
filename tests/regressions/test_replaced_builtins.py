"""Programs that put functions of their own in the place of Python's: autopar calls none of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import builtins, io, sys
from unittest import mock
import numpy as np

def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * i
    return s

def doubled(x):
    y = []
    for v in x:
        y.append(2.0 * v)
    return y
"""
WORK = """
print(total(a), total(a), doubled(x)[-1], doubled(x)[3])
"""
DATA = "a, x = np.arange(600000.0), [0.5 * k for k in range(200000)]\n"

REPLACED = {
    "open": "mock.patch('builtins.open', return_value=io.StringIO('1 2 3'))",
    "len": "mock.patch('builtins.len', lambda *args: 2)",
    "max": "mock.patch('builtins.max', side_effect=RuntimeError('max'))",
    "zip": "mock.patch('builtins.zip', side_effect=RuntimeError('zip'))",
    "getattr": "mock.patch('builtins.getattr', side_effect=RuntimeError('getattr'))",
    "any": "mock.patch('builtins.any', side_effect=RuntimeError('any'))",
}


def ran(folder: Path, *command: str, **more: str) -> str:
    """What a program prints; in the end it says nothing else."""
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(folder / "cache"), **more}
    env["AUTOPAR_BACKGROUND"] = "0"
    command = (sys.executable, *command, "program.py")
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize("name", REPLACED)
def test_no_call_is_seen(name: str, tmp_path: Path) -> None:
    replaced = f"with {REPLACED[name]} as m:\n    found = total(a), total(a), doubled(x)[-1]\n"
    calls = f"print(found, getattr(m, 'mock_calls', 0))\n{WORK}"
    (tmp_path / "program.py").write_text(HEAD + DATA + replaced + calls)
    plain = ran(tmp_path)
    assert ran(tmp_path, "-m", "autopar") == plain
    assert ran(tmp_path, "-m", "autopar") == plain
    assert ran(tmp_path, "-m", "autopar", AUTOPAR_VERIFY="1") == plain


OWN = """
import sys, types
from autopar import records
total(a)
for name, module in sorted(sys.modules.items()):
    if name.startswith("autopar.") and module.__dict__.get("__builtins__") is not records.BUILTINS:
        print(name)
"""


def test_modules_have_builtins_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(HEAD + DATA + OWN)
    early = {f"autopar.{name}" for name in ("digest", "hook", "report")}
    early |= {f"autopar.hook.{name}" for name in ("command", "openblas", "runner", "switch")}
    assert set(ran(tmp_path, "-m", "autopar", AUTOPAR_VERIFY="1").split()) <= early
