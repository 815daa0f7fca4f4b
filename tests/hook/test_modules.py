"""autopar's own modules, from one file of the cache."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import autopar
from autopar.hook import modules

PACKAGE = Path(autopar.__file__).parent
SCRIPT = """\
import sys
import numpy as np

def scale(a, s):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i, j] * s

a = np.ones((400, 400))
scale(a, 3.0)
own = [m for n, m in sys.modules.items() if n.startswith("autopar.") and hasattr(m, "__loader__")]
loaders = [m.__spec__.loader for m in own if type(m.__spec__.loader).__name__ == "_Loader"]
modules = loaders[0].modules
print(a.sum(), len(modules.table) > 30, len(modules.new))
"""


def run(path: Path, cache: Path, more: str = "", **environ: str) -> list[str]:
    """What the script prints, with `more` at its end."""
    (path / "script.py").write_text(SCRIPT + more)
    command = [sys.executable, "-m", "autopar", str(path / "script.py")]
    # The loop gets a kernel at once, however long that takes on a busy machine.
    told = {"AUTOPAR_CACHE_DIR": str(cache), "AUTOPAR_FAIL_ON_FALLBACK": "1"}
    env = {**os.environ, **told, **environ}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.split("\n")


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """A cache that a process has filled."""
    cache = tmp_path / "own"
    total, full, new = run(tmp_path, cache)[0].split()
    assert (total, full) == ("480000.0", "False")
    assert int(new) > 30
    return cache


def the_file(cache: Path) -> Path:
    (found,) = (cache / "modules").iterdir()
    return found


def test_the_next_process_reads_them_there(tmp_path: Path, cached: Path) -> None:
    assert run(tmp_path, cached)[0] == "480000.0 True 0"
    assert run(tmp_path, cached, PYTHONDONTWRITEBYTECODE="1")[0] == "480000.0 True 0"


def test_what_others_ask_of_a_module_is_as_ever(tmp_path: Path, cached: Path) -> None:
    more = """
import importlib, inspect, os, pickle, pkgutil
from autopar.runtime import engine
import autopar.runtime as package
import autopar.report.table
print(os.path.basename(engine.__file__), os.path.basename(package.__path__[0]))
print(engine.__package__, engine.__spec__.parent, package.__package__)
print("class Engine:" in inspect.getsource(engine.Engine))
print(importlib.import_module("autopar.nest.ir") is sys.modules["autopar.nest.ir"])
print(sorted(m.name for m in pkgutil.iter_modules(package.__path__))[0])
print(os.path.basename(engine.__cached__).split(".")[0])
print("autopar.report.table" in loaders[0].modules.new)
"""
    for new in ("True", "False"):  # it is left for the second process
        assert run(tmp_path, cached, more)[1:8] == [
            "engine.py runtime", "autopar.runtime autopar.runtime autopar.runtime", "True", "True",
            "aside", "engine", new,
        ]  # fmt: skip


@pytest.mark.parametrize("place", [0, 20, -20, "half", "empty"])
def test_a_damaged_file_is_an_absent_one(tmp_path: Path, cached: Path, place: int | str) -> None:
    file = the_file(cached)
    content = bytearray(file.read_bytes())
    if isinstance(place, int):
        content[place] ^= 0xFF
    file.write_bytes(content[: {"half": len(content) // 2, "empty": 0}.get(str(place))])
    assert run(tmp_path, cached)[0].startswith("480000.0 ")
    assert run(tmp_path, cached)[0] == "480000.0 True 0"


def test_a_file_that_others_put_in_its_place_meanwhile_is_not_mixed_up(
    cached: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its modules stand is known of the first file only, of which the beginning was read."""
    file = the_file(cached)
    mine = modules.Modules(str(file))
    assert all(mine.code(name) for name in mine.table)
    other = modules.Modules(str(file))
    del other.table[min(other.table)]
    monkeypatch.setattr(modules, "Modules", lambda _: other)
    other.write()
    monkeypatch.undo()
    there = [mine.text(name) is not None for name in sorted(mine.table)]
    assert any(there)
    assert not all(there)
    first, last = (choose(mine.table, key=mine.table.__getitem__) for choose in (min, max))
    assert mine.code(first) is not None
    assert mine.code(last) is None
    monkeypatch.setattr(modules, "_FIRST", 100)  # less than the table, which is read all the same
    assert len(modules.Modules(str(file)).table) == len(other.table)
    file.unlink()
    assert mine.code(last) is None


def test_what_another_process_has_left_meanwhile_stays(cached: Path) -> None:
    file = the_file(cached)
    first, second = modules.Modules(str(file)), modules.Modules(str(file))
    whole = dict(first.table)
    last, before = sorted(whole)[-1], sorted(whole)[-2]
    for one, name in ((first, last), (second, before)):
        importlib.import_module(name)  # or nobody knows where it is
        one.new[name] = compile("", name, "exec"), (0, 0)
        one.write()
    assert modules.Modules(str(file)).table.keys() == whole.keys()


def test_other_options_of_the_compiler_have_a_file_of_their_own(
    tmp_path: Path, cached: Path
) -> None:
    new = run(tmp_path, cached, PYTHONOPTIMIZE="1")[0].split()[2]
    assert int(new) > 30
    assert len(list((cached / "modules").iterdir())) == 2


def test_without_a_place_to_keep_them_they_are_imported(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    command = [sys.executable, "-m", "autopar", "-c", "print(sum(i for i in range(3)))"]
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "taken")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"


def test_an_edit_is_noticed(tmp_path: Path, cached: Path) -> None:
    """By whoever imports the module next; it then is in the file as it is."""
    mine = modules.Modules(str(the_file(cached)))
    name = "autopar.runtime.site"
    place = mine.place(name)
    assert place is not None
    assert mine.spec(name) is not None
    mine.table[name] = (*mine.table[name][:-1], (place.state[0] + 1, place.state[1]))
    assert mine.spec(name) is None
    gone = *mine.table[name][:3], place.path + "c", *mine.table[name][4:]
    mine.table[name] = gone
    assert mine.spec(name) is None

    copy = tmp_path / "copy"
    shutil.copytree(PACKAGE, copy / "autopar", ignore=shutil.ignore_patterns("__pycache__"))
    edited = copy / "autopar" / "runtime" / "site.py"
    more = "import autopar.runtime.site as site\nprint(getattr(site, 'EDITED', site.__file__))"
    assert run(tmp_path, cached, more, PYTHONPATH=str(copy))[1] == str(edited)  # others' are here
    for number in (1, 2, 2):
        with edited.open("a") as text:
            text.write(f"EDITED = {number}\n")
        assert run(tmp_path, cached, more, PYTHONPATH=str(copy))[1] == str(number)
