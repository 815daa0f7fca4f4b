"""What NumPy's functions are must be known to a process that has looked at nothing else yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from autopar.nest.arrays import library, whole

PROGRAM = """
import numpy as np

def energies(points):
    found = np.zeros(len(points))
    for i in range(len(points)):
        d = points[i] - points[0]
        found[i] = np.dot(d, d) + np.sum(points[i] * 2) + np.linalg.norm(d)
    return found

points = np.linspace(0, 1, 150000).reshape(-1, 3)
for attempt in range(3):
    found = energies(points)
print(found.tobytes().hex() == {wanted!r})
"""


def test_all_names_are_there_without_their_modules() -> None:
    assert whole.LIBRARY  # all of them imported
    own = {name for name in library.LIBRARY if " " in name}  # which no function of NumPy's has
    assert set(library.NAMES) == set(library.LIBRARY) - own


def test_the_first_nest_of_a_process_may_call_them(tmp_path: Path) -> None:
    points = np.linspace(0, 1, 150000).reshape(-1, 3)
    d = [p - points[0] for p in points]
    each = [
        np.dot(e, e) + np.sum(p * 2) + np.linalg.norm(e) for e, p in zip(d, points, strict=True)
    ]
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(wanted=np.array(each).tobytes().hex()))
    settings = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):  # the second one reads what the first has kept
        ran = subprocess.run(
            [sys.executable, "-m", "autopar", "--report", str(program)],
            capture_output=True, text=True, env=settings, check=True, timeout=300,
        )  # fmt: skip
        assert ran.stdout == "True\n"
        assert " parallel " in ran.stderr
