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
signal.signal(signal.SIGCHLD, lambda *_: seen.append(1))
early = subprocess.Popen([sys.executable, "-c", ""])
while not seen:
    time.sleep(0.01)
late = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1)
copy = Copy(lambda: late.wait)
wait(copy)
assert seen == [1], seen  # of one that nobody has waited for
late.stdin.close()
assert os.wait()[0] in (early.pid, late.pid)
assert os.wait()[0] in (early.pid, late.pid)
assert seen == [1, 1], seen
early.returncode = late.returncode = 0
"""
    ran(program, tmp_path)


def test_threads_of_others_are_told_of_nothing(tmp_path: Path) -> None:
    program = """
import _thread
seen = []
signal.signal(signal.SIGCHLD, lambda *_: seen.append(1))
lock = _thread.allocate_lock()
lock.acquire()
_thread.start_new_thread(lock.acquire, ())
time.sleep(0.1)
assert copied.idle()
for _ in range(5):
    wait(Copy(lambda: None))
assert not seen, seen
"""
    ran(program, tmp_path)


def test_nobody_is_copied_while_others_run(tmp_path: Path) -> None:
    program = """
import _thread, ctypes
busy = ctypes.CDLL(None).sleep
def spin():
    while True:
        pass

_thread.start_new_thread(spin, ())
found = set()
for _ in range(200):
    found.add(copied.idle())
    time.sleep(1e-3)
assert False in found
"""
    ran(program, tmp_path)


def test_what_the_program_has_replaced_is_not_called(tmp_path: Path) -> None:
    program = """
from unittest import mock
names = ("_exit", "waitpid", "kill", "getpid", "fork", "wait", "nice", "setsid", "close", "dup2")
def refuse(*_):
    told("called", "x")
    raise SystemExit
with contextlib.ExitStack() as patches:
    for name in names:
        patches.enter_context(mock.patch(f"os.{name}", refuse))
    for name in ("signal", "pthread_sigmask", "alarm"):
        patches.enter_context(mock.patch(f"signal.{name}", refuse))
    patches.enter_context(mock.patch("time.sleep", refuse))
    copy = Copy(lambda: told("work", "x"))
wait(copy)
assert read("work") == "x"
assert not os.path.exists("called")
told("end", "x")
assert read("end") == "x"
"""
    ran("import contextlib\n" + program, tmp_path)


@pytest.mark.parametrize("name", ["mmap", "resource", "signal"])
def test_files_named_as_modules_are_not_imported(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("1 / 0")
    program = """
import posix, sys
sys.modules.pop(NAME, None)
sys.path.insert(0, "")
from autopar.runtime import copied
assert copied.possible()
copy = copied.Copy(lambda: None)
while not copy.ended:
    pass
assert NAME not in sys.modules
"""
    command = [sys.executable, "-c", f"NAME = {name!r}\n{program}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_without_ctypes_of_pythons_there_are_no_copies(tmp_path: Path) -> None:
    (tmp_path / "ctypes.py").write_text("1 / 0")
    program = """
import sys
sys.path.insert(0, "")
from autopar.runtime import copied
assert not copied.possible()
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_what_a_handler_raises_is_the_programs(tmp_path: Path) -> None:
    program = """
true = copied._clone
def clone():
    os.kill(os.getpid(), signal.SIGALRM)  # it has to wait
    return true()

copied._clone = clone
def late(*_):
    raise TimeoutError

signal.signal(signal.SIGALRM, late)
try:
    Copy(lambda: None)
except TimeoutError:
    print("late")
"""
    assert ran(program, tmp_path) == "late\n"


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


def test_it_has_what_the_program_leaves_of_the_processors(tmp_path: Path) -> None:
    """Where each session is given as much as any other, and where each process is.

    A process in a control group is of no session's group, and its file is empty.
    """
    program = """
group = "/proc/self/autogroup"
def nice():
    said = read(group).split() if os.access(group, os.W_OK) else []
    return os.nice(0), int(said[-1]) if said else os.nice(0)

def work():
    copied.give_way(20)
    told("nice", repr(nice()))

mine = nice()
wait(Copy(work))
its = eval(read("nice"))
print(its[0] > mine[0], its[1] > mine[1])
"""
    assert ran(program, tmp_path) == "True True\n"


