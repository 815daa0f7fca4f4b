"""Programs of lists alone, which import NumPy only when that is worth it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import autopar

PROGRAM = """
import random, sys
random.seed(4)
def square(a, n):
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * a[k][j]
            c[i][j] = s
    return c
n = {n}
a = [[random.random() for _ in range(n)] for _ in range(n)]
for _ in range({times}):
    a = square(a, n)
print(hash(tuple(map(tuple, a))), "numpy" in sys.modules if {tell} else "")
"""


def printed(tmp_path: Path, *options: str, **sizes: object) -> list[str]:
    """What the program prints, run with `options`."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(**sizes))
    environment = {
        "PYTHONPATH": str(Path(autopar.__file__).parents[1]),
        "XDG_CACHE_HOME": str(tmp_path),
        "PATH": "",
    }
    command = [sys.executable, *options, str(file)]
    return subprocess.check_output(command, env=environment, text=True).split()


def test_a_large_product_of_matrices(tmp_path: Path) -> None:
    sizes = {"n": 260, "times": 2}
    plain = printed(tmp_path, tell=False, **sizes)
    assert printed(tmp_path, "-m", "autopar", tell=True, **sizes) == [*plain, "True"]


def test_a_small_one_is_left(tmp_path: Path) -> None:
    sizes = {"n": 8, "times": 30}
    plain = printed(tmp_path, tell=False, **sizes)
    assert printed(tmp_path, "-m", "autopar", tell=True, **sizes) == [*plain, "False"]
