"""A program that has all the files, threads or memory that it may have must not fail over autopar.

Whatever would have to be imported or read, the loop is the interpreter's; without a thread to be
had, one does all the work.
"""

import os
import subprocess
import sys

import pytest

pytest.importorskip("resource")

FILES = """
import os, resource, sys
import numpy as np

def swept(a, b):
    n = a.shape[0]
    for _ in range(8):
        for i in range(n):
            for j in range(1, n):
                a[i, j] = a[i, j] * 0.5 + b[j, i] * 2.0 + a[i, j - 1]

def column(a, b):
    for i in range(a.shape[0]):
        a[i, 0] = a[i, 0] + b[i, 1] ** 2

def doubled(numbers):
    return [x * 2.0 for x in numbers]

def until_no_more():
    resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
    try:
        while True:
            os.open(os.devnull, 0)
    except OSError:
        return

a, b, numbers, total = np.ones((90, 90)), np.ones((90, 90)), [1.5] * 9000, 0.0
stage = int(sys.argv[1])
for turn in range(3):
    for k, work in enumerate((swept, column, doubled)):
        if 3 * turn + k == stage:
            until_no_more()
        for _ in range(20 if k else 1):
            total += sum(work(numbers)) if k == 2 else work(a, b) or 0.0
print(a.sum(), total)
"""


SWEPT = """
def swept(a, b):
    n = a.shape[0]
    for _ in range(20):
        for i in range(n):
            for j in range(1, n):
                a[i, j] = a[i, j] * 0.5 + b[j, i] * 2.0
"""

THREADS = """
import sys, threading
import numpy as np

{swept}
a, b = np.ones((120, 120)), np.ones((120, 120))
for turn in range(4):
    if turn == int(sys.argv[1]):
        threading.stack_size(1 << 47)  # which no thread can have
        try:
            threading.Thread(target=print).start()
        except RuntimeError as error:
            print(error)
    swept(a, b)
print(a.sum())
"""


LISTS = """
import os, resource, sys

def pairs(a, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += a[i] * a[j]
    return s

a = [1.0] * 900
for turn in range(4):
    if turn == int(sys.argv[1]):
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
        try:
            while True:
                os.open(os.devnull, 0)
        except OSError as error:
            print(error.errno)
    print(pairs(a, 900))
"""

MEMORY = """
import resource, sys
import numpy as np

{swept}
a, b = np.ones((120, 120)), np.ones((120, 120))
with open("/proc/self/statm") as stream:
    used = int(stream.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[1]) << 20),) * 2)
for _ in range(3):
    swept(a, b)
print(a.sum())
"""


@pytest.mark.parametrize(
    ("program", "stage"),
    [
        (FILES, 0),
        (FILES, 1),
        (FILES, 3),
        (FILES, 5),
        (LISTS, 0),
        (LISTS, 1),
        (THREADS, 0),
        (THREADS, 1),
        (MEMORY, 6),
        (MEMORY, 50),
    ],
)
def test_the_same_is_printed(program, stage, tmp_path):
    if program is MEMORY and not os.path.exists("/proc/self/statm"):
        pytest.skip("no limit of addresses, or none that can be asked for")
    script = tmp_path / "script.py"
    script.write_text(program.replace("{swept}", SWEPT))
    words = [str(script), str(stage)]

    def printed(*how):
        env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, *how, *words], capture_output=True, text=True, env=env
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    expected = printed()
    for _ in range(3):  # with an empty cache, and with what the others have left
        assert printed("-m", "autopar") == expected


NAMES = ["fnmatch", "re", "typing", "resource"]


@pytest.mark.parametrize("style", ["lists", "arrays"])
def test_files_of_the_names_of_pythons_modules_are_not_run(style, tmp_path):
    """They lie beside the script, for something else: Python would not look at them."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"print('this is {name}')\n")
    made = "[1.0] * 900" if style == "lists" else "numpy.ones(900)"
    head, _, _ = LISTS.partition("a = [")
    # NumPy imports `re` and `typing`: they are there before the user's are in the way.
    first = "import numpy\n" if style == "arrays" else ""
    program = head.replace("import os, resource, sys", first) + f"a = {made}\n"
    program += "for turn in range(4):\n    print(pairs(a, 900))\n"
    script = tmp_path / "script.py"
    script.write_text(program)
    if style == "arrays":
        for name in ("fnmatch", "re", "typing"):
            (tmp_path / f"{name}.py").unlink()
    env = {**os.environ, "AUTOPAR_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "autopar", str(script)], capture_output=True, text=True, env=env
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "810000.0\n" * 4
