"""Copies of a process, of which its program notices nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autopar.runtime import copied

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")

HEAD = """
import os, signal, sys, time
from autopar.runtime import copied
from autopar.runtime.copied import Copy

here = os.getcwd()
def told(name, text):
    with open(os.path.join(here, name), "a") as stream:
        stream.write(text)

def read(name):
    with open(os.path.join(here, name)) as stream:
        return stream.read()

def wait(copy):
    end = time.monotonic() + 20
    while not copy.ended:
        assert time.monotonic() < end, "it does not end"
        time.sleep(0.01)
"""


def ran(text: str, folder: Path) -> str:
    """What a program in a process of its own prints."""
    command = [sys.executable, "-W", "error", "-c", HEAD + text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_it_works_beside_the_program_and_is_seen_to_end(tmp_path: Path) -> None:
    program = """
value = [1]
def work():
    told("go", str(value))
    while not os.path.exists("on"):
        time.sleep(0.01)
    value.append(2)
    told("work", str(value))

copy = Copy(work)
value[0] = 3
assert not copy.ended
told("on", "")
wait(copy)
print(read("go"), read("work"), value)
"""
    assert ran(program, tmp_path) == "[1] [1, 2] [3]\n"


def test_no_child_no_signal_no_file_and_no_thread_of_it_is_seen(tmp_path: Path) -> None:
    program = """
import threading, warnings
seen = []
signal.signal(signal.SIGCHLD, lambda *_: seen.append("signal"))
os.register_at_fork(before=lambda: seen.append("fork"), after_in_child=lambda: told("fork", "x"))
files = os.listdir("/proc/self/fd")
mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
copy = Copy(lambda: time.sleep(0.2))
assert not copy.ended
assert os.listdir("/proc/self/fd") == files
assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
assert threading.active_count() == 1
for ended in (False, True):
    if ended:
        wait(copy)
    try:
        os.wait()
    except ChildProcessError:
        pass
    else:
        seen.append("child")
assert not seen, seen
assert not os.path.exists("fork")
"""
    ran(program, tmp_path)


def test_it_has_nothing_that_the_program_has(tmp_path: Path) -> None:
    program = """
import atexit, fcntl, gc
gc.disable()
program = os.getpid()
class Ends:
    def __del__(self):
        if os.getpid() != program:
            told("ends", "x")

atexit.register(told, "exit", "x")
garbage = Ends()
garbage.itself = garbage
del garbage
gc.enable()
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("written once", end="")
signal.signal(signal.SIGTERM, lambda *_: told("handled", "x"))
read_end, write_end = os.pipe()

def work():
    told("files", " ".join(os.readlink(f"/proc/self/fd/{n}") for n in range(3)))
    told("session", str(os.getsid(0) == os.getpid()))
    told("more", str(len(os.listdir("/proc/self/fd"))))
    while not os.path.exists("on"):
        time.sleep(0.01)
    many = [[] for _ in range(100_000)]
    os.kill(os.getpid(), signal.SIGTERM)

copy = Copy(work)
os.close(write_end)
assert os.read(read_end, 1) == b""  # nobody else can write to it
lock.close()
with open("lock", "w") as again:
    fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody else holds it
told("on", "")
wait(copy)
assert read("files") == " ".join(["/dev/null"] * 3)
assert read("session") == "True"
assert int(read("more")) <= 4  # what lists them included
assert not os.path.exists("ends")
assert not os.path.exists("handled")
assert not os.path.exists("exit")
"""
    assert ran(program, tmp_path) == "written once"
    assert (tmp_path / "exit").read_text() == "x"


def test_children_of_the_program_are_still_told_of(tmp_path: Path) -> None:
    program = """
import subprocess
seen = []
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
signal.signal(signal.SIGCHLD, lambda *_: seen.append(1))
true = copied._forget
def forget(pid):
    child.stdin.close()  # it ends while the signal waits
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    true(pid)

copied._forget = forget
copy = Copy(lambda: None)
wait(copy)
assert seen == [1], seen
assert os.wait()[0] == child.pid
child.returncode = 0
"""
    # What the child prints when its input ends is of no interest.
    assert ran(program.replace("input()", "import sys; sys.stdin.read()"), tmp_path) == ""


def test_whoever_ignores_children_may(tmp_path: Path) -> None:
    program = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
copy = Copy(lambda: told("work", "x"))
wait(copy)
assert read("work") == "x"
assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
"""
    ran(program, tmp_path)


@pytest.mark.parametrize(
    "work", ["1 / 0", "raise SystemExit(3)", "os.abort()", "os.kill(os.getpid(), 9)", "os._exit(1)"]
)
def test_however_it_ends_the_program_goes_on(work: str, tmp_path: Path) -> None:
    ran(f"def work(): {work}\nwait(Copy(work))", tmp_path)
    assert not list(tmp_path.iterdir())  # nor is its memory written anywhere


def test_it_does_not_work_for_ever(tmp_path: Path) -> None:
    program = """
copied.LONGEST_S = 1
def work():
    while True:
        pass

wait(Copy(work))
"""
    ran(program, tmp_path)


def test_where_there_can_be_none_somebody_hears_of_it(tmp_path: Path) -> None:
    program = """
class System:
    def fork(self):
        return -1

copied._system = System
try:
    Copy(lambda: None)
except OSError:
    print("none")
"""
    assert ran(program, tmp_path) == "none\n"


def test_who_adopts_processes_has_no_copies(tmp_path: Path) -> None:
    program = """
import ctypes
assert copied.possible()
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
assert not copied.possible()
"""
    ran(program, tmp_path)


def test_much_memory_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    assert copied.possible()
    monkeypatch.setattr(copied, "_MOST_BYTES", 1 << 20)
    assert not copied.possible()


def test_the_first_process_has_no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copied.os, "getpid", lambda: 1)
    assert not copied.possible()
