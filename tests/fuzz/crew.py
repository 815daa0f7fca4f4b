"""Worker processes, watched: one that crashes or hangs is a finding, and its work goes on."""

from __future__ import annotations

import json
import os
import queue
import selectors
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .choices import Choices, seeded
from .grammar import program
from .program import Program
from .shrink import shrink

BATCH = 250
"""Programs per process: machine code is never given back, some megabytes for each program."""
HANG_S = 60.0
OPTIMISE = ("0", "0", "0", "3")
"""LLVM's level, batch by batch: most of a short program's time is its compilation."""
_DEVICE = "AUTOPAR_DEVICE"
_ENDLESS = {"status": "interpreted", "code": "endless", "inside": False}


@dataclass
class Crew:
    """`jobs` workers that judge programs from number `first` of `seed` until told to stop.

    `events` has the workers' reports; a crash is reported as a program that is wrong.
    """

    seed: int
    jobs: int
    first: int = 0
    programs: int | None = None
    batch: int = BATCH
    hang_s: float = HANG_S
    events: queue.SimpleQueue[dict[str, Any]] = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        self.stopped = threading.Event()
        self.batches = self._batches()
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen[str]] = set()

    def _batches(self) -> Iterator[tuple[int, int]]:
        start, end = self.first, None if self.programs is None else self.first + self.programs
        while end is None or start < end:
            count = self.batch if end is None else min(self.batch, end - start)
            yield start, count
            start += count

    def start(self) -> None:
        for _ in range(self.jobs):
            threading.Thread(target=self._work, daemon=True).start()

    def stop(self) -> None:
        """End all workers now."""
        self.stopped.set()
        for process in list(self.running):
            process.kill()

    def _work(self) -> None:
        while not self.stopped.is_set():
            with self.lock:
                batch = next(self.batches, None)
            if batch is None:
                break
            start, count = batch
            end = start + count
            while start < end and not self.stopped.is_set():
                start = self._run(start, end)
        self.events.put({"idle": True})

    def _run(self, start: int, end: int) -> int:
        """Judge programs ``start .. end-1`` in one process; where to go on after it has ended."""
        level = OPTIMISE[start // self.batch % len(OPTIMISE)]
        process = launched(str(self.seed), str(start), str(end - start), level=level)
        self.running.add(process)
        at, reason = start - 1, ""
        for line in _lines(process, self.hang_s):
            if line is None:
                process.kill()
                reason = f"no answer for {self.hang_s:.0f} s"
                break
            message = json.loads(line)
            at = message.get("at", at)
            if len(message) > 1:
                self.events.put(message)
        code = process.wait()
        self.running.discard(process)
        if self.stopped.is_set() or (code == 0 and not reason):
            return end
        if reason and not survives(program(seeded(self.seed, at)), level, judged=False):
            # CPython alone does not come to an end either: its integers may grow without one.
            self.events.put({"at": at, **_ENDLESS, "text": f"{self.seed} {at}"})
            return at + 1
        reason = reason or f"the process ended with {code}"
        small = shrink(seeded_choices(self.seed, at), lambda p: not survives(p, level), 120.0)
        self.events.put({"at": at, "wrong": f"{reason}, LLVM level {level}", "program": str(small)})
        return at + 1


def seeded_choices(seed: int, number: int) -> Choices:
    """The decisions behind a program of a run."""
    choices = seeded(seed, number)
    program(choices)
    return choices


def survives(found: Program, level: str = "3", judged: bool = True) -> bool:
    """Whether a process of its own can judge `found`, or just run it, and comes to an end."""
    process = launched("-" if judged else "=", level=level)
    assert process.stdin is not None
    try:
        process.communicate(str(found), timeout=HANG_S / 2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return process.returncode == 0


def launched(*args: str, level: str) -> subprocess.Popen[str]:
    """A worker process."""
    package = __package__ or "fuzz"
    home = Path(__file__).parents[package.count(".") + 1]
    paths = [str(home), *filter(None, sys.path)]
    environment = {
        # Where nests run is what a search may be about: AUTOPAR_DEVICE=opencl, on PoCL, and
        # AUTOPAR_DEVICE_MEMORY=100 there, so that some run in pieces.
        **{
            k: v
            for k, v in os.environ.items()
            if not k.startswith("AUTOPAR") or k.startswith(_DEVICE)
        },
        "PYTHONPATH": os.pathsep.join(paths),
    }
    return subprocess.Popen(
        [sys.executable, "-m", f"{package}.worker", level, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        start_new_session=True,  # Ctrl-C is the parent's to answer
    )


def _lines(process: subprocess.Popen[str], patience_s: float) -> Iterator[str | None]:
    """Lines as they come; None when none came for `patience_s`."""
    assert process.stdout is not None
    handle = process.stdout.fileno()
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(handle, selectors.EVENT_READ)
        while True:
            if not selector.select(patience_s):
                yield None
                return
            got = os.read(handle, 65536)
            if not got:
                return
            *whole, rest = (rest + got).split(b"\n")
            yield from (line.decode() for line in whole)