def test_the_session_of_the_user_is_as_it_was(tmp_path: Path) -> None:
    program = """
group = "/proc/self/autogroup"
before = os.path.exists(group) and read(group)
copied.give_way(3)
wait(Copy(lambda: copied.give_way(3)))
print(before == (os.path.exists(group) and read(group)))
"""
    assert ran(program, tmp_path) == "True\n"


def test_where_there_can_be_none_somebody_hears_of_it(tmp_path: Path) -> None:
    program = """
copied._clone = lambda: -1
print(Copy(lambda: None).made)
"""
    assert ran(program, tmp_path) == "False\n"


def test_what_is_said_in_it_is_said_to_nobody(tmp_path: Path) -> None:
    program = """
class Tee:
    def write(self, text):
        told("tee", text)

    def __del__(self):
        told("tee", "end")

sys.stderr = Tee()
wait(Copy(lambda: print("said", file=sys.stderr)))
sys.stderr, tee = sys.__stderr__, sys.stderr
assert not os.path.exists("tee")
Tee.__del__ = lambda self: None
"""
    ran(program, tmp_path)


def test_a_child_of_a_copy_says_whether_it_has_done_it(tmp_path: Path) -> None:
    program = """
def work():
    for task in (lambda: True, lambda: False, lambda: 1 / 0, lambda: os.kill(os.getpid(), 9)):
        told("work", str(copied.in_a_child(task)) + " ")

wait(Copy(work))
assert read("work") == "True False False False "
"""
    ran(program, tmp_path)


def test_who_adopts_processes_has_no_copies(tmp_path: Path) -> None:
    program = """
import ctypes
assert copied.possible()
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
assert not copied.possible()
"""
    ran(program, tmp_path)


def test_much_memory_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copied, "_MOST_BYTES", 1 << 40)
    assert copied.possible()
    monkeypatch.setattr(copied, "_MOST_BYTES", 1 << 20)
    assert not copied.possible()


def test_the_first_process_has_no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copied, "_MOST_BYTES", 1 << 40)
    assert copied.possible()
    monkeypatch.setattr(copied, "_text", lambda file: "python3" if "comm" in file else "1 1")
    assert not copied.possible()


def test_copies_take_their_turns(tmp_path: Path) -> None:
    program = """
def work(name, ahead):
    if copied.first_of(ahead, 1):
        told("order", name)
    if name == "a":
        while not os.path.exists("on"):
            time.sleep(0.01)
        told("order", "-")

first = Copy(lambda: work("a", []))
second = Copy(lambda: work("b", [first]))
third = Copy(lambda: work("c", [first, second]))
time.sleep(0.2)
assert read("order") == "a", read("order")
told("on", "")
wait(third)
print(read("order"))
"""
    assert ran(program, tmp_path) == "a-bc\n"


def test_one_copy_at_a_time_is_at_work_for_the_same(tmp_path: Path) -> None:
    program = """
def work(name, mark):
    assert copied.by_itself(os.path.join(here, mark))
    told("order", name)
    while name in "ax" and not os.path.exists("on"):
        time.sleep(0.01)
    told("order", name.upper())

def until(text):
    end = time.monotonic() + 20
    while not os.path.exists("order") or read("order") != text:
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)

first = Copy(lambda: work("a", "10"))
until("a")
second = Copy(lambda: work("b", "10"))
wait(Copy(lambda: work("c", "11")))
assert read("order") == "acC", read("order")
assert not second.ended
os.kill(first.number, signal.SIGKILL)
wait(second)
assert read("order") == "acCbB", read("order")
"""
    ran(program, tmp_path)


def test_where_files_cannot_be_locked_nobody_waits(tmp_path: Path) -> None:
    assert not copied.by_itself(str(tmp_path / "gone" / "10"))
