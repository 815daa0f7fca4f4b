"""Random programs on PoCL: as many as a test run has time for."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.__main__ import run

PROGRAMS = 20


@pytest.mark.parametrize("memory", ["", "150"], ids=["at once", "in pieces"])
def test_programs_do_on_a_device_what_the_interpreter_does(memory, monkeypatch):
    pytest.importorskip("pyopencl")
    monkeypatch.setenv("AUTOPAR_DEVICE", "opencl")
    monkeypatch.setenv("AUTOPAR_DEVICE_MEMORY", memory)
    options = argparse.Namespace(
        seed=3, jobs=1, first=0, programs=PROGRAMS, batch=PROGRAMS, minutes=None
    )
    table = run(options)
    assert table.wrong == []
    assert table.programs + table.repeated == PROGRAMS
