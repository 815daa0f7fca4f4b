"""Settings under which small programs show what large ones would: all compiled, in odd orders."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from autopar import config
from autopar.cpu import lanes as cpu_lanes
from autopar.runtime import early, glance, hunch, running, unknown
from autopar.runtime.choice import choose, price, waiting, ways, weighed
from autopar.runtime.run import launch, pool, steps
from autopar.runtime.run.pool import Task
from autopar.runtime.run.team import Team
from autopar.sched import lanes as sched_lanes
from autopar.sched.machine import MACHINE

from .program import Program

# Any nest is worth its compilation, any parallel loop its launch, any kernel its call; loops have
# several strips; errors of ours come out.
_EAGER = replace(
    MACHINE,
    compile_s=0.0,
    start_s=0.0,
    first_compile_s=0.0,
    compile_op_s=0.0,
    first_read_s=0.0,
    read_s=0.0,
    dispatch_s=0.0,
    again_ops=0.0,
    lend_s=0.0,
    launch_s=0.0,
    wake_s=0.0,
    enter_s=-1.0,
    looking_share=1e9,
    strip_lanes=3,
    packed_bytes=0,
    panel_lanes=2,
    least_lanes=1,
    least_columns=2,
)
# Copies of lists cost nothing; launches do, or there would be no plan but the most parallel one.
_COPIES_FREE = replace(MACHINE, list_s=0.0, item_s=0.0, new_item_s=0.0)


@contextmanager
def eager(cache: Path | None = None) -> Iterator[None]:
    """Compile every nest at its first call, into `cache` or a directory that goes away."""
    before = config.current()
    with tempfile.TemporaryDirectory() as fresh, mock.patch.object(choose, "MACHINE", _EAGER):
        config.use(replace(before, check=True, verify=False, cache_dir=cache or Path(fresh)))
        with (
            mock.patch.object(early, "MACHINE", _EAGER),
            mock.patch.object(running, "MACHINE", _EAGER),
            mock.patch.object(glance, "MACHINE", _EAGER),
            mock.patch.object(unknown, "machine", return_value=_EAGER),
            mock.patch.object(unknown.Unknown, "affords", return_value=True),
            mock.patch.object(price, "MACHINE", _COPIES_FREE),
            mock.patch.object(ways, "_LEAST_ROWS", 3),
            mock.patch.object(sched_lanes, "MACHINE", _EAGER),
            mock.patch.object(cpu_lanes, "MACHINE", _EAGER),
            mock.patch.object(choose, "machine", return_value=_EAGER),
            mock.patch.object(weighed, "machine", return_value=_EAGER),
            mock.patch.object(weighed, "MACHINE", _EAGER),
            mock.patch.object(waiting, "machine", return_value=_EAGER),
            mock.patch.object(hunch, "machine", return_value=_EAGER),
            mock.patch.object(price, "machine", return_value=_COPIES_FREE),
        ):
            yield
    config.use(before)


@contextmanager
def as_wanted(program: Program) -> Iterator[None]:
    """The threads, the order of chunks and NumPy's error state that `program` asks for."""
    before = config.current()
    config.use(replace(before, threads=program.threads))
    errors: Any = dict.fromkeys(("divide", "over", "invalid"), program.errors)
    # Plans whose copies, notes or tiles cost more than they save, unless threads set the order.
    dear = mock.patch.object(weighed, "eager", return_value=program.order != 0)
    chunks = _Chunks(program.order)
    ordered = mock.patch.object(launch, "pool", chunks), mock.patch.object(steps, "pool", chunks)
    with dear, ordered[0], ordered[1], np.errstate(**errors):
        yield
    config.use(before)


class _Chunks:
    """The room's `pool`, but for the order of chunks: one that threads might take."""

    def __init__(self, order: int) -> None:
        self.order = order

    def __getattr__(self, name: str) -> Any:
        return getattr(pool, name)

    def run(self, task: Task, count: int, threads: int, word: pool.Word) -> int:
        if self.order == 0 or threads == 1:
            return pool.run(task, count, threads, word)
        chunks = list(reversed(range(count)))
        if self.order > 1:
            random.Random(self.order).shuffle(chunks)
        return next((status for chunk in chunks if (status := task(chunk))), 0)

    def together(
        self,
        call: Callable[..., int],
        word: pool.Word,
        args: Sequence[Any],
        count: int,
        trips: int,
        threads: int,
    ) -> int | None:
        if self.order == 0 or threads == 1:
            return pool.together(call, word, args, count, trips, threads)
        return None  # `run` has an order for what they would have none

    def chunks(
        self,
        call: Callable[..., int],
        word: pool.Word,
        args: Sequence[Any],
        count: int,
        trips: int,
        threads: int,
        grain: int = 1,
    ) -> int:
        if self.order == 0 or threads == 1:
            return pool.chunks(call, word, args, count, trips, threads, grain)
        task = pool.each(call, word, args, count, trips, grain)
        return self.run(task, count, threads, word)

    def held(self, threads: int) -> Team | None:
        return pool.held(threads) if self.order == 0 else None
