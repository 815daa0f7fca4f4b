"""Threads that stay awake: each chunk once, launch after launch, whatever else goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from autopar.cpu import build
from autopar.cpu import team as layout
from autopar.kernel import Kernel, Program, Status
from autopar.nest.typed.types import ArrayType, Typed
from autopar.runtime.run import pool
from autopar.runtime.run.team import WORST, Team
from autopar.runtime.run.transaction import Transaction, Undo

# Each iteration of a chunk counts; the status is that of `codes`, by the number of the chunk.
TEXT = """\
def kernel0(stop, chunk, lo, hi, counts, codes):
    for k in range(lo, hi):
        counts[k] = counts[k] + int64(1)
    return codes[chunk]
"""


@pytest.fixture(scope="module")
def call():
    return made()


def made(**more):
    kernel = Kernel(
        name="kernel0", text=TEXT, parallel=True, asks=False, arrays=("counts", "codes"),
        numbers=(), outer=(), cells=(), may_fail=True, may_alarm=False, alarms=(), outright=True,
        reductions=(), spans=(), whole=False, relaxed=False, **more,
    )  # fmt: skip
    arrays = [(name, ArrayType("int64", 1, "C", True, True)) for name in kernel.arrays]
    typed = Typed(None, tuple(arrays), (), (), ())  # type: ignore[arg-type]
    program = Program((kernel,), "", (), (), (), (), (), ())
    return build.build(kernel, typed, program, None).call


@pytest.fixture(params=[2, 3, 8])
def team(request):
    made = Team(request.param, build.teams(None))
    yield made
    made.dismiss()


def launched(call, team, counts, codes, chunks):
    word = pool.Word()
    args = (counts, codes)
    assert team.gather()
    status = team.run(call, word.address, chunks, counts.size, args)
    return status, word


def test_each_iteration_runs_once_in_each_of_many_launches(call, team):
    rng, largest = np.random.default_rng(1), 0
    for launch in range(3000):
        size, chunks = int(rng.integers(1, 200)), int(rng.integers(1, 8 * team.threads))
        counts, codes = np.zeros(size, np.int64), np.zeros(chunks, np.int64)
        status, word = launched(call, team, counts, codes, chunks)
        assert status == Status.DONE
        assert not word.stopped
        assert counts.tolist() == [1] * size, launch
        largest = max(largest, size)
        if launch % 500 == 0:
            time.sleep(0.005)  # all have left meanwhile
    assert largest > 100


@pytest.mark.parametrize("code", [Status.FAILED, Status.STOPPED, Status.ALARMED, Status.UNSURE])
def test_a_status_is_kept_and_stops_the_others(call, team, code):
    chunks = 8 * team.threads
    for bad in range(chunks):
        counts, codes = np.zeros(1000, np.int64), np.zeros(chunks, np.int64)
        codes[bad] = code
        status, word = launched(call, team, counts, codes, chunks)
        assert status == code
        assert word.stopped
        assert counts.max() == 1
    counts = np.zeros(1000, np.int64)
    assert launched(call, team, counts, np.zeros(chunks, np.int64), chunks)[0] == Status.DONE
    assert counts.min() == 1


def test_the_worst_status_counts():
    failed_and_stopped = 1 << Status.FAILED | 1 << Status.STOPPED
    assert WORST[failed_and_stopped] == Status.FAILED
    assert WORST[1 << Status.ALARMED | 1 << Status.STOPPED] == Status.ALARMED
    assert WORST[0] == Status.DONE


def test_nothing_is_begun_once_stopped(call, team):
    word, counts = pool.Word(), np.zeros(100, np.int64)
    word.stop()
    codes = np.zeros(10, np.int64)
    assert team.gather()
    assert team.run(call, word.address, 10, 100, (counts, codes)) == Status.STOPPED
    assert not counts.any()


def wait_until_all_left(team):
    """However busy the machine is."""
    end = time.monotonic() + 60
    while team.missing() < team.threads - 1 and time.monotonic() < end:
        time.sleep(0.001)
    assert team.missing() == team.threads - 1


@pytest.mark.parametrize("sleeps", [True, False])
def test_who_has_nothing_to_do_sleeps_or_leaves(call, monkeypatch, sleeps):
    if sleeps and sys.platform != "linux":
        pytest.skip("no semaphores here")
    monkeypatch.setattr(layout, "SLEEPS", sleeps)
    team = Team(3, build.teams(None))
    for _ in range(20):
        assert launched(call, team, np.zeros(100, np.int64), np.zeros(24, np.int64), 24)[0] == 0
        begun, used = time.perf_counter(), time.process_time()
        time.sleep(0.05)
        assert time.process_time() - used < time.perf_counter() - begun
    if sleeps:
        assert team.missing() == 0
    else:
        wait_until_all_left(team)
    team.dismiss()
    wait_until_all_left(team)
    assert team.memory[layout.LEFT] == team.started


@pytest.mark.skipif(not layout.SLEEPS, reason="no semaphores here")
def test_threads_sleep_while_another_library_works(call, monkeypatch):
    monkeypatch.setattr(layout, "SPINS", 1 << 60)  # otherwise never
    team = Team(3, build.teams(None))
    monkeypatch.setitem(pool._teams, 3, team)
    for _ in range(3):
        assert launched(call, team, np.zeros(100, np.int64), np.zeros(24, np.int64), 24)[0] == 0
        assert not team.asleep()
        with pool.resting(3):
            end = time.monotonic() + 60
            while not team.asleep() and time.monotonic() < end:
                time.sleep(0.001)
            assert team.asleep()
    assert team.memory[layout.PATIENCE] == layout.SPINS
    with pool.resting(5):  # a team that is not there
        pass
    team.dismiss()
    wait_until_all_left(team)


@pytest.mark.skipif(not layout.SLEEPS, reason="no semaphores here")
def test_who_sleeps_is_woken_ahead_of_a_launch(call, monkeypatch):
    monkeypatch.setattr(layout, "SPINS", 1)
    team = Team(3, build.teams(None))
    monkeypatch.setitem(pool._teams, 3, team)
    counts = np.zeros(100, np.int64)
    pool.stir(3)  # those that have not even begun
    for turn in range(1, 4):
        assert launched(call, team, counts, np.zeros(24, np.int64), 24)[0] == 0
        end = time.monotonic() + 60
        while not team.asleep() and time.monotonic() < end:
            time.sleep(0.001)
        team.memory[layout.PATIENCE] = 1 << 60
        pool.stir(3)
        assert not team.asleep()
        assert launched(call, team, counts, np.zeros(24, np.int64), 24)[0] == 0
        pool.stir(3)  # nobody sleeps
        assert (counts == 2 * turn).all()
        team.memory[layout.PATIENCE] = 1
    pool.stir(5)  # a team that is not there
    team.dismiss()
    wait_until_all_left(team)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="nobody can say where to be")
def test_who_is_woken_keeps_away_from_who_launches(call):
    mine, before = os.sched_getaffinity(0), set(os.listdir("/proc/self/task"))
    team = Team(2, build.teams(None))
    for _ in range(3):
        assert launched(call, team, np.zeros(100, np.int64), np.zeros(16, np.int64), 16)[0] == 0
        time.sleep(0.05)
    threads = [int(name) for name in set(os.listdir("/proc/self/task")) - before]
    avoided = int(team.memory[layout.AVOIDED])
    allowed = [os.sched_getaffinity(thread) for thread in threads]
    team.dismiss()
    assert os.sched_getaffinity(0) == mine
    if len(mine) > 1:
        assert avoided in mine
        assert allowed == [mine - {avoided}]
    else:
        assert avoided == -1
        assert allowed == [mine]


def test_too_few_processors_are_shared(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 63, 64}, raising=False)
    few = Team(4, build.teams(None))
    assert not few.memory[layout.PROCESSORS : layout.PROCESSORS + 16].any()
    enough = Team(3, build.teams(None))
    bits = enough.memory[layout.PROCESSORS : layout.PROCESSORS + 16].view(np.uint64).tolist()
    assert bits == [1 + (1 << 63), 1] + [0] * 14
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1024}, raising=False)
    assert not Team(2, build.teams(None)).memory[layout.PROCESSORS :].any()


@pytest.mark.parametrize("yields", [True, False])
def test_elsewhere_nobody_yields_or_sleeps(yields):
    assert ("sched_yield" in layout.text(Status.STOPPED, False, yields)) == yields


def test_a_launch_without_work_waits_for_those_with_some(call):
    team = Team(2, build.teams(None))
    wrong = []

    def idle() -> None:
        for _ in range(2000):
            team.nothing()

    other = threading.Thread(target=idle)
    other.start()
    for _ in range(2000):
        with team.taken:
            counts = np.zeros(500, np.int64)
            status, _ = launched(call, team, counts, np.zeros(16, np.int64), 16)
        if status or counts.tolist() != [1] * 500:
            wrong.append(status)
    other.join(60)
    team.dismiss()
    assert not wrong


def test_users_threads_launch_at_once(call):
    pool.ready(3, build.teams(None))
    wrong = []

    def user(seed: int) -> None:
        for _ in range(300):
            counts, codes, word = np.zeros(50 + seed, np.int64), np.zeros(24, np.int64), pool.Word()
            status = pool.chunks(call, word, (counts, codes), 24, counts.size, 3)
            if status or counts.tolist() != [1] * counts.size:
                wrong.append(seed)

    users = [threading.Thread(target=user, args=(seed,)) for seed in range(6)]
    for one in users:
        one.start()
    for one in users:
        one.join(60)
    assert not wrong


STEPS = """\
import numpy as np

