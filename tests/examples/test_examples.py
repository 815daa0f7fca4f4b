"""Every example prints and writes the same under `python` and under `python -m autopar`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Small, but with several calls of every nest.
TINY = {
    "distances.py": "--towns 14 --letters 30 --matrices 12",
    "edges.py": "--size 40 --out OUT",
    "heat.py": "--size 24 --steps 12 --every 4",
    "hillshade.py": "--crop 24 --zoom 2 --reach 4 --out OUT",
    "life.py": "--size 20 --generations 22",
    "mandelbrot.py": "--size 24 --limit 40 --out OUT",
    "nbody.py": "--bodies 12 --steps 4",
    "wave.py": "--size 20 --steps 12",
}


def environment():
    """This checkout's autopar for a child process."""
    path = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def outcome(prefix, name, folder):
    """Standard output and the bytes of every file left behind."""
    folder.mkdir()
    out = "picture.png" if name == "hillshade.py" else "picture.pgm"
    options = [out if word == "OUT" else word for word in TINY[name].split()]
    command = [sys.executable, *prefix, str(EXAMPLES / name), *options]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_every_example_is_here_and_in_the_table():
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == set(TINY)
    readme = (EXAMPLES / "README.md").read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("name", TINY)
def test_prints_a_checksum(name, tmp_path):
    if name == "hillshade.py":
        pytest.importorskip("matplotlib")
    stdout, files = outcome([], name, tmp_path / "plain")
    assert stdout.splitlines()[-1].startswith("checksum ")
    assert len(files) == TINY[name].count("OUT")
    assert "autopar" not in (EXAMPLES / name).read_text()


@pytest.mark.skipif(
    not (ROOT / "src" / "autopar" / "__main__.py").exists(),
    reason="no autopar in this checkout yet",
)
@pytest.mark.parametrize("name", TINY)
def test_same_under_autopar(name, tmp_path):
    if name == "hillshade.py":
        pytest.importorskip("matplotlib")
    plain = outcome([], name, tmp_path / "plain")
    assert outcome(["-m", "autopar"], name, tmp_path / "autopar") == plain
