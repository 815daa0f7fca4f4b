"""``python -m autopar`` next to ``python``: the same output, the same exit code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def environ(tmp_path):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    return {**kept, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}


@pytest.fixture
def place(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def python(*arguments, cwd, env, stdin=None):
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, input=stdin, capture_output=True, timeout=60
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def both(*arguments, cwd, env, stdin=None, flags=()):
    plain = python(*flags, *arguments, cwd=cwd, env=env, stdin=stdin)
    ours = python(*flags, "-m", "autopar", *arguments, cwd=cwd, env=env, stdin=stdin)
    return plain, ours


def without_runpy(text):
    """`python -m` shows its own frames above the user's; autopar leaves them out."""
    return re.sub(r'  File "<frozen runpy>".*\n', "", text)


SCRIPTS = {
    "arguments": "import sys\nprint(sys.argv, sys.path[0], sys.flags.optimize, sys.warnoptions)\n",
    "module": (
        "import sys\nm = sys.modules['__main__']\nprint(list(vars(m))[:9])\n"
        "print(m.__file__, m.__name__, m.__spec__, m.__package__, m.__cached__, m.__doc__)\n"
        "print(m.__builtins__, m.__loader__.get_filename('__main__'), m.__annotations__)\n"
    ),
    "docstring": "'''Hello.'''\nx: int = 3\nprint(__doc__, __annotations__)\n",
    "exit_none": "import sys\nprint(1)\nsys.exit()\n",
    "exit_int": "import sys\nsys.exit(7)\n",
    "exit_text": "import sys\nsys.exit('no luck')\n",
    "raises": "def f(x):\n    for i in range(3):\n        x[i] = 1 // (1 - i)\nf([0, 0, 0])\n",
    "chained": "try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
    "group": "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])\n",
    "syntax": "x = 1\ndef f(:\n    pass\n",
    "late_syntax": "x = 1\nreturn x\n",
    "warns": "for i in range(3):\n    k = i\nprint(k is 2)\n",
    "import_fails": "import nothing_of_this_name\n",
    "import_syntax": "import broken\n",
    "own_hook": (
        "import sys, traceback\ndef hook(kind, value, trace):\n"
        "    print('HOOK', kind, value, [f.name for f in traceback.extract_tb(trace)])\n"
        "    print(traceback.extract_tb(value.__traceback__)[0].filename)\n"
        "sys.excepthook = hook\n1/0\n"
    ),
    "interrupt": "import os, signal\nprint(1, flush=True)\nos.kill(os.getpid(), signal.SIGINT)\n",
    "atexit": (
        "import atexit, threading, time\n"
        "atexit.register(print, 'second')\n"
        "atexit.register(lambda: print('first', '__file__' in globals()))\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()\n"
        "class D:\n    def __del__(self): print('del')\nd = D()\nprint('end')\n"
    ),
    "pickles": (
        "import pickle\nclass C:\n    x = 3\n"
        "print(pickle.loads(pickle.dumps(C())).x, pickle.dumps(C))\n"
    ),
    "source": (
        "import inspect, linecache\ndef f():\n    for i in range(3):\n        pass\n"
        "print(inspect.getsource(f), linecache.getline(__file__, 2))\n"
    ),
    "spawn": (
        "import multiprocessing as mp\ndef f(x): return x * x, __name__\n"
        "if __name__ == '__main__':\n"
        "    with mp.get_context('spawn').Pool(1) as p: print(p.map(f, [1, 2]))\n"
    ),
    "forkserver": (
        "import multiprocessing as mp\nclass C:\n    pass\ndef f(x): return type(x).__module__\n"
        "if __name__ == '__main__':\n"
        "    with mp.get_context('forkserver').Pool(1) as p: print(p.map(f, [C()]))\n"
    ),
    "future": (
        "from __future__ import annotations\ndef f(x: nothing): pass\nprint(f.__annotations__)\n"
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name, place, environ):
    (place / "script.py").write_text(SCRIPTS[name])
    (place / "broken.py").write_text("for i in range(3):\n    pass\ndef f(:\n")
    plain, ours = both("script.py", "-v", "--x", cwd=place, env=environ)
    assert ours == plain


def test_warm_start_is_the_same(place, environ):
    (place / "script.py").write_text(SCRIPTS["warns"] + SCRIPTS["raises"])
    for _ in range(2):
        plain, ours = both("script.py", cwd=place, env=environ)
        assert ours == plain
        assert "SyntaxWarning" in ours[2]


@pytest.mark.parametrize("flags", [("-O",), ("-W", "error"), ("-P",), ("-X", "dev"), ("-u", "-B")])
def test_interpreter_options(flags, place, environ):
    (place / "script.py").write_text(SCRIPTS["arguments"] + "assert len(sys.argv) == 1\n")
    plain, ours = both("script.py", "x", cwd=place, env=environ, flags=flags)
    assert ours == plain


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("-c", "import sys; print(sys.argv, sys.path[0], __name__)", "a", "-m"), None),
        (("-c", "for i in range(3): print(i)\n1/0"), None),
        (("-c", "# coding: latin-1\nprint('\xe9')"), None),
        (("-", "a"), b"import sys; print(sys.argv, sys.path[0], __file__)\n1/0\n"),
        (("-m", "mod", "a"), None),
        (("-mpkg",), None),
        (("-m", "pkg.bad"), None),
        (("-m", "nosuch"), None),
        (("-m", "pkg.nosuch"), None),
        (("here", "a"), None),
        (("here.zip",), None),
        (("nosuch.py",), None),
        (("empty",), None),
        (("compiled.pyc", "a"), None),
        (("link.py",), None),
    ],
    ids=str,
)
def test_other_programs(arguments, stdin, place, environ):
    tell = "import sys\nprint(sys.argv, sys.path[0], __name__, __file__, __package__)\n"
    tell += "print(getattr(__spec__, 'name', None))\n"
    for name in ("here", "pkg", "empty"):
        (place / name).mkdir()
    (place / "mod.py").write_text(tell + "1/0\n")
    (place / "here" / "__main__.py").write_text(tell + "1/0\n")
    (place / "pkg" / "__init__.py").write_text("print(__name__)\n")
    (place / "pkg" / "__main__.py").write_text(tell)
    (place / "pkg" / "bad.py").write_text("def f(:\n")
    with zipfile.ZipFile(place / "here.zip", "w") as archive:
        archive.writestr("__main__.py", tell)
    if "compiled.pyc" in arguments:
        import py_compile

        py_compile.compile(str(place / "pkg" / "__main__.py"), str(place / "compiled.pyc"))
    (place / "link.py").symlink_to(place / "here" / "__main__.py")
    plain, ours = both(*arguments, cwd=place, env=environ, stdin=stdin)
    code, out, err = plain
    assert ours == (code, out, without_runpy(err))


