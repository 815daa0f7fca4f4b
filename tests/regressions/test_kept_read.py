"""Programs that came out otherwise for what is kept on disk, or for how a site starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SRC = str(Path(__file__).parents[2] / "src")

SIGNS = """
import numpy as np
a = np.linspace(0.0, 1.0, 4000)
b = np.zeros(4000)
def f(x, y): return x * 2.0 {sign} y
def run():
    for i in range(4000):
        b[i] = f(a[i], 1.0)
for _ in range(100):
    run()
print(b.sum())
"""

DEEP = """
import sys
import threading
import numpy as np
a = np.zeros(100)
def fill():
    for i in range(100):
        a[i] = i * 2.0
def down(depth):
    if depth:
        return down(depth - 1)
    fill()
    return a.sum()
def work():
    try:
        found.append(down(int(sys.argv[1])))
    except RecursionError as error:
        found.append(str(error))
found = []
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(found, flush=True)
"""


def printed(script: Path, cache: Path, *words: str, taken: bool = True) -> str:
    """What `script` writes as Python runs it, or as `taken`."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("AUTOPAR")}
    environ |= {"PYTHONPATH": SRC, "AUTOPAR_CACHE_DIR": str(cache)}
    command = [
        sys.executable,
        *(("-m", "autopar", "--report") if taken else ()),
        str(script),
        *words,
    ]
    run = subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=120, check=True
    )
    return run.stdout


def private(path: Path) -> Path:
    path.mkdir(mode=0o700)
    return path


def _kept(room: Path) -> list[Path]:
    """Entries; what is still being written, or left over, is none."""
    return [path for path in sorted(room.glob("*")) if path.suffix != ".part"]


def test_entries_under_each_others_names_are_absent(tmp_path: Path) -> None:
    script, caches = tmp_path / "prog.py", [private(tmp_path / name) for name in ("one", "two")]
    expected = []
    for sign, cache in zip("+-", caches, strict=True):
        script.write_text(SIGNS.format(sign=sign))
        expected.append(printed(script, cache, taken=False))
        assert printed(script, cache) == expected[-1]
    one, two = caches
    swapped = 0
    for room in ("nests", "programs", "plans", "analyses"):
        theirs = [p for p in _kept(two / room) if not (one / room / p.name).exists()]
        mine = [p for p in _kept(one / room) if not (two / room / p.name).exists()]
        by_size = [sorted(paths, key=lambda p: p.stat().st_size) for paths in (theirs, mine)]
        for their, my in zip(*by_size, strict=False):
            their.write_bytes(my.read_bytes())
            swapped += 1
    assert swapped
    assert printed(script, two) == expected[1]


def test_no_error_of_ours_near_the_end_of_the_stack_of_a_thread(tmp_path: Path) -> None:
    script, cache = tmp_path / "prog.py", private(tmp_path / "cache")
    script.write_text(DEEP)
    for depth in map(str, (300, 600, 800, 900, 950, 965, 975, 980, 985, 988, 990)):
        assert printed(script, cache, depth) == printed(script, cache, depth, taken=False)
