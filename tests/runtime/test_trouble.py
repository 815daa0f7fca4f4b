"""What may happen to a process: full and read-only disks, kills, clocks, reloads, children."""

from __future__ import annotations

import ctypes
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "src"
NEST = """
import numpy as np

def work(a, b, n):
    for i in range(n):
        b[i] = a[i] * 2.5 + i

def right(n=3000):
    a, b = np.random.default_rng(1).random(n), np.zeros(n)
    work(a, b, n)
    return b.tobytes() == (a * 2.5 + np.arange(n)).tobytes()
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for it")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    (tmp_path / "cache").mkdir(mode=0o700)
    settings = {"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "AUTOPAR_FAIL_ON_FALLBACK": "1"}
    return {
        **kept, **settings, "PYTHONPATH": str(SOURCE), "AUTOPAR_THREADS": "2",
        "AUTOPAR_DEBUG": "2",
    }  # fmt: skip


def start(tmp_path: Path, body: str, env: dict[str, str], **more: Any) -> Any:
    script = tmp_path / "script.py"
    script.write_text(NEST + body)
    return subprocess.run(
        [sys.executable, "-m", "autopar", str(script)], env=env, capture_output=True, text=True,
        timeout=60, **more,
    )  # fmt: skip


def output(tmp_path: Path, body: str, env: dict[str, str], **more: Any) -> str:
    done = start(tmp_path, body, env, **more)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    said: str = done.stdout + done.stderr
    return said


def files(tmp_path: Path, ending: str = "") -> list[Path]:
    return sorted(p for p in (tmp_path / "cache").rglob(f"*{ending}") if p.is_file())


PRINT = "print('right', right())\n"

# ---------------------------------------------------------------------------- disks


@linux
@pytest.mark.parametrize("limit", [0, 1000])
def test_files_that_cannot_grow(tmp_path, environ, limit):
    import resource

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    # Python itself would leave half of a .pyc file where a later run finds it.
    environ["PYTHONDONTWRITEBYTECODE"] = "1"
    said = output(tmp_path, PRINT, environ, preexec_fn=limited)
    assert "right True" in said
    assert "parallel i, compiled" in said
    assert not files(tmp_path, ".part")
    assert not files(tmp_path, ".bin")
    assert " made in" in output(tmp_path, PRINT, environ)


@linux
def test_a_full_disk(tmp_path, environ):
    place = tmp_path / "cache"
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k,mode=700", "none", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount")
    try:
        (place / "ballast").write_bytes(b"x" * 8192)
        assert "right True" in output(tmp_path, PRINT, environ)
        assert not files(tmp_path, ".part")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def respectful() -> None:
    """Let file permissions bind this process even when it is root's."""
    prctl = ctypes.CDLL(None).prctl
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: gone after the exec that follows


@linux
def test_a_cache_that_can_only_be_read(tmp_path, environ):
    place = tmp_path / "cache"

    def close() -> None:
        for path in (place / "code", place / "kernels", place):
            if path.exists():
                path.chmod(0o500)

    def open_again() -> None:
        for path in (place, place / "code", place / "kernels"):
            if path.exists():
                path.chmod(0o700)

    close()
    said = output(tmp_path, PRINT, environ, preexec_fn=respectful)
    assert "right True" in said
    assert " made in" in said
    assert files(tmp_path) == []
    open_again()
    output(tmp_path, PRINT, environ)
    before = files(tmp_path)
    close()
    try:
        said = output(tmp_path, PRINT, environ, preexec_fn=respectful)
    finally:
        open_again()
    assert "right True" in said
    assert " read from the cache" in said
    assert files(tmp_path) == before


# ---------------------------------------------------------------------------- kills


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_writer_that_is_killed(tmp_path, environ):
    kill = """
import os, signal
os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
right()
"""
    assert start(tmp_path, kill, environ).returncode == -signal.SIGKILL
    assert files(tmp_path, ".part")
    assert not files(tmp_path, ".bin")
    said = output(tmp_path, PRINT, environ)
    assert "right True" in said
    assert " made in" in said


# ---------------------------------------------------------------------------- clocks


