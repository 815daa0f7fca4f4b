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
        ("os", "math", "numpy.linalg"),
        (),
    ),
    "from __future__ import annotations\nfrom numpy import (zeros as z,\n ones)": (("numpy",), ()),
    "import math\nimport own\nimport numpy\nfrom other.part import f": (
        ("math",),
        ("own", "other"),
    ),
    "import math, own\nimport numpy": ((), ("own",)),
    "import rlcompleter\nimport numpy": ((), ("rlcompleter",)),
    "from . import math\nimport numpy": ((), ()),
    "from math import *\nimport numpy": (("math", "numpy"), ()),
    "import imp": ((), ("imp",)),
    "if True:\n    import numpy": ((), ()),
    "try:\n    import numpy\nexcept ImportError:\n    pass": ((), ()),
}


@pytest.mark.parametrize("text", BEGINNINGS)
def test_imports_are_found_up_to_the_first_that_might_tell(text: str) -> None:
    found = ahead.beginning(text, "script.py")
    modules, others = BEGINNINGS[text]
    names = found.code.co_names if found.code else ()
    assert tuple(name for name in modules if name not in names) == ()
    assert (found.code is None) == (not modules)
    assert found.others == others
    assert found.takes_long == any(name.startswith("numpy") for name in modules)


def test_a_syntax_error_is_the_users() -> None:
    with pytest.raises(SyntaxError):
        ahead.beginning("import numpy\ndef f(:", "script.py")


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
    "own of that name": "import sys\nimport random\nimport numpy\nprint(random.mine)\n",
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
    if name == "own of that name":
        (tmp_path / "random.py").write_text("import sys\nprint('here')\nmine = [3]\n")
        assert both(tmp_path, SCRIPTS[name] + LOOP).startswith(b"here\n")
    else:
        both(tmp_path, SCRIPTS[name] + LOOP)


@pytest.mark.parametrize("filters", ["error", "once", "default", "ignore"])
def test_warnings_come_as_often(tmp_path: Path, filters: str) -> None:
    both(tmp_path, SCRIPTS["warns"], PYTHONWARNINGS=filters)


def test_an_import_that_fails_looks_as_ever(tmp_path: Path) -> None:
    broken = tmp_path / "library" / "numpy"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("from numpy import part\nraise OSError('no library')\n")
    (broken / "part.py").write_text("import sys\nassert 'seen' not in sys.__dict__\n")
    both(
        tmp_path,
        "import math\nimport numpy\nprint(1)\n" + LOOP,
        PYTHONPATH=f"{SOURCE}{os.pathsep}{broken.parent}",
    )
