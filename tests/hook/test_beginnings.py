"""What a script imports before there is a ``__main__``, and that nobody sees the difference."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autopar.hook import ahead

SOURCE = Path(__file__).parents[2] / "src"

BEGINNINGS = {
    "": ((), ()),
    "x = 1\nimport numpy": ((), ()),
    "import numpy as np": (("numpy",), ()),
    "'''Text.'''\nimport os, math as m\nimport numpy.linalg\nx = 1\nimport json": (
        ("os", "math", "numpy"),
        (),
    ),
    "from __future__ import annotations\nfrom numpy import (zeros as z,\n ones)": (
        ("__future__", "numpy"),
        (),
    ),
    "import math\nimport own\nimport numpy\nfrom other.part import f": (
        ("math",),
        ("own", "other"),
    ),
    "import math, own\nimport numpy": ((), ("own",)),
    "import rlcompleter\nimport numpy": ((), ("rlcompleter",)),
    "from . import math\nimport numpy": ((), ()),
    "from math import *\nimport numpy": (("math", "numpy"), ()),
    "import imp": ((), ("imp",)),
    "import multiprocessing\nimport numpy": ((), ("multiprocessing",)),
    "if True:\n    import numpy": ((), ()),
    "try:\n    import numpy\nexcept ImportError:\n    pass": ((), ()),
}


@pytest.mark.parametrize("text", BEGINNINGS)
def test_imports_are_found_up_to_the_first_that_might_tell(text: str) -> None:
    found = ahead.beginning(text, "script.py")
    modules, others = BEGINNINGS[text]
    names = found.code.co_names if found.code else ()
    assert names == modules  # whole modules: names in them may be such as are warned of
    assert found.others == others
    assert found.takes_long == any(name.startswith("numpy") for name in modules)


@pytest.mark.parametrize("wrong", ["def f(:", "return 5", "def f(a, a): pass", "break"])
def test_a_syntax_error_is_the_users(wrong: str) -> None:
    with pytest.raises(SyntaxError):
        ahead.beginning(f"import numpy\n{wrong}", "script.py")


def both(place: Path, text: str, *, runs: int = 2, **variables: str) -> bytes:
    """What a script prints: the same in Python and in each of some runs under autopar."""
    (place / "script.py").write_text(text)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    cache = str(place / "cache")
    env = {**kept, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": cache, **variables}
    plain, *ours = (
        subprocess.run([sys.executable, *how, "script.py"], cwd=place, env=env, capture_output=True)
        for how in ((), *[("-m", "autopar")] * runs)
    )
    for one in ours:
        assert (one.stdout, one.returncode) == (plain.stdout, plain.returncode)
        assert one.stderr == plain.stderr
    return plain.stdout


LOOP = "for i in range(3):\n    pass\n"
SCRIPTS = {
    "what is there": (
        "'''Text.'''\nimport sys, json as j\nimport numpy as np\nfrom math import pi, tau as t\n"
        "print([k for k in globals() if k != '__builtins__'], __doc__, __name__, __file__)\n"
        "print(sys.modules['__main__'].pi is pi, sys.argv, sys.path[0] != '')\n"
    ),
    "order": (
        "import sys, calendar\nimport numpy\nimport colorsys\n"
        "found = [m for m in sys.modules if m in ('calendar', 'numpy', 'colorsys')]\nprint(found)\n"
    ),
    "missing": "import numpy\nimport json.nothing\nprint(1)\n",
    "missing name": "import math\nfrom numpy import nothing\nprint(1)\n",
    "warns": "import math\nimport numpy\n" + LOOP + "print('\\d', i is 2)\n",
    "environment": "import os\nos.environ['X'] = '1'\nimport numpy\nprint(os.environ['X'])\n",
    "tracing": (
        "import sys\nimport numpy as np\nseen = []\n"
        "def trace(frame, event, arg):\n    seen.append(frame.f_code.co_name)\n    return trace\n"
        "def f():\n    return 1\nsys.settrace(trace)\nf()\nsys.settrace(None)\nprint(seen)\n"
    ),
    "exits": "import atexit, logging\nimport numpy\natexit.register(print, 'end')\nprint('x')\n",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_does_what_it_does(tmp_path: Path, name: str) -> None:
    both(tmp_path, SCRIPTS[name] + LOOP)


SHADOWS = {
    "is run": ("print('here')\nmine = [3]\n", "print(random.mine)\n"),
    "fails": ("print('here')\nraise ValueError('bad')\n", ""),
    "sees the script": (
        "import __main__\nprint('here', __main__.__file__, __main__.__spec__)\n"
        "print(sorted(vars(__main__)))\n",
        "",
    ),
    "of a script that cannot be compiled": ("print('here')\n", "return 5\n"),
    "of one that is warned of": ("import sys\nsys.stderr.write('here')\n", "i = 1\ni is 2\n"),
}


@pytest.mark.parametrize("name", SHADOWS)
def test_a_module_of_the_users_with_a_name_of_pythons(tmp_path: Path, name: str) -> None:
    module, end = SHADOWS[name]
    (tmp_path / "random.py").write_text(module)
    both(tmp_path, f"import sys, random\nimport numpy\n{LOOP}{end}")


@pytest.mark.parametrize("name", ["datetime", "numbers", "dis"])
def test_one_that_numpy_would_import(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("")
    both(tmp_path, "import math\nimport numpy\n" + LOOP)


def test_other_files_of_such_names_are_no_modules(tmp_path: Path) -> None:
    (tmp_path / "random.txt").write_text("")
    (tmp_path / "statistics").mkdir()
    (tmp_path / "wave.py").write_text("")  # which nobody imports here
    assert not ahead._has_such(str(tmp_path))
    assert not ahead._has_such(str(tmp_path / "missing"))
    for number, name in enumerate(
        ["statistics/__init__.pyc", "org/__init__.py", "numpy.so", "x.zip"]
    ):
        place = tmp_path / str(number)
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text("")
        assert ahead._has_such(str(place / name if name == "x.zip" else place))


def test_what_is_warned_of_is_warned_of_once(tmp_path: Path) -> None:
    both(tmp_path, "import numpy\nfrom numpy.core import multiarray\n" + LOOP)
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import warnings, builtins\ndef f(): warnings.warn('seen')\nf()\nbuiltins.f = f\n"
    )
    path = f"{SOURCE}{os.pathsep}{site}"
    both(tmp_path, "import math\nimport numpy\n" + LOOP + "f()\n", PYTHONPATH=path)


@pytest.mark.parametrize("filters", ["error", "once", "default", "ignore"])
def test_warnings_come_as_often(tmp_path: Path, filters: str) -> None:
    both(tmp_path, SCRIPTS["warns"], PYTHONWARNINGS=filters)


def test_processes_that_start_anew_find_the_script(tmp_path: Path) -> None:
    both(
        tmp_path,
        "import multiprocessing as mp\nimport numpy as np\n"
        "class Point:\n    def __init__(self, x): self.x = x\n"
        "def make(q):\n    for i in range(3): q.put(Point(i))\n"
        "if __name__ == '__main__':\n"
        "    c = mp.get_context('spawn')\n    q = c.Queue()\n"
        "    p = c.Process(target=make, args=(q,))\n    p.start()\n"
        "    print([q.get().x for _ in range(3)])\n    p.join()\n",
    )


ENDS = {
    "error": "raise OSError('no library')",
    "interrupt": "raise KeyboardInterrupt",
    "exit": "raise SystemExit(3)",
}


@pytest.mark.parametrize("name", ENDS)
def test_an_import_that_fails_looks_as_ever(tmp_path: Path, name: str) -> None:
    """It is done once, and what it raises is what the script ends with."""
    broken = tmp_path / "library" / "site-packages" / "numpy"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text(f"print('begins')\nfrom numpy import part\n{ENDS[name]}\n")
    (broken / "part.py").write_text("")
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import sys\nsys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
        f"sys.path.append({str(broken.parent)!r})\n"
    )
    path = f"{SOURCE}{os.pathsep}{site}"
    assert (
        both(tmp_path, "import math\nimport numpy\nprint(1)\n" + LOOP, PYTHONPATH=path)
        == b"begins\n"
    )