def test_file_times_mean_nothing(tmp_path, environ):
    output(tmp_path, PRINT, environ)
    for path, when in zip(files(tmp_path), itertools.cycle((0, 4_000_000_000)), strict=False):
        os.utime(path, (when, when))
    assert " read from the cache" in output(tmp_path, PRINT, environ)


def test_a_changed_module_is_noticed_whatever_its_time(tmp_path, environ):
    module = tmp_path / "part.py"
    environ["PYTHONDONTWRITEBYTECODE"] = "1"
    for number, when in (("2.5", 4_000_000_000), ("3.5", 0)):
        module.write_text(NEST.replace("2.5", number))
        os.utime(module, (when, when))
        assert "right True" in output(
            tmp_path, "import part; print('right', part.right())", environ
        )


CLOCKS = """
import itertools, time
jumps = itertools.cycle([1e18, -5.0, 0.0, float("nan"), -1e18])
time.time = time.monotonic = time.perf_counter = lambda: next(jumps)
print('right', [right(n) for n in (10, 3000, 5000)])
"""


def test_clocks_that_jump(tmp_path, environ):
    said = output(tmp_path, CLOCKS, environ)
    assert "right [True, True, True]" in said
    assert "parallel i, compiled" in said


# ---------------------------------------------------------------------------- modules


def test_a_module_that_is_reloaded(tmp_path, environ):
    (tmp_path / "part.py").write_text(NEST)
    body = """
import importlib, pathlib, part
old = part.work
print('first', part.right())
file = pathlib.Path(part.__file__)
file.write_text(file.read_text().replace('+ i', '- i').replace('+ np', '- np') + '\\n# longer')
importlib.reload(part)
print('second', part.right(), part.work is not old)
b = np.zeros(3000)
old(np.ones(3000), b, 3000)
print('old', b[7])
print('third', importlib.reload(importlib.reload(part)).right())
"""
    said = output(tmp_path, body, environ)
    lines = [line for line in said.splitlines() if not line.startswith("[autopar]")]
    assert lines == ["first True", "second True True", "old 9.5", "third True"]
    assert said.count("parallel i, compiled") >= 3


# ---------------------------------------------------------------------------- calls in calls


def test_recursion(tmp_path, environ):
    body = """
def tree(a, depth):
    n = a.shape[0]
    for i in range(n):
        a[i] = a[i] * 0.5 + depth
    if depth:
        tree(a[: n // 2], depth - 1)
        tree(a[n // 2 :], depth - 1)
    for i in range(n):
        a[i] = a[i] + 1

def plain(a, depth):
    a[:] = a * 0.5 + depth
    if depth:
        plain(a[: len(a) // 2], depth - 1)
        plain(a[len(a) // 2 :], depth - 1)
    a[:] = a + 1

from threading import Thread
a = [np.arange(4096.0) + k for k in range(4)]
b = [one.copy() for one in a]
threads = [Thread(target=tree, args=(one, 7)) for one in a]
for t in threads: t.start()
for t in threads: t.join()
[plain(one, 7) for one in b]
print('right', [x.tobytes() == y.tobytes() for x, y in zip(a, b)])
"""
    assert "right [True, True, True, True]" in output(tmp_path, body, environ)


def test_threads_that_write_parts_of_one_array(tmp_path, environ):
    body = """
from threading import Barrier, Thread
shared, start = np.zeros(8 * 500), Barrier(8)
def user(k):
    start.wait()
    for turn in iter(range(20)):
        work(np.full(500, float(turn)), shared[k::8], 500)
threads = [Thread(target=user, args=(k,)) for k in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print('right', all((shared[k::8] == 19 * 2.5 + np.arange(500)).all() for k in range(8)))
"""
    assert "right True" in output(tmp_path, body, environ)


# ---------------------------------------------------------------------------- children


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_processes(tmp_path, environ, method):
    body = f"""
import multiprocessing
def job(n):
    return right(n)
if __name__ == "__main__":
    print('before', right())
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print('right', pool.map(job, [100, 2000, 3000, 4000]))
    print('after', right())
"""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not here")
    said = output(tmp_path, body, environ)
    assert "before True" in said
    assert "right [True, True, True, True]" in said
    assert "after True" in said
