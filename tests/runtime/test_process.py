"""Threads, forks, Ctrl-C, and a cache directory that others use, damage or cannot write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
NEST = """
import numpy as np

def work(a, b, n):
    last = 0.0
    for i in range(n):
        t = a[i] * 2.5 + 1.0
        b[i] = t - i
        last = t
    return last

def expected(a, n):
    return a[:n] * 2.5 + 1.0 - np.arange(n)
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AUTOPAR", "PYTHON"))}
    settings = {"AUTOPAR_CACHE_DIR": str(tmp_path / "cache"), "AUTOPAR_FAIL_ON_FALLBACK": "1"}
    return {**kept, **settings, "PYTHONPATH": str(SOURCE), "AUTOPAR_THREADS": "2"}


def command(tmp_path: Path, body: str) -> list[str]:
    script = tmp_path / "script.py"
    script.write_text(NEST + body)
    return [sys.executable, "-m", "autopar", str(script)]


def output(tmp_path: Path, body: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        command(tmp_path, body), env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_nothing_that_a_fork_waits_for_waits_for_the_lock_of_logging(tmp_path, environ):
    """Its handler before a fork may have taken that lock already."""
    said = output(
        tmp_path,
        """
import sys
n = 200_000
a, b = np.linspace(0.0, 1.0, n), np.empty(n)
work(a, b, n)  # which is analysed and compiled
assert "llvmlite.ir" in sys.modules
import autopar.deps.sets  # and what may be needed for other nests
print("logging" in sys.modules)
""",
        environ,
    )
    assert said == "False\n"


# ---------------------------------------------------------------------------- threads


def test_eight_threads_at_one_site_do_not_mix_their_results(tmp_path, environ):
    said = output(
        tmp_path,
        """
from threading import Thread, Barrier
start, wrong = Barrier(8), []

def user(k):
    rng = np.random.default_rng(k)
    start.wait()
    for turn in range(25):
        n = 1000 + 37 * k + turn
        a, b = rng.random(n), np.zeros(n)
        last = work(a, b, n)
        if b.tobytes() != expected(a, n).tobytes() or last != a[-1] * 2.5 + 1.0:
            wrong.append((k, turn))

threads = [Thread(target=user, args=(k,)) for k in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("wrong", wrong)
""",
        environ,
    )
    assert "wrong []" in said


def test_threads_with_different_types_at_one_site(tmp_path, environ):
    said = output(
        tmp_path,
        """
from threading import Thread, Barrier
kinds = ["f8", "f4", "i8", "i4", "u1", "f8", "f4", "c16"]
start, wrong = Barrier(8), []

def user(k):
    start.wait()
    a = np.arange(500).astype(kinds[k])
    out = np.zeros(500, np.complex128)
    for turn in range(10):
        last = work(a, out, 500)
        want = type(a[3] * 2.5 + 1.0)
        if type(last) is not want or out[7] != a[7] * 2.5 + 1.0 - 7:
            wrong.append((k, turn, type(last), want))

threads = [Thread(target=user, args=(k,)) for k in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("wrong", wrong)
""",
        environ,
    )
    assert "wrong []" in said


# ---------------------------------------------------------------------------- forks

FORK = """
import os, signal, sys, threading

def child():
    signal.alarm(20)
    a, b = np.random.default_rng(1).random(5000), np.zeros(5000)
    for _ in range(3):
        work(a, b, 5000)
    os._exit(0 if b.tobytes() == expected(a, 5000).tobytes() else 3)

def fork():
    pid = os.fork()
    if pid == 0:
        child()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_runs_kernels_after_its_parent_did(tmp_path, environ):
    body = """
a, b = np.ones(5000), np.zeros(5000)
work(a, b, 5000)
print([fork() for _ in range(4)])
work(a, b, 5000)
print("parent", b.tobytes() == expected(a, 5000).tobytes())
"""
    said = output(tmp_path, FORK + body, environ)
    assert "[0, 0, 0, 0]" in said
    assert "parent True" in said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_runs_kernels_while_its_parent_does(tmp_path, environ):
    body = """
stop = False
def busy():
    a, b = np.ones(200_000), np.zeros(200_000)
    while not stop:
        work(a, b, 200_000)

threads = [threading.Thread(target=busy) for _ in range(2)]
for t in threads: t.start()
print([fork() for _ in range(10)])
stop = True
for t in threads: t.join()
"""
    said = output(tmp_path, FORK + body, environ)
    assert f"{[0] * 10}" in said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_compiles_while_its_parent_does(tmp_path, environ):
    body = """
def compile_many():
    for k in range(6):
        a = np.ones((3,) * (1 + k % 3))[0] if k % 3 else np.ones(900, ["f8", "f4", "i2"][k // 2])
        work(np.ones(900, ["f8", "f4", "i2", "i4", "u2", "c8"][k]), np.zeros(900, "c16"), 900)

thread = threading.Thread(target=compile_many)
thread.start()
print([fork() for _ in range(6)])
thread.join()
"""
    said = output(tmp_path, FORK + body, environ)
    assert f"{[0] * 6}" in said


# ---------------------------------------------------------------------------- Ctrl-C


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_reaches_a_parallel_nest(tmp_path, environ):
    body = """
import math
def slow(a, n, m):
    for i in range(n):
        t = 0.0
        for j in range(m):
            t = t + math.sin(a[i] + j)
        a[i] = t

a = np.ones(64)
slow(a, 64, 10)
print("ready", flush=True)
slow(a, 64, 6_000_000)
"""
    process = subprocess.Popen(
        command(tmp_path, body), env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    # Some 5 s of work lie ahead; what is under way, an eighth of it or less, is finished.
    assert time.monotonic() - before < 4.0
    assert "KeyboardInterrupt" in errors
    assert process.returncode in (1, 130, -signal.SIGINT)


# ---------------------------------------------------------------------------- the cache

PRINT = """
a, b = np.random.default_rng(1).random(3000), np.zeros(3000)
print(work(a, b, 3000) == a[-1] * 2.5 + 1.0, b.tobytes() == expected(a, 3000).tobytes())
"""


def kernels(tmp_path: Path, ending: str = "bin") -> list[Path]:
    return sorted((tmp_path / "cache").rglob(f"*.{ending}"))


def test_processes_that_share_a_cache_at_the_same_time(tmp_path, environ):
    line = command(tmp_path, PRINT)
    running = [
        subprocess.Popen(line, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in running:
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert out.split() == [b"True", b"True"]
    assert kernels(tmp_path)
    assert not list((tmp_path / "cache").rglob("tmp*"))  # no half-written files


@pytest.mark.parametrize("damage", ["empty", "half", "bytes", "letters", "directory"])
def test_a_damaged_kernel_is_an_absent_kernel(tmp_path, environ, damage):
    output(tmp_path, PRINT, environ)
    found = kernels(tmp_path)
    assert found
    for path in found:
        content = path.read_bytes()
        match damage:
            case "empty":
                path.write_bytes(b"")
            case "half":
                path.write_bytes(content[: len(content) // 2])
            case "bytes":
                middle = len(content) // 2
                path.write_bytes(content[:middle] + b"\0\1\2\3" + content[middle + 4 :])
            case "letters":
                path.write_bytes(b"x" * len(content))
            case "directory":
                path.unlink()
                path.mkdir()
    assert output(tmp_path, PRINT, environ).split()[:2] == ["True", "True"]
    if damage != "directory":
        assert all(path.read_bytes() != b"" for path in found)


def test_a_cache_directory_that_cannot_be_made(tmp_path, environ):
    (tmp_path / "file").write_text("in the way")
    environ["AUTOPAR_CACHE_DIR"] = str(tmp_path / "file" / "cache")
    assert output(tmp_path, PRINT, environ).split()[:2] == ["True", "True"]


def test_a_cache_directory_that_others_can_write_is_named_and_not_used(tmp_path, environ):
    place = tmp_path / "cache"
    place.mkdir()
    place.chmod(0o777)
    done = subprocess.run(
        command(tmp_path, PRINT), env=environ, capture_output=True, text=True, timeout=60
    )
    # What lies in a cache is executed: either a clear refusal to start, or work without a cache.
    assert not kernels(tmp_path)
    assert "chmod go-w" in done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert done.stdout.split() == ["True", "True"]
