"""Loops of programs that never import NumPy pay neither for it nor for an analysis."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from autopar.runtime.early import _kind

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
    loop = "s = 0\nfor i in range(20000000):\n    s = s + i % 7"
    assert "llvmlite" in heavy_imports(loop, tmp_path)


@pytest.mark.parametrize(
    "loop",
    [
        "a, b, s = 'acgt' * 900, 'gatt' * 2500, 0\nfor i in range(len(a)):\n"
        "    for j in range(len(b)):\n        s += a[i] == b[j]",
        "d, s = {3: 1.5, 5: 2.5}, 0.0\nfor i in range(20000000): s += d[3 + i % 2 * 2]",
        "z, s = [1j, 2.0j], 0j\nfor i in range(20000000): s += z[i % 2]",
    ],
)
def test_much_work_on_other_things_than_numbers(loop: str, tmp_path: Path) -> None:
    assert "llvmlite" in heavy_imports(loop, tmp_path)


def test_objects_are_nothing_to_import_for(tmp_path: Path) -> None:
    loop = "v = [None, object()]\nfor i in range(3000000): v[i % 2] = i"
    assert heavy_imports(loop, tmp_path) == ""


def test_a_small_array_loop_imports_no_compiler(tmp_path: Path) -> None:
    loop = "import numpy as np\na = np.zeros(5)\nfor i in range(5): a[i] = i"
    assert heavy_imports(loop, tmp_path) == "numpy"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (["a", "b"], "a list of str"),
        ([(), 3], "a list of an empty tuple"),
        ((["a"],), "a tuple of list of str"),
        ({}, "an empty dict"),
        ({"a": 1}, "a dict whose keys are no integers"),
        ([{2.5: 1}], "a list of a dict whose keys are no integers"),
        (None, "of type NoneType"),
        (deque([1]), "of type deque"),
    ],
)
def test_what_it_is_instead(value: object, told: str) -> None:
    assert _kind(value) == told
