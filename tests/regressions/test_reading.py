"""What a hostile reader found in whole programs: signals, types that look alike, our warnings."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autopar.deps.analyse import analyse
from autopar.deps.data import Facts
from autopar.nest.text.lift import lift_text

ROOT = Path(__file__).parents[2]


def output(tmp_path: Path, program: str, *options: str, timeout: float = 30) -> tuple[str, str]:
    script = tmp_path / "script.py"
    script.write_text(program)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOPAR")}
    settings = {"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "autopar", *options, str(script)], capture_output=True, text=True,
        env={**kept, **settings}, timeout=timeout, check=True,
    )  # fmt: skip
    return done.stdout.strip(), done.stderr


ALARM = """
import numpy as np, signal, time

class Alarm(Exception):
    pass

def handler(*_):
    raise Alarm

def f(a, n, m):
    s = 0.0
    {loops}
    return s

n = 400_000
f(np.ones(8), 3000, 1500) if {warm} else None
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1.5)
start = time.monotonic()
try:
    f(np.ones(8), n, n // 2)
except Alarm:
    print("stopped", time.monotonic() - start < 10)
"""
DIAMOND = """for i in range(n):
        for j in range(abs(i - m)):
            for k in range(abs(i - m)):
                s = s + a[(j + k) & 7]"""
REMAINDERS = """for i in range(n):
        for j in range(n):
            s = s + 1e308 % (a[j & 7] * 3.3e-308)"""
POWERS = """t = 0
    for i in range(n):
        for j in range(n):
            t = t ^ ((j & 1) ** 4000)"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs an alarm")
@pytest.mark.parametrize("loops", [DIAMOND, REMAINDERS, POWERS], ids=["diamond", "mod", "pow"])
def test_loops_are_interrupted_whatever_they_do(tmp_path, loops):
    """In the middle of its range a loop may be short, and a remainder take microseconds."""
    said, _ = output(tmp_path, ALARM.format(loops=loops, warm=False))
    assert said == "stopped True"


HANDLER = """
import pathlib, signal
import numpy as np

def f(a):
    s = 0.0
    for i in range(a.shape[0]):
        s = s + a[i]
    return s

def handler(*_):
    pathlib.Path("/nonexistent").read_text()

def deciding(frame, event, arg):
    pass

from autopar.runtime.choice.choose import Chooser

true = Chooser.WORK
def slowly(*args):
    import time
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(0.3)
    return true(*args)
Chooser.WORK = slowly
signal.signal(signal.SIGALRM, handler)
try:
    f(np.ones(5_000_000))
    print("nothing was raised")
except FileNotFoundError:
    print("raised")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs an alarm")
@pytest.mark.parametrize("work", ["decide", "emitted"], ids=["here", "on a thread"])
def test_what_a_handler_raises_deep_in_a_library_is_not_ours(tmp_path, work):
    assert output(tmp_path, HANDLER.replace("WORK", work))[0] == "raised"


def test_two_c_types_of_one_size_are_two_types(tmp_path):
    program = """
import numpy as np

def last(a):
    s = a[0]
    for i in range(1, a.shape[0]):
        s = a[i]
    return s

for code in "lqlq":
    print(type(last(np.arange(3_000_000).astype(code))).__name__)
"""
    assert output(tmp_path, program)[0].split() == ["int64", "longlong"] * 2


def test_no_warning_comes_from_a_file_of_ours(tmp_path):
    program = """
import numpy as np

def h(a, k):
    s = k
    for i in range(a.shape[0]):
        s = s + a[i]
    return s

a = np.ones(3_000_000, np.float32)
h(a, 1.0)
h(a, 1e300)
"""
    _, said = output(tmp_path, program)
    assert said.count("RuntimeWarning") == 1
    assert "script.py:7" in said


def test_long_chains_of_conditions_are_analysed_in_time():
    chain = "".join(f"    elif a[i] == {k}:\n        a[i] = a[i] + {k}\n" for k in range(1, 60))
    source = f"for i in range(n):\n    if a[i] == 0:\n        a[i] = 1\n{chain}"
    nest = lift_text(source)
    start = time.process_time()
    analyse(nest, Facts(frozenset("n"), (("a", 1),)))
    assert time.process_time() - start < 20  # was minutes