def steps(a, b, count):
    for _ in range(count):
        for i in range(1, a.shape[0] - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        for i in range(1, a.shape[0] - 1):
            a[i] = 0.5 * (b[i - 1] + b[i + 1])

a, b = np.arange(300.0) ** 2, np.arange(300.0) ** 2
steps(a, b, 20)
"""
FORKED = """
import os
child = os.fork()
steps(a, b, 20)
if child:
    _, status = os.waitpid(child, 0)
    assert status == 0, status
"""


@pytest.mark.parametrize("end", ["", "raise SystemExit(7)\n", FORKED])
def test_a_process_ends_while_threads_are_awake(tmp_path: Path, end: str):
    if "fork" in end and not hasattr(os, "fork"):
        pytest.skip("no fork here")
    script = tmp_path / "script.py"
    script.write_text(STEPS + end)
    told = {"AUTOPAR_FAIL_ON_FALLBACK": "1", "AUTOPAR_THREADS": "2", "AUTOPAR_CACHE_DIR": "cache"}
    for _ in range(3):
        begun = time.perf_counter()
        found = subprocess.run(
            [sys.executable, "-m", "autopar", str(script)],
            env=os.environ | told, cwd=tmp_path, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert found.returncode == (7 if "7" in end else 0), found.stderr
        assert time.perf_counter() - begun < 30


def test_bytes_are_copied_once_each(team):
    rng = np.random.default_rng(2)
    assert team.gather()
    for turn in range(300):
        sizes = rng.integers(0, 3000, rng.integers(1, 5)).tolist()
        content = [rng.integers(0, 256, size, np.uint8) for size in sizes]
        places, end = [], 1
        for size in sizes:
            places.append(end)
            end += size + 1
        room, parts = np.full(end, 7, np.uint8), 1 if turn % 3 == 0 else 2 * team.threads
        rows = [
            word for place, size in zip(places, sizes, strict=True) for word in (0, place, size)
        ]
        table = np.array([parts, len(sizes), 0, *rows], np.int64)
        assert team.copy(table.ctypes.data, room, content)
        wanted = np.full(end, 7, np.uint8)
        for place, one in zip(places, content, strict=True):
            wanted[place : place + one.size] = one
        assert (room == wanted).all(), turn


def test_nothing_is_copied_of_arrays_with_gaps(team):
    assert team.gather()
    fortran, gaps = np.asfortranarray(np.ones((4, 6))), np.ones((4, 6))[:, ::2]
    for arrays, fit in (([fortran, fortran.T], True), ([fortran, gaps], False)):
        room, table = np.zeros(60), np.array([1, 2, 0, 0, 0, 96, 0, 240, 96], np.int64)
        assert team.copy(table.ctypes.data, room, arrays) == fit
        assert room.any() == fit


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("busy", [False, True])
def test_what_a_kernel_overwrites_is_put_back(threads, busy):
    rng = np.random.default_rng(3)
    sizes = ((5,), (300, 200), (70_000,), (40, 50, 60))
    arrays = [rng.random(size) for size in sizes]
    arrays += [np.asfortranarray(arrays[1]), arrays[1][:, ::2], arrays[3].T, arrays[2][::-1]]
    before = [array.copy() for array in arrays]
    team = pool.ready(threads, build.teams(None)) if threads > 1 else None
    if busy and team is not None:
        team.taken.acquire()  # by another launch
    undo = Transaction(arrays, threads)
    if busy and team is not None:
        team.taken.release()
    for array in arrays:
        array[...] = -1.0
    undo.roll_back()
    undo.close()
    for array, wanted in zip(arrays, before, strict=True):
        assert (array == wanted).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("length", [3, 5000, 60_000])
def test_copies_serve_one_run_after_the_other(threads, length):
    rng = np.random.default_rng(4)
    team = pool.ready(threads, build.teams(None)) if threads > 1 else None
    undo = Undo([8 * length, 4 * length, 2], threads)
    for turn in range(12):
        busy = turn % 3 == 1 and team is not None
        arrays = [
            rng.random((length, 2))[:, turn % 2 :: 2] if turn == 7 else rng.random(length),
            rng.integers(0, 99, (1, length), np.int32).T,
            np.array([True, False]),
        ]
        before = [array.copy() for array in arrays]
        if busy:
            team.taken.acquire()  # by another launch
        try:
            assert undo.begin(arrays) == (turn != 7), turn
        finally:
            if busy:
                team.taken.release()
        if turn == 7:  # one has gaps
            continue
        for array in arrays:
            array[...] = 0
        if turn % 2:
            undo.roll_back()
        for array, wanted in zip(arrays, before, strict=True):
            assert (array == (wanted if turn % 2 else 0)).all(), turn
        undo.close()


@pytest.mark.parametrize("grain", [1, 4])
def test_long_chunks_are_shared_out(team, grain):
    """Those that come last take longest: each runs once, and each thread has its share."""
    call = made(backwards=True, grain=grain)
    for chunks in (*range(2, 4 * team.threads + 1), 8 * team.threads):
        counts, codes = np.zeros(chunks * 4, np.int64), np.zeros(chunks, np.int64)
        status, _ = launched(call, team, counts, codes, chunks)
        assert status == Status.DONE
        assert counts.tolist() == [1] * counts.size, chunks
