"""A nest of many short launches that is faster as one kernel on one thread ends up as such."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

PROGRAM = """
import numpy as np
from autopar.runtime import measured
from autopar.runtime.choice.choose import Chooser

measured._untouched = lambda: True  # a busy machine's launches would be too dear to be tried


def factor(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


slow = {slow}
chosen = []
plainly = Chooser.ran


def ran(self, state, choice, seconds):  # what this machine takes is not what is asked
    parallel = choice.variant.parallel
    chosen.append(parallel)
    now = choice.contest.now if choice.contest is not None else 0
    plainly(self, state, choice, {{2: 1e-3, 1: 1.2e-3, 0: slow}}[now])


Chooser.ran = ran
first = np.random.default_rng(1).random((240, 240)) + 240 * np.eye(240)
results = []
for _ in range(400):
    a = first.copy()
    factor(a)
    results.append(a.sum())
assert len(set(results)) == 1  # the first ones are the interpreter's
print(any(chosen), not all(chosen), chosen[-1])
"""


def end(slow: float, tmp_path: Path) -> list[str]:
    """Whether launches and one kernel were run at all, and whether launches were in the end."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(PROGRAM).format(slow=slow))
    command = [sys.executable, "-m", "autopar", "--threads", "2", str(script)]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOPAR")}
    env = {**kept, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    return done.stdout.split()


def test_one_kernel_that_is_faster_is_kept(tmp_path: Path) -> None:
    assert end(5e-4, tmp_path) == ["True", "True", "False"]


def test_one_kernel_that_is_slower_is_given_up(tmp_path: Path) -> None:
    assert end(3e-3, tmp_path) == ["True", "True", "True"]
