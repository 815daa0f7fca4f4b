"""What Python's collector of cycles is spared, and what it has to find as ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
LAST = """
import gc
print(gc.isenabled(), gc.get_freeze_count(), type(np.__spec__), type(np.__loader__).__name__)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text("import numpy as np\n")
    (tmp_path / "done.py").write_text("value = 3\n")
    return tmp_path


def apart(place: Path, text: str, **variables: str) -> int:
    """How many objects have been set apart when a program ends that imports NumPy."""
    script = place / "script.py"
    script.write_text(text + LAST)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    env = {**kept, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache")}
    command = [sys.executable, "-m", "autopar", str(script)]
    for _ in range(2):  # the first has more of autopar's own
        done = subprocess.run(
            command, cwd=place, env=env | variables, capture_output=True, text=True, check=True
        )
    *_, enabled, found, word, kind, loader = done.stdout.split()
    assert (word, kind) == ("<class", "'_frozen_importlib.ModuleSpec'>")
    assert loader == "SourceFileLoader"
    assert enabled == "True"
    return int(found)


ALONE = {
    "at once": "import numpy as np\n",
    "behind others of Python's": (
        '"""A script."""\nfrom __future__ import annotations\nimport os, json as j\n'
        "from collections import deque as d, OrderedDict\nimport numpy as np\nx: int = 3\n"
    ),
}
NOT_ALONE = {
    "behind an object": "kept = [3]\nimport numpy as np\n",
    "behind a class": "class A:\n    pass\nimport numpy as np\n",
    "behind a call": "import os\nos.getcwd()\nimport numpy as np\n",
    "behind a module of the user's": "import done\nimport numpy as np\n",
    "in a module of the user's": "import helper\nnp = helper.np\n",
    "behind one that looks at the program": "import rlcompleter\nimport numpy as np\n",
    "where it may be missing": "try:\n    import numpy as np\nexcept ImportError:\n    raise\n",
    "in a function": "def f():\n    import numpy\n    return numpy\nnp = f()\n",
    "in a thread": (
        "import threading\none = threading.Thread(target=lambda: __import__('numpy'))\n"
        "one.start()\none.join()\nimport numpy as np\n"
    ),
}


def at_start(place: Path) -> int:
    """How many are set apart when a program starts."""
    return apart(place, "kept = [3]\nimport numpy as np\n")


@pytest.mark.parametrize("how", ALONE)
def test_what_belongs_to_numpy_is_set_apart(place: Path, how: str) -> None:
    assert apart(place, ALONE[how]) > at_start(place) + 5_000


@pytest.mark.parametrize("how", NOT_ALONE)
def test_what_may_be_the_programs_is_not(place: Path, how: str) -> None:
    assert abs(apart(place, NOT_ALONE[how]) - at_start(place)) < 5_000


def test_nothing_is_set_apart_when_autopar_is_off(place: Path) -> None:
    assert apart(place, ALONE["at once"], AUTOPAR="0") == 0


PROGRAM = """
import gc, sys
import numpy
class Node:
    def __init__(self, name): self.name, self.own = name, self
    def __del__(self): print('end of', self.name)
for i in range(3):
    Node(f'garbage {i}')
print('before', flush=True)
print(gc.collect() > 0)
kept = Node('kept')
"""


def test_cycles_of_the_programs_end_when_they_would(place: Path) -> None:
    script = place / "script.py"
    script.write_text(PROGRAM)
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache")}
    plain, ours = (
        subprocess.run([sys.executable, *how, script], env=env, capture_output=True, check=True)
        for how in ((), ("-m", "autopar"))
    )
    assert b"end of kept" in plain.stdout
    assert (ours.stdout, ours.stderr) == (plain.stdout, plain.stderr)


def test_it_stays_off_where_the_program_has_switched_it_off(place: Path) -> None:
    script = place / "script.py"
    script.write_text("import gc\ngc.disable()\nimport numpy\nprint(gc.isenabled())\n")
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache")}
    command = [sys.executable, "-m", "autopar", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_an_import_that_fails_looks_as_ever(place: Path) -> None:
    broken = place / "site-packages" / "numpy"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise OSError('no such library')\n")
    script = place / "script.py"
    script.write_text(
        "import sys\nsys.path.insert(0, 'site-packages')\n"
        "import gc, traceback\n"
        "try:\n    import numpy\nexcept OSError:\n    traceback.print_exc()\n"
        "print(gc.isenabled())\nimport numpy\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache")}
    plain, ours = (
        subprocess.run([sys.executable, *how, script], cwd=place, env=env, capture_output=True)
        for how in ((), ("-m", "autopar"))
    )
    assert plain.stdout == b"True\n"
    assert (ours.stdout, ours.stderr) == (plain.stdout, plain.stderr)


def test_nothing_is_set_apart_in_a_process_of_somebody_elses(place: Path) -> None:
    script = place / "script.py"
    script.write_text("import gc\nimport numpy\nprint(gc.isenabled(), gc.get_freeze_count())\n")
    program = (
        "import runpy, sys\nsys.argv[1:] = ['script.py']\nsys.path.insert(0, '')\n"
        "runpy.run_module('autopar', run_name='__main__')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "True 0\n"
