"""Memory for copies and temporaries goes from one run to the next, and no more than is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from autopar.runtime.run import spare


@pytest.fixture(autouse=True)
def none(monkeypatch):
    monkeypatch.setattr(spare, "_free", {})


@pytest.mark.parametrize("size", [0, 1, 2, 64, 65, 4096, 4097, 100_000, 70_000_001])
def test_what_was_given_back_serves_the_next(size):
    room = spare.take(size)
    assert room.dtype == np.uint8
    assert size <= room.size <= size + max(64, size / 8)
    assert spare.take(size) is not room
    spare.give(room)
    assert spare.take(4 * size + 400) is not room
    assert spare.take(size) is room
    assert spare.take(size) is not room


def test_only_so_much_is_kept(monkeypatch):
    monkeypatch.setattr(spare, "_KEPT", 10_000)
    rooms = [spare.take(size) for size in (4096, 1024, 4096, 2048, 8, 1 << 20)]
    for room in rooms:
        spare.give(room)
    kept = [room for found in spare._free.values() for room in found]
    assert sum(room.nbytes for room in kept) <= 10_000
    assert [any(room is one for one in kept) for room in rooms] == [True] * 3 + [False, True, False]
