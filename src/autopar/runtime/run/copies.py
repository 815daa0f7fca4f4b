"""Copies of large arrays by several threads: one alone gets little of what memory has to give."""

from __future__ import annotations

from typing import Any

import numpy as np

from autopar import config
from autopar.kernel import Status
from autopar.runtime.run import pool

_LEAST = 1 << 20  # bytes for a thread
_MOST = 8  # threads, which have all that memory gives


def copy(to: np.ndarray[Any, Any], content: np.ndarray[Any, Any]) -> None:
    """Have the elements of `content` in `to`, of the same shape and dtype; no memory is shared."""
    most = min(_MOST, to.nbytes // _LEAST)
    rows = len(to) if most > 1 and to.ndim else 1
    threads = min(most, rows, config.current().threads)
    if threads < 2:
        np.copyto(to, content)
    else:
        _shared(to, content, threads)


def _shared(to: np.ndarray[Any, Any], content: np.ndarray[Any, Any], threads: int) -> None:
    """The same by so many threads, each of which has a part of the first axis."""
    rows = len(to)

    def part(chunk: int) -> int:
        some = slice(rows * chunk // threads, rows * (chunk + 1) // threads)
        np.copyto(to[some], content[some])
        return Status.DONE

    pool.run(part, threads, threads, pool.Word())
