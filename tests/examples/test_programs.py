"""Every program in a folder of its own prints and writes the same with and without autopar."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Small, under half a second in CPython, but with several calls of every nest.
TINY = {
    "alignment/alignment.py": "--length 90 --shuffles 2",
    "epidemic/epidemic.py": "--size 14 --days 30 --every 10",
    "euler_tube/main.py": "--cells 32 --every 10",
    "gaussian_mixture/main.py": "--points 60 --most 3 --limit 6",
    "ising/ising.py": "--size 6 --sweeps 24 --warmup 4 --temperatures 2",
    "lattice_boltzmann/main.py": "--nx 24 --ny 12 --steps 6 --every 2",
    "linear_algebra/main.py": "--size 16",
    "molecular_dynamics/main.py": "--side 8 --steps 8 --warmup 4 --every 4",
    "neural_network/main.py": "--points 8 --hidden 5 --epochs 6 --every 2",
    "option_pricing/main.py": "--steps 16 --paths 60 --days 8 --nodes 24",
    "pagerank/pagerank.py": "--pages 120 --links 3",
    "ray_tracer/main.py": "--width 14 --height 10 --samples 1 --spheres 6 --out OUT",
}


def environment(cache):
    """This checkout's autopar for a child process, with a cache of the test run."""
    path = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AUTOPAR_CACHE_DIR": str(cache),
    }


def outcome(prefix, name, folder, cache):
    """Standard output and the bytes of every file left behind."""
    folder.mkdir()
    options = ["picture.ppm" if word == "OUT" else word for word in TINY[name].split()]
    command = [sys.executable, *prefix, str(EXAMPLES / name), *options]
    env = environment(cache)
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout, {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_every_program_is_here_and_in_the_table():
    folders = {path.name for path in EXAMPLES.iterdir() if any(path.glob("*.py"))}
    assert folders == {name.partition("/")[0] for name in TINY}
    readme = (EXAMPLES / "README.md").read_text()
    assert [name for name in TINY if f"examples/{name} " not in readme] == []


@pytest.mark.parametrize("folder", sorted({name.partition("/")[0] for name in TINY}))
def test_nothing_of_autopar_is_in_a_program(folder):
    for path in (EXAMPLES / folder).glob("*.py"):
        assert "autopar" not in path.read_text()


@pytest.mark.parametrize("name", TINY)
def test_same_under_autopar(name, tmp_path, cache):
    plain = outcome([], name, tmp_path / "plain", cache)
    assert plain[0]
    assert len(plain[1]) == TINY[name].count("OUT")
    assert outcome(["-m", "autopar"], name, tmp_path / "autopar", cache) == plain
