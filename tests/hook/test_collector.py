"""What Python's collector of cycles is spared, and what it has to find as ever."""

from __future__ import annotations

import _socket
import ctypes
import gc
import os
import re
import subprocess
import sys
import weakref
from pathlib import Path

import numpy
import pytest

from autopar.hook import collector
from autopar.hook.harmless import destructor, harmless

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


FINALLY = """
class Node:
    def __init__(self, name): self.name, self.own = name, self
    def __del__(self): print('end of', self.name)
def steps():
    try: yield
    finally: print('end of steps')
"""
PROGRAMS = {
    "garbage": (
        "for i in range(3): Node(f'garbage {i}')\nprint('before')\nprint(gc.collect() > 0)\n"
    ),
    "a cycle that is kept": "kept = Node('kept')\n",
    "in the namespace of a module": "json.kept = Node('kept')\n",
    "in a class of Python's": "json.JSONEncoder.kept = Node('kept')\n",
    "in NumPy": "numpy.kept = numpy.linalg.kept = Node('kept')\n",
    "a generator": "json.JSONEncoder.kept = steps()\nnext(json.JSONEncoder.kept)\n",
    "a callback": (
        "import weakref\nclass A: pass\njson.JSONEncoder.a = A()\n"
        "json.JSONEncoder.b = weakref.ref(json.JSONEncoder.a, lambda _: print('called'))\n"
    ),
    "a callback of a proxy": (
        "import weakref\nclass A: pass\njson.JSONEncoder.a = A()\n"
        "json.JSONEncoder.b = weakref.proxy(json.JSONEncoder.a, lambda _: print('called'))\n"
    ),
    "a callback of a reference that has a key": (
        "import weakref\nclass A: pass\njson.JSONEncoder.a = A()\n"
        "call = lambda _: print('called')\n"
        "json.JSONEncoder.b = weakref.KeyedRef(json.JSONEncoder.a, call, 3)\n"
    ),
    "a callback of a method's reference": (
        "import weakref\nclass A:\n    def m(self): pass\na = A()\n"
        "sys.kept = weakref.WeakMethod(a.m, lambda _: print('called'))\n"
        "json.JSONEncoder.kept = a\ndel a\n"
    ),
    "a function that Python has made": (
        "import functools, weakref\nclass A: pass\n"
        "class C: f = functools.partialmethod(lambda _: print('called'))\n"
        "json.JSONEncoder.kept = A()\nsys.kept = weakref.ref(json.JSONEncoder.kept, C.f)\n"
    ),
    "a capsule that ends": (
        "import ctypes\nnew = ctypes.pythonapi.PyCapsule_New\nnew.restype = ctypes.py_object\n"
        "new.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p\n"
        "end = ctypes.cast(ctypes.CDLL(None).perror, ctypes.c_void_p).value\n"
        "text = ctypes.cast(ctypes.c_char_p(b'x'), ctypes.c_void_p).value\n"
        "json.JSONEncoder.kept = new(text, None, end)\n"
    ),
    "a class of no module": "exec('K = type(\"K\", (), {})', d := {})\nk = d['K']()\n",
    "a file beside random numbers": (
        "rng = numpy.random.default_rng(3)\nprint(rng.random())\n"
        "json.JSONEncoder.f = open('log', 'w')\njson.JSONEncoder.f.write('data')\n"
    ),
    "a file in a handler": (
        "class H(logging.Handler):\n"
        "    def __init__(self):\n        super().__init__()\n        self.f = open('log', 'w')\n"
        "    def emit(self, record): self.f.write(record.getMessage())\n"
        "logging.getLogger().addHandler(H())\nlogging.error('x')\n"
    ),
    "a file in a method of a stream": (
        "def tee():\n    f, before = open('log', 'w'), sys.stdout.write\n"
        "    def write(text):\n        f.write(text)\n        return before(text)\n"
        "    sys.stdout.write = write\ntee()\nprint('told')\n"
    ),
    "a stream of the program's": (
        "class Out:\n"
        "    def __init__(self, s): self.s, self.f, s.owner = s, open('log', 'w'), self\n"
        "    def write(self, text): self.f.write(text)\n    def flush(self): pass\n"
        "sys.stdout = Out(sys.stdout)\nprint('told')\n"
    ),
    "a memory map": (
        "open('map', 'wb').write(bytes(80))\n"
        "numpy.linalg.kept = numpy.memmap('map', mode='r+')\nnumpy.linalg.kept[3] = 7\n"
    ),
    "at the end": (
        "import atexit\natexit.register(lambda: setattr(json.JSONEncoder, 'a', Node('a')))\n"
    ),
    "a file beside a class that cannot be hashed": (
        "class M(type):\n    def __eq__(a, b): return a is b\n"
        "class X(metaclass=M): pass\nx = X()\nx.x = x\njson.JSONEncoder.x = x\n"
        "f = open('log', 'w')\nf.write('data')\njson.JSONEncoder.f = f\ndel x, f\n"
    ),
    "a file beside a class that tells": (
        "class M(type):\n"
        "    def __getattribute__(cls, name):\n        print('get', name)\n"
        "        return super().__getattribute__(name)\n"
        "    def __hash__(cls):\n        print('hash')\n        return 1\n"
        "class X(metaclass=M): pass\nx = X()\n"
    ),
    "a proxy in a class": (
        "class Proxy:\n"
        "    def __getattribute__(self, name): raise RuntimeError(name)\n"
        "class View: now = Proxy()\njson.JSONEncoder.view = View()\n"
        "json.JSONEncoder.f = open('log', 'w')\njson.JSONEncoder.f.write('data')\n"
    ),
    "the place of a stream": (
        "f = open('log', 'w')\nf.write('data')\nsys.__stdout__ = f\njson.JSONDecoder.f = f\ndel f\n"
    ),
    "a function of Python's as callback": (
        "import weakref\nsys.keep = weakref.ref(json.JSONDecoder, sys.stdout.write)\n"
    ),
    "after all functions for the end": (
        "import atexit\natexit._run_exitfuncs()\n"
        "f = open('log', 'w')\nf.write('data')\njson.JSONEncoder.f = f\ndel f\n"
    ),
    "frozen in between": (
        "json.JSONEncoder.a = Node('a')\ngc.freeze()\njson.JSONEncoder.b = Node('b')\n"
    ),
    "frozen by the program": "kept = Node('kept')\ngc.freeze()\n",
    "thawed by the program": "json.JSONEncoder.kept = Node('kept')\ngc.unfreeze()\n",
    "a thread": (
        "import threading, time\njson.JSONEncoder.kept = Node('kept')\n"
        "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_program_leaves_ends_when_it_would(tmp_path: Path, name: str) -> None:
    script = tmp_path / "script.py"
    head = "import gc, sys, json, logging\nimport numpy\n"
    script.write_text(f"{head}{FINALLY}for i in range(3): pass\n{PROGRAMS[name]}")
    found = []
    for number, how in enumerate([(), *[("-m", "autopar")] * 2]):
        place = tmp_path / str(number)
        place.mkdir()
        env = {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "AUTOPAR_CACHE_DIR": str(tmp_path / "cache"),
        }
        command = [sys.executable, *how, script]
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, check=True)
        files = {file.name: file.read_bytes() for file in place.iterdir()}
        found.append((done.stdout, re.sub(b"0x[0-9a-f]+", b"0x", done.stderr), files))
    assert found[1] == found[2] == found[0]


def test_what_python_keeps_no_account_of_is_looked_at_where_it_is_held() -> None:
    class Sink:
        def __init__(self, held: object) -> None:
            self.held = held

    unknown = _socket.socket()  # of a type of C's
    assert not gc.is_tracked(unknown)
    assert not harmless([Sink(unknown)])
    assert not harmless([[unknown]])
    assert not harmless([{3: unknown}])
    unknown.close()
    assert harmless([Sink([3, "x", None, 1.5, (2, b"y")]), Sink, len, [[]], {3: range(4)}])


def test_nobody_looks_at_millions_of_numbers() -> None:
    """To do so took longer than the program, where that had a long list."""
    assert collector._is_little([[1.5] * 9, (2,)], 20)
    assert not collector._is_little([[1.5] * 9, (2,)], 18)
    assert not collector._is_little([[]] * 9, 20)


def test_types_of_c_that_only_hold_something_are_known() -> None:
    held = {3, 4}
    make = numpy.random.default_rng
    references = weakref.ref(held), *weakref.WeakKeyDictionary({make: 3}).keyrefs()
    known = (make, type(make), type(type(make)), make(3), make(3).bit_generator.capsule)
    for one in (*known, *references):
        assert harmless([one], destructor()), one


def test_what_c_or_somebody_else_does_at_the_end_is_not() -> None:
    held = {3, 4}
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    ended: list[int] = []
    call = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(ended.append)
    one = capsule(1, b"one", ctypes.cast(call, ctypes.c_void_p))
    assert not harmless([one], destructor())
    assert not harmless([capsule(1, b"two", None)])  # where nobody can be asked
    assert harmless([capsule(1, b"two", None)], destructor())
    del one
    assert len(ended) == 1
    named = type("PyCapsule", (), {"__module__": "builtins", "__del__": print})
    assert not harmless([named()], destructor())
    assert not harmless([weakref.proxy(held, ended.append)], destructor())
    assert not harmless([weakref.KeyedRef(held, ended.append, 3)], destructor())
    assert not harmless([weakref.ref(held, print)], destructor())
    assert not harmless([call], destructor())


def test_what_was_there_before_ends_as_well(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"{FINALLY}import builtins\nkept = Node('site')\n")
    script = tmp_path / "script.py"
    script.write_text("import gc\nimport numpy\nprint(gc.get_freeze_count())\n")
    env = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{tmp_path}"}
    env["AUTOPAR_CACHE_DIR"] = str(tmp_path / "cache")
    command = [sys.executable, "-m", "autopar", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "0\nend of site\n"


def test_it_stays_off_where_the_program_has_switched_it_off(place: Path) -> None:
    script = place / "script.py"
    script.write_text("import gc\ngc.disable()\nimport numpy\nprint(gc.isenabled())\n")
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "AUTOPAR_CACHE_DIR": str(place / "cache")}
    command = [sys.executable, "-m", "autopar", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


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
