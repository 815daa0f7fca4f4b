"""Loops found by copies of the process while the script imports, and here where they are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autopar import config
from autopar.hook import cache, lookup, meanwhile

SOURCE = Path(__file__).parents[2] / "src"
COPIES = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")

SCRIPT = """\
import math
import numpy as np
import beside
for i in range(30):
    a = i * math.pi
beside.double(np.zeros(3))
"""
MODULE = """\
def double(x):
    for i in range(len(x)):
        x[i] = 2 * x[i]
"""
HEAD = """
import os, sys, time
from autopar import config
from autopar.hook import lookup, meanwhile
os.sched_getaffinity = lambda _: {0, 1}
config.use(config.read({}, os.environ, os.getcwd()))
script, beside = (os.path.abspath(name) for name in ("script.py", "beside.py"))
here, made, original = os.getpid(), [], lookup._rewritten

def rewritten(source, file, token):
    made.append(os.path.basename(file))
    return how(source, file, token)

def loops(file, kind):
    with open(file, "rb") as stream:
        return lookup.loops(stream.read(), file, kind)

lookup._rewritten, how = rewritten, original
"""
TAIL = """
one, other = loops(script, "script"), loops(beside, "module")
print([len(x.sites) for x in (one, other)], made, "numpy" in sys.modules, one.ahead.co_names)
"""
SAME = "[1, 1] {} True ('math', 'numpy')\n"


def ran(place: Path, text: str, **variables: str) -> str:
    (place / "script.py").write_text(SCRIPT)
    (place / "beside.py").write_text(MODULE)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    env |= {"PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache"), **variables}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + text + TAIL],
        cwd=place, env=env, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@COPIES
def test_copies_find_them_the_first_time(tmp_path: Path) -> None:
    assert ran(tmp_path, "") == SAME.format([])
    assert ran(tmp_path, "meanwhile.send = None\n") == SAME.format([])  # by then all is known


@COPIES
@pytest.mark.parametrize("trouble", ["raise MemoryError", "os._exit(1)", "os.kill(os.getpid(), 9)"])
def test_what_a_copy_fails_to_find_is_found_here(tmp_path: Path, trouble: str) -> None:
    program = f"""
def how(*given):
    if os.getpid() != here:
        {trouble}
    return original(*given)
"""
    assert ran(tmp_path, program) == SAME.format(["script.py", "beside.py"])


@COPIES
def test_nobody_waits_long_for_a_copy(tmp_path: Path) -> None:
    program = """
meanwhile._PATIENCE_S = 0.05
def how(*given):
    if os.getpid() != here:
        time.sleep(10)
    return original(*given)
"""
    assert ran(tmp_path, program) == SAME.format(["script.py", "beside.py"])


ALONE = {
    "switched off": ("", {"AUTOPAR_BACKGROUND": "0"}),
    "one processor": ("os.sched_getaffinity = lambda _: {0}\n", {}),
    "watched": ("sys.setprofile(lambda *_: None)\n", {}),
    "another thread": (
        "import threading\ndef busy():\n    while True: pass\n"
        "threading.Thread(target=busy, daemon=True).start()\ntime.sleep(0.05)\n",
        {},
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_where_there_can_be_no_copies_they_are_found_here(tmp_path: Path, name: str) -> None:
    program, variables = ALONE[name]
    if name == "watched":
        program += TAIL.replace('"numpy" in sys.modules', "True") + "sys.setprofile(None)\n"
        assert ran(tmp_path, program, **variables).startswith(
            SAME.format(["script.py", "beside.py"])
        )
        return
    assert ran(tmp_path, program, **variables) == SAME.format(["script.py", "beside.py"])


def test_no_copy_is_sent_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert not cache.writable()
    meanwhile.send({"script.py": lambda: None})
    assert not meanwhile._copies


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "beside.py").write_text("print('library')\n")
    script = tmp_path / "script.py"
    script.write_text("import numpy\nimport beside\nfor i in range(3):\n    pass\n")
    os.mkfifo(tmp_path / "beside.py")
    env = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{library}"}
    env["AUTOPAR_CACHE_DIR"] = str(tmp_path / "cache")
    command = [sys.executable, "-m", "autopar", script]
    done = subprocess.run(command, env=env, capture_output=True, timeout=60, check=True)
    assert done.stdout == b"library\n"


def test_a_warning_is_not_lost_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_current", config.changed({"cache_dir": str(tmp_path)}, tmp_path))
    text, file = b"for i in range(3):\n    x = i\ny = x is 2\n", str(tmp_path / "script.py")
    for _ in range(2):
        with pytest.warns(SyntaxWarning, match="is"):
            assert lookup.loops(text, file, "script").sites
    with pytest.warns(SyntaxWarning, match="is"):  # as Python, which leaves a `.pyc`
        lookup.loops(text, file, "module")
    assert cache.find(file, cache.token(text, file)) is not None
