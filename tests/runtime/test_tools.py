"""Debuggers, profilers and coverage tools see the lines of the user's program, all of them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "same"))
import harness

SOURCE = "for i in range(n):\n    a[i] = i * 2.0\n"
SRC = Path(__file__).parents[2] / "src"


def outcome() -> str | None:
    """Why a nest that would run in parallel was left to the interpreter; None if it ran."""
    here, found = harness.run(SOURCE, a=np.zeros(100), n=100)
    assert here.record is not None
    if found is None:
        assert here.record.refusal is not None
        return here.record.refusal.code
    assert here.record.status == "parallel"
    return None


@pytest.fixture
def untraced(lenient: None) -> Iterator[None]:
    """No trace of the test runner's own, and none left behind."""
    trace, profile = sys.gettrace(), sys.getprofile()
    sys.settrace(None)
    sys.setprofile(None)
    yield
    sys.settrace(trace)
    sys.setprofile(profile)


def watch(*_: object) -> None:
    """A trace function that wants no more events."""


def test_a_trace_function(untraced):
    assert outcome() is None
    sys.settrace(watch)
    found = outcome()
    sys.settrace(None)
    assert found == "traced"
    assert outcome() is None


def test_a_profile_function(untraced):
    sys.setprofile(watch)
    found = outcome()
    sys.setprofile(None)
    assert found == "traced"
    assert outcome() is None


def test_trace_functions_of_other_threads(untraced):
    found: list[str | None] = []
    for install in (threading.settrace, threading.setprofile):
        install(watch)  # for threads that start from here on
        thread = threading.Thread(target=lambda: found.append(outcome()))
        thread.start()
        thread.join()
        install(None)  # type: ignore[arg-type]
    assert found == ["traced", "traced"]
    assert outcome() is None


def test_a_monitoring_tool(untraced, monkeypatch):
    tools: dict[int, str] = {}
    if hasattr(sys, "monitoring"):
        sys.monitoring.use_tool_id(sys.monitoring.COVERAGE_ID, "test")
    else:  # Python 3.11 has none: what 3.12 offers, as far as it is asked
        tools[1] = "test"
        fake = types.SimpleNamespace(get_tool=tools.get)
        monkeypatch.setattr(sys, "monitoring", fake, raising=False)
    assert outcome() == "traced"
    if tools:
        tools.clear()
    else:
        sys.monitoring.free_tool_id(sys.monitoring.COVERAGE_ID)
    assert outcome() is None


# ---------------------------------------------------------------------------- a whole program

TRACED = """\
import sys
import numpy as np

def work(a, n):
    total = 0.0
    for i in range(n):
        if i % 2:
            a[i] = i * 2.0
        else:
            a[i] = 1.0
        total = total + a[i]
    for i in range(2):
        for j in range(2):
            a[j] = a[j] + i
    else:
        total = total + 1
    return total

seen = []

def trace(frame, event, _):
    if frame.f_code.co_filename == __file__:
        seen.append((event, frame.f_code.co_name, frame.f_lineno))
    return trace

work(np.zeros(9), 9)
sys.settrace(trace)
work(np.zeros(9), 9)
work(np.zeros(3), 3)
sys.settrace(None)
print(work(np.zeros(9), 9))
for event in seen:
    print(*event)
"""


def run(arguments: list[str], **more: str) -> str:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, *arguments], env={**kept, "PYTHONPATH": str(SRC), **more},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_debugger_sees_the_lines_that_it_sees_without_autopar(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TRACED)
    cache = str(tmp_path / "cache")
    more: dict[str, Any] = {"AUTOPAR_CACHE_DIR": cache, "AUTOPAR_VERIFY": "1"}
    assert run(["-m", "autopar", str(script)], **more) == run([str(script)])
