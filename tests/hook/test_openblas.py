"""What NumPy's library of products is told when it is loaded."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autopar.hook import openblas
from autopar.hook.finder import Finder, Scope
from autopar.hook.openblas import LIBRARY, VARIABLE

_getenv = ctypes.CDLL(None).getenv
_getenv.restype = ctypes.c_char_p


def told() -> bytes | None:
    """What the C library says of the variable."""
    found: bytes | None = _getenv(VARIABLE.encode())
    return found


def test_the_library_is_told_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    finder = Finder(Scope((), (), ()))
    for name, expected in (("numpy", None), (LIBRARY, b"21"), ("numpy.exceptions", None)):
        finder.find_spec(name)
        assert told() == expected
        assert VARIABLE not in os.environ
    assert LIBRARY in sys.modules  # or nobody is told, for it has another name


def test_what_the_user_says_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "9")
    one = openblas.ThreadTimeout()
    for name in (LIBRARY, "numpy.exceptions"):
        one.importing(name)
        assert told() == b"9"


PROGRAM = f"""
import os, subprocess, sys
import numpy
for i in range(3):
    pass
print({VARIABLE!r} in os.environ, flush=True)
subprocess.run([sys.executable, "-c", "import os; print({VARIABLE!r} in os.environ)"], check=True)
"""


def test_a_program_and_its_processes_see_nothing_of_it(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k != VARIABLE}
    env["AUTOPAR_CACHE_DIR"] = str(tmp_path / "cache")
    command = [sys.executable, "-m", "autopar", "-c", PROGRAM]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
