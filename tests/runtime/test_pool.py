"""Chunks on threads: each once, failures kept, user threads and errors treated well."""

from __future__ import annotations

import threading
import time

import pytest

from autopar.kernel import Status
from autopar.runtime.run import pool


def test_every_chunk_runs_once():
    seen: list[int] = []

    def task(chunk: int) -> int:
        seen.append(chunk)
        return 0

    assert pool.run(task, 50, 4, pool.Word()) == 0
    assert sorted(seen) == list(range(50))


def test_one_failure_among_many_successes_is_kept():
    for bad in range(8):

        def task(chunk: int, bad: int = bad) -> int:
            time.sleep(0.001 * (chunk % 3))
            return int(chunk == bad)

        assert pool.run(task, 8, 3, pool.Word()) == 1


def test_an_error_reaches_the_caller():
    def task(chunk: int) -> int:
        if chunk == 5:
            raise KeyError("five")
        return 0

    with pytest.raises(KeyError):
        pool.run(task, 20, 3, pool.Word())


def test_users_see_no_threads():
    before = threading.active_count()
    pool.run(lambda chunk: 0, 10, 4, pool.Word())
    assert threading.active_count() == before


def test_many_launch_at_once():
    totals: list[int] = []

    def launch() -> None:
        seen: list[int] = []
        pool.run(lambda chunk: seen.append(chunk) or 0, 20, 3, pool.Word())
        totals.append(len(seen))

    threads = [threading.Thread(target=launch) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert totals == [20] * 8


def test_a_failure_stops_the_chunks_that_run():
    word = pool.Word()

    def task(chunk: int) -> int:
        if chunk == 0:
            return Status.FAILED
        while not word.stopped:
            time.sleep(0.001)
        return Status.STOPPED

    assert pool.run(task, 3, 3, word) == Status.FAILED


def test_the_worst_status_counts():
    assert pool.worst([Status.STOPPED, Status.ALARMED]) == Status.ALARMED
    assert pool.worst([Status.ALARMED, Status.FAILED, Status.STOPPED]) == Status.FAILED
    assert pool.worst([]) == Status.DONE