def test_files_in_the_current_directory_do_not_shadow_ours(place, environ, tmp_path):
    (place / "dataclasses.py").write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "script.py").write_text("print('fine')\n")
    assert python("-m", "autopar", "../script.py", cwd=place, env=environ) == (0, "fine\n", "")


def test_off_everywhere(place, environ):
    (place / "script.py").write_text("import sys, autopar.config\nprint(sys.meta_path)\n")
    for switch, found in (("0", False), ("1", True)):
        arguments = ("-m", "autopar", "script.py")
        _, out, _ = python(*arguments, cwd=place, env={**environ, "AUTOPAR": switch})
        assert ("autopar" in out) is found


def test_modules_beside_the_script_are_taken(place, environ):
    (place / "script.py").write_text(
        "import near, far, json, importlib\n"
        "print(type(near.__loader__).__module__, type(far.__loader__).__module__)\n"
        "print(type(json.__loader__).__module__)\n"
        "importlib.reload(near)\n"
    )
    (place / "near.py").write_text("for i in range(3):\n    k = i\n")
    (place / "far.py").write_text("k = 3\n")  # no loop: loaded plainly
    code, out, err = python("-m", "autopar", "script.py", cwd=place, env=environ)
    assert (code, err) == (0, "")
    plain = "_frozen_importlib_external"
    near = "autopar.hook.loader" if (SOURCE / "autopar/runtime/site.py").exists() else plain
    assert out.split() == [near, plain, plain]
    if near != plain:
        assert not list(place.glob("__pycache__/near.*"))
    assert list(place.glob("__pycache__/far.*"))
