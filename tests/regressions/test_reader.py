"""What a fresh reader's programs showed, each cut down."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autopar.nest.text.find import find

ROOT = Path(__file__).parents[2]

SIGNAL = """
import numpy as np, signal, sys, time
class Late(Exception): pass
def handler(number, frame): raise Late
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
n = 900
a = np.zeros((n, n))
try:
    for r in range(3):
        for i in range(n):
            for j in range(n):
                a[i, j] = a[i, j] * 0.5 + np.sqrt(i + j)
    while True:
        time.sleep(0.01)
except Late:
    print("late")
"""

ELSE = """
import numpy as np
a = np.zeros(900)
done = 0
for i in range(900):
    a[i] += i
else:
    done += 1
    print("else")
print(done)
"""

SIEVE = """
import numpy as np
def sieve(N):
    p = np.ones(N + 1, np.bool_)
    for i in range(2, int(N**0.5) + 1):
        if p[i]:
            for j in range(i * i, N + 1, i):
                p[j] = False
    return p
print(sieve(8_000_000).sum())
"""


def run(
    tmp_path: Path, program: str, *args: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "script.py"
    script.write_text(program)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    mine = {"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, "-m", "autopar", "--report", str(script), *args],
        capture_output=True, text=True, env={**kept, **mine, **settings}, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="needs a timer signal")
@pytest.mark.parametrize("delay", ["0.15", "0.3", "0.5"])
def test_an_exception_of_a_signal_handler_reaches_the_program(tmp_path, delay):
    done = run(tmp_path, SIGNAL, delay)
    assert (done.returncode, done.stdout) == (0, "late\n"), done.stderr


def test_verification_runs_an_else_clause_once(tmp_path):
    done = run(tmp_path, ELSE, AUTOPAR_VERIFY="1")
    assert (done.returncode, done.stdout) == (0, "else\n1\n"), done.stderr


def test_the_sieve_is_worth_compiling(tmp_path):
    done = run(tmp_path, SIEVE)
    assert done.stdout == "539779\n"
    assert "not-yet" not in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "# autopar: off\nfor i in range(9):\n    x = i\n",
        "y = 1\n# autopar: off\nfor i in range(9):\n    x = i\n",
        "y = 1\nfor i in range(9):  # autopar: off\n    x = i\n",
    ],
)
def test_where_the_comment_may_stand(text):
    found = find(ast.parse(text), "script.py", text)
    assert all(c.nest is None for c in found)


UNDER_AN_IF = """
import numpy as np
def f(a, b, steps, n):
    for t in range(steps):
        if t % 2 == 0:
            for i in range(n):
                a[i] = b[i] + t
        else:
            for i in range(n):
                b[i] = a[i] * 0.5
a, b = np.ones(4000), np.ones(4000)
f(a, b, 200, 4000)
print(a.sum(), b.sum())
"""


def test_parallel_loops_under_an_if_in_a_loop_that_must_run_in_order(tmp_path):
    done = run(tmp_path, UNDER_AN_IF, AUTOPAR_FAIL_ON_FALLBACK="1")
    assert done.returncode == 0, done.stderr
    assert "parallel i" in done.stderr
    plain = subprocess.run([sys.executable, "-c", UNDER_AN_IF], capture_output=True, text=True)
    assert done.stdout == plain.stdout
