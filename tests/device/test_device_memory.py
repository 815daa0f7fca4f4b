"""Arrays as blocks of bytes for a device: what goes over, where it lies, what comes back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autopar.device.memory import layout, packed, unpack
from autopar.device.packing import count, gather, in_pieces, scattered, strips, table
from autopar.device.values import Untaken

Array = np.ndarray[Any, Any]


def there_and_back(arrays: list[Array], written: set[int]) -> list[Array]:
    """The arrays as a device sees them; what it adds to those that are written is on the host."""
    where = layout(arrays, written)
    blocks = [packed(arrays, where, k).copy() for k in range(len(where.blocks))]
    seen = [
        np.ndarray(a.shape, a.dtype, blocks[p.block].data, p.offset, p.strides)
        for a, p in zip(arrays, where.places, strict=True)
    ]
    copies = [s.copy() for s in seen]
    for k in written:
        seen[k][...] = seen[k] + 100
    for k, block in enumerate(where.blocks):
        if block.written:
            unpack(arrays, where, k, blocks[k], np.copyto)
    return copies


VIEWS = {
    "dense": lambda a: a,
    "columns": lambda a: a.T,
    "strided": lambda a: a[::2, 1::3],
    "backwards": lambda a: a[::-1, ::-2],
    "one column": lambda a: a[:, 2:3],
    "nothing": lambda a: a[3:3],
    "a row": lambda a: a[1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_an_array_goes_over_without_what_lies_between(name):
    whole = np.arange(42.0).reshape(6, 7)
    view, expected = VIEWS[name](whole), whole.copy()
    VIEWS[name](expected)[...] += 100
    where = layout([view], {0})
    assert where.blocks[0].size == view.size * 8
    (seen,) = there_and_back([view], {0})
    assert (seen == VIEWS[name](np.arange(42.0).reshape(6, 7))).all()
    assert (whole == expected).all()


def test_views_of_one_array_that_is_written_go_over_together():
    whole = np.arange(64, dtype=np.int32).reshape(8, 8)
    arrays = [whole[1:5], whole[::2, 1::2], whole.T[3:, 2:]]
    before = [a.copy() for a in arrays]
    where = layout(arrays, {1})
    assert len(where.blocks) == 1
    assert [b.written for b in where.blocks] == [(1,)]
    expected = whole.copy()
    expected[::2, 1::2] += 100
    seen = there_and_back(arrays, {1})
    assert all((x == y).all() for x, y in zip(seen, before, strict=True))
    assert (whole == expected).all()


def test_views_that_are_only_read_go_over_apart():
    whole = np.arange(64.0)
    where = layout([whole[:40], whole[30:], np.zeros(3)], {2})
    assert sorted(block.size for block in where.blocks) == [24, 272, 320]
    assert sum(bool(block.written) for block in where.blocks) == 1


def test_the_same_array_twice_is_one_block():
    a = np.arange(10.0)
    where = layout([a, a], {0})
    assert where.places[0] == where.places[1]
    there_and_back([a, a], {0})
    assert a[0] == 100


def test_cells_that_overlap_themselves_are_refused():
    a = np.lib.stride_tricks.as_strided(np.arange(10.0), (4, 4), (8, 8))
    layout([a], set())
    with pytest.raises(Untaken, match="shares memory with itself"):
        layout([a], {0})


def test_views_of_bytes_that_belong_to_no_array_are_refused():
    row = np.zeros((4, 8))[:, :4]
    assert row.base is not None
    first = np.lib.stride_tricks.as_strided(row[0], (3, 4), (64, 8))
    lonely = np.frombuffer(bytearray(800), np.float64)
    layout([first, lonely], {0})
    inside = np.ndarray((5,), np.float64, bytearray(96), 0, (16,))
    with pytest.raises(Untaken, match="belongs to no array"):
        layout([inside, inside[1:]], {1})


def test_a_block_may_have_room_for_a_part():
    a = np.arange(60.0).reshape(6, 10)
    where = layout([a], {0}, {0: ((2, 4), (1, 3))})
    assert where.blocks[0].size == 3 * 3 * 8
    assert where.places[0].strides == (24, 8)
    assert where.places[0].offset + 2 * 24 + 1 * 8 == 0
    empty = layout([a], {0}, {0: ((0, -1), (0, -1))})
    assert empty.blocks[0].size == 0


CELLS = {
    "a box": (((1, 2), ((3, (1, 0)), (4, (0, 1)))),),
    "every other": (((0, 1), ((3, (2, 0)), (3, (0, 3)))),),
    "a diagonal and what is beside it": (((0, 0), ((6, (1, 1)),)), ((1, 0), ((5, (1, 1)),))),
    "a triangle": tuple(((i, 0), ((i + 1, (0, 1)),)) for i in range(6)),
    "one cell": (((5, 9), ()),),
    "columns": (((0, 4), ((2, (0, 3)), (6, (1, 0)))),),
    "nothing": (),
}


@pytest.mark.parametrize("view", [lambda a: a, np.asfortranarray, lambda a: a[:, ::-1]])
@pytest.mark.parametrize("name", CELLS)
def test_some_cells_are_packed_and_spread(name, view):
    """The table says where each of the packed cells is on the device."""
    a = view(np.arange(60.0).reshape(6, 10))
    listed = [
        tuple(np.add(first, np.tensordot(k, [s for _, s in ways], 1)).astype(int))
        if ways
        else first
        for first, ways in CELLS[name]
        for k in np.ndindex(*(n for n, _ in ways))
    ]
    where = layout([a], {0}).places[0]
    found = strips(a, where.offset, where.strides, CELLS[name])
    content = np.empty(count(found), a.dtype)
    gather(content, a, found, np.copyto)
    assert sorted(content) == sorted(a[place] for place in listed)
    block = packed([a], layout([a], {0}), 0).view(np.float64)
    if found:
        rows = table(found, 8)
        ends = [*rows[1:, 0], content.size]
        for row, end in zip(rows, ends, strict=True):
            counts, steps = row[2::2], row[3::2]
            for k in range(end - row[0]):
                at = int(row[1] + np.dot(np.unravel_index(k, counts), steps))
                assert block[at] == content[row[0] + k]
    expected = a.copy()
    for place in listed:
        expected[place] += 100
    scattered(a, found, content + 100, np.copyto)
    assert (a == expected).all()


def test_what_lies_side_by_side_goes_over_as_it_is():
    a = np.zeros((6, 10))
    where = layout([a], {0}).places[0]

    def pieces(*cells: Any) -> bool:
        return in_pieces(strips(a, where.offset, where.strides, cells), 8)

    rows, columns = ((2, (1, 0)), (10, (0, 1))), ((6, (1, 0)), (2, (0, 1)))
    assert pieces(((1, 0), rows), ((4, 0), rows))
    assert not pieces(((0, 3), columns))
    assert not pieces(*[((k, k), ()) for k in range(5)])  # too many
