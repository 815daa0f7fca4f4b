"""Some cells of an array, packed on the host, and where they lie in a block on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from autopar.device.dialect import Dialect
from autopar.records import dataclass

Array = np.ndarray[Any, Any]
Cells = Sequence[tuple[tuple[int, ...], tuple[tuple[int, tuple[int, ...]], ...]]]
"""As `deps.cells.Descriptor`: first cells, and directions of a number of cells and a step."""
Copy = Callable[[Array, Array], None]
"""Copies an array to another one."""

_FEW = 4  # pieces that go over one by one, if each is one piece on the device, too
WIDEST = 8
"""Bytes that a work item copies at once."""

ENTRY = "ap_pack"
_TEXT = """\
AP_KERNEL void ap_pack(
    AP_GLOBAL UNIT *block, AP_GLOBAL UNIT *packed, AP_GLOBAL const i64 *table,
    i64 rows, i64 dims, i64 cells, i64 units, i64 back
) {
    i64 cell = AP_ITEM;
    if (cell >= cells) return;
    i64 width = 2 + 2 * dims, low = 0, high = rows - 1;
    while (low < high) {
        i64 middle = (low + high + 1) / 2;
        if (table[middle * width] <= cell) low = middle; else high = middle - 1;
    }
    AP_GLOBAL const i64 *row = table + low * width;
    i64 rest = cell - row[0], at = row[1];
    for (i64 k = dims - 1; k >= 0; k--) {
        at += rest % row[2 + 2 * k] * row[3 + 2 * k];
        rest /= row[2 + 2 * k];
    }
    for (i64 k = 0; k < units; k++) {
        if (back) packed[cell * units + k] = block[at + k];
        else block[at + k] = packed[cell * units + k];
    }
}
"""


SPREAD = "ap_spread"
_SPREAD = """\
AP_KERNEL void ap_spread(AP_GLOBAL UNIT *block, AP_GLOBAL UNIT *own, i64 units, i64 each, i64 all) {
    i64 k = AP_ITEM;
    if (k < all) own[k / units * each + k % units] = block[k % units];
}
"""


def packer(dialect: Dialect, by: int) -> str:
    """Text of a kernel of which each work item copies a cell, so many bytes at once.

    It finds the row in the table that the cell is of.
    """
    return dialect.head + _of_units(_TEXT, by)


def spreader(dialect: Dialect, by: int) -> str:
    """Text of a kernel that leaves in each of some copies, `each` apart, what a block holds."""
    return dialect.head + _of_units(_SPREAD, by)


def _of_units(text: str, by: int) -> str:
    return text.replace("UNIT", {1: "u8", 2: "u16", 4: "u32", 8: "u64"}[by])


@dataclass(frozen=True, slots=True)
class Strip:
    """Cells in steps of the same length along some directions, the last of which is the innermost.

    Attributes
    ----------
    first
        Subscripts of the first one.
    at
        Byte in the block where it lies.
    counts, steps, host
        Cells, and bytes between two in the block and on the host, along each direction.
    """

    first: tuple[int, ...]
    at: int
    counts: tuple[int, ...]
    steps: tuple[int, ...]
    host: tuple[int, ...]

    @property
    def size(self) -> int:
        """Cells in it."""
        return prod(self.counts)

    def dense(self, itemsize: int) -> bool:
        """Whether they lie side by side in the block, in their order."""
        for count, step in zip(reversed(self.counts), reversed(self.steps), strict=True):
            if step != itemsize:
                return False
            itemsize *= count
        return True


def strips(array: Array, offset: int, strides: Sequence[int], cells: Cells) -> list[Strip]:
    """`cells` of an array that lies in a block from `offset` on, with these strides."""
    found = []
    for first, directions in cells:
        ways = [(n, _along(step, strides), _along(step, array.strides)) for n, step in directions]
        ways.sort(key=lambda way: -abs(way[1]))
        counts, steps, host = zip(*ways, strict=True) if ways else ((), (), ())
        found.append(Strip(first, offset + _along(first, strides), counts, steps, host))
    return found


def in_pieces(found: Sequence[Strip], itemsize: int) -> bool:
    """Whether strips can go over as they are, each in one piece."""
    return len(found) <= _FEW and all(one.dense(itemsize) for one in found)


def views(array: Array, found: Sequence[Strip]) -> Iterator[Array]:
    """The cells of each strip, in the array itself."""
    if not array.flags.forc:
        for one in found:
            cell = array[tuple([slice(k, k + 1) for k in one.first])]
            yield np.lib.stride_tricks.as_strided(cell, one.counts, one.host)
        return
    flat = array.reshape(-1, order="A")  # a view: of a triangle there are many strips
    for one in found:
        start = _along(one.first, array.strides)
        yield np.ndarray(one.counts, array.dtype, flat, start, one.host)


def gather(content: Array, array: Array, found: Sequence[Strip], copy: Copy) -> None:
    """Have the cells of the strips in `content`, one after the other."""
    at = 0
    for one, view in zip(found, views(array, found), strict=True):
        copy(content[at : at + one.size].reshape(one.counts), view)
        at += one.size


def scattered(array: Array, found: Sequence[Strip], content: Array, copy: Copy) -> None:
    """Leave `content`, which is packed as by `gather`, in the array."""
    at = 0
    for one, view in zip(found, views(array, found), strict=True):
        copy(view, content[at : at + one.size].reshape(one.counts))
        at += one.size


def count(found: Sequence[Strip]) -> int:
    """Cells in all of them."""
    return sum(one.size for one in found)


def unit(itemsize: int) -> int:
    """Bytes that are copied at once."""
    return min(itemsize, WIDEST)


def table(found: Sequence[Strip], itemsize: int) -> Array:
    """What a device is told of strips: a row for each.

    The number of cells before it, its place, and for each direction a number of cells and a step,
    with places and steps in units.
    """
    dims, by = max(len(one.counts) for one in found), unit(itemsize)
    made = np.zeros((len(found), 2 + 2 * dims), np.int64)
    before = 0
    for row, one in zip(made, found, strict=True):
        row[0], row[1] = before, one.at // by
        row[2::2] = 1
        start = 2 + 2 * (dims - len(one.counts))
        row[start::2] = one.counts
        row[start + 1 :: 2] = [step // by for step in one.steps]
        before += one.size
    return made


def _along(step: Sequence[int], strides: Sequence[int]) -> int:
    """How many bytes further a step leads."""
    return sum([k * stride for k, stride in zip(step, strides, strict=True)])
