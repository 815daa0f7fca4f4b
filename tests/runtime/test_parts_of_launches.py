"""Into how many parts a launch cuts a loop."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from autopar.kernel import Reduction
from autopar.nest import kinds
from autopar.runtime.run import joins, launch, pool
from autopar.runtime.run.launch import Launch

LARGEST = Reduction("s", ">", frozenset())


def parts(monkeypatch: pytest.MonkeyPatch, brief: bool, even: bool, threads: int) -> int:
    """How many parts a loop with a reduction is cut into."""
    asked: list[int] = []

    def chunks(call: object, word: object, args: object, count: int, *_: int) -> int:
        asked.append(count)
        return 0

    monkeypatch.setattr(pool, "chunks", chunks)
    kernel = SimpleNamespace(
        leaves=(), reductions=(LARGEST,), joins=True, copied=(), cells=(), even=even, arrays=()
    )
    loaded = SimpleNamespace(calls=[None], program=SimpleNamespace(kernels=[kernel]))
    one = object.__new__(Launch)
    one.loaded, one.threads, one.brief, one.simple = loaded, threads, brief, False
    one.rows = Launch.rows_for(threads)
    one.word = pool.Word()
    one.heads, one.tails = [()], [()]
    monkeypatch.setattr(Launch, "_join", lambda *_: 0)
    assert one.parallel(0, 0, 1000, 1, ()) == 0
    return asked[0]


def test_as_many_as_threads_where_joining_takes_longer_than_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert parts(monkeypatch, brief=True, even=True, threads=2) == 2
    assert parts(monkeypatch, brief=True, even=True, threads=3) == 3


@pytest.mark.parametrize(("brief", "even"), [(False, True), (True, False), (False, False)])
def test_more_where_some_take_longer_than_others(
    monkeypatch: pytest.MonkeyPatch, brief: bool, even: bool
) -> None:
    assert parts(monkeypatch, brief, even, threads=2) == 2 * launch.MACHINE.chunks_per_thread


def test_one_thread_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for brief in (False, True):
        assert parts(monkeypatch, brief, even=True, threads=1) == 1


def test_which_part_is_chosen() -> None:
    """The first of the greatest, or the last; parts that found nothing have none; nor a nan."""
    cells = np.array([1.0, 2.0, 5.0, 5.0, np.nan])
    tag = kinds.tag("np.float64")
    tags = [kinds.tag("float"), tag, tag, tag, tag]
    assert joins.chosen(LARGEST, tags, cells, range(1, 5)) == 2
    assert joins.chosen(Reduction("s", ">=", frozenset()), tags, cells, range(1, 5)) == 3
    assert joins.chosen(LARGEST, [*tags[:2], 0, 0, 0], cells, range(1, 5)) == 1
    assert joins.chosen(Reduction("s", "<", frozenset()), tags, cells, range(1, 5)) == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("op", ["+", "*"])
def test_floats_are_joined_in_order_and_without_a_word(op: str) -> None:
    """In relaxed mode; ``(0.1 + 0.2) + 0.3`` is another number than ``0.1 + (0.2 + 0.3)``."""
    tag, reduction = kinds.tag("np.float64"), Reduction("s", op, frozenset())
    cells = np.array([0.1, 0.2, 0.3, 1e308])
    found = joins.total(reduction, [tag] * 3 + [0], cells, range(1, 4), None)
    assert found == (tag, eval(f"0.1 {op} 0.2 {op} 0.3"))
    assert joins.total(reduction, [tag, 0, 0, 0], cells, range(1, 4), None) == (tag, 0.1)
    cells[2:] = 1.7e308
    assert joins.total(reduction, [tag] * 4, cells, range(1, 4), None) == (tag, np.inf)
    single = cells[:2].astype(np.float32)
    got = joins.total(reduction, [kinds.tag("np.float32")] * 2, single, range(1, 2), None)
    assert got is not None
    assert got[1].dtype == np.float32
