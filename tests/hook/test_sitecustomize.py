"""AUTOPAR=1 python script.py, through the example sitecustomize."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "sitecustomize_example"


@pytest.fixture(scope="module")
def example():
    """The functions of the example; running it does nothing while AUTOPAR is not 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("AUTOPAR", raising=False)
        patch.setitem(sys.modules, "sitecustomize", None)
        return runpy.run_path(str(EXAMPLE / "sitecustomize.py"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python s.py -v", "python -m autopar s.py -v"),
        ("python -u -W error -Xdev s.py", "python -u -W error -Xdev -m autopar s.py"),
        ("python -uX dev -m mod -i", "python -uX dev -m autopar -m mod -i"),
        ("python -c code a", "python -m autopar -c code a"),
        ("python -", "python -m autopar -"),
        ("python --check-hash-based-pycs always s.py", None),
        ("python -m autopar s.py", None),
        ("python", None),
        ("python -u", None),
        ("python -i s.py", None),
        ("python -V", None),
    ],
)
def test_where_the_program_starts(line, expected, example):
    if "check-hash" in line:
        expected = line.replace(" s.py", " -m autopar s.py")
    got = example["_with_autopar"](line.split())
    assert got == (expected and expected.split())


def python(*arguments, cwd, **environ):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    path = os.pathsep.join([str(EXAMPLE), str(cwd / "site"), str(ROOT / "src")])
    env = {**kept, "PYTHONPATH": path, "AUTOPAR_CACHE_DIR": str(cwd / "cache"), **environ}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, timeout=60, text=True
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("switch", ["0", "1"])
def test_the_script_runs_once_with_its_exit_code(switch, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys\nsys.other = 'chained'\n")
    (tmp_path / "s.py").write_text(
        "import sys\nprint(sys.argv, sys.other, any('autopar' in str(f) for f in sys.meta_path))\n"
        "print(sys.flags.optimize)\nsys.exit(5)\n"
    )
    got = python("-O", "s.py", "-v", cwd=tmp_path, AUTOPAR=switch)
    assert got == (5, f"['s.py', '-v'] chained {switch == '1'}\n1\n", "")


def test_a_bad_setting_is_one_line(tmp_path):
    (tmp_path / "s.py").write_text("print(1)\n")
    code, out, err = python("s.py", cwd=tmp_path, AUTOPAR="1", AUTOPAR_DEVICE="gpu")
    assert (code, out) == (2, "")
    assert err.startswith("[autopar] AUTOPAR_DEVICE: 'gpu' is not possible")
    assert err.count("\n") == 1
