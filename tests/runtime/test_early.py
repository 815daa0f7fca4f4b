"""Loops of programs that never import NumPy pay neither for it nor for an analysis."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import sys
{loop}
print(*sorted({{"numpy", "llvmlite", "islpy", "networkx"}} & set(sys.modules)))
"""


def heavy_imports(loop: str, tmp_path: Path) -> str:
    script = tmp_path / "script.py"
    script.write_text(PROBE.format(loop=loop))
    command = [sys.executable, "-m", "autopar", str(script)]
    environment = {"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
    environment["PYTHONPATH"] = ":".join(sys.path)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(10): x = i * 2",
        "v = [1, 2, 3]\nfor i in range(3): v[i] = v[i] + 1",
    ],
)
def test_small_loops_import_nothing(loop: str, tmp_path: Path) -> None:
    assert heavy_imports(loop, tmp_path) == ""


def test_much_scalar_work_is_worth_the_imports(tmp_path: Path) -> None:
    loop = "s = 0\nfor i in range(9000000):\n    s = s + i % 7"
    assert "llvmlite" in heavy_imports(loop, tmp_path)


def test_a_small_array_loop_imports_no_compiler(tmp_path: Path) -> None:
    loop = "import numpy as np\na = np.zeros(5)\nfor i in range(5): a[i] = i"
    assert heavy_imports(loop, tmp_path) == "numpy"
