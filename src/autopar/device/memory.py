"""Arrays of the host as blocks of bytes for a device, and back.

An array goes over packed: its elements, one after the other, whatever lies between them on the
host.  So nothing is read that is not the array's, and nothing else is written when it comes back,
though other threads may work beside it.  Views that share memory with one that is written go over
together, as the bytes that they lie in.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from autopar.device.values import Untaken
from autopar.records import dataclass

Array = np.ndarray[Any, Any]
Box = Sequence[tuple[int, int]]
NO_BOXES: Mapping[int, Box] = MappingProxyType({})
GRID = 64
"""Bytes; where a block begins, all elements are aligned as they were."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array lies on the device.

    Attributes
    ----------
    block
        Number of the block.
    offset
        Byte of it where the array begins, or would begin if there were room for all of it.
    strides
        In bytes.
    """

    block: int
    offset: int
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Some bytes that go over together.

    Attributes
    ----------
    size
        Bytes.
    written
        The arrays in it that come back, by position.
    raw
        Addresses between which the bytes lie on the host, where they go over as they are.
    """

    size: int
    written: tuple[int, ...]
    raw: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Arrays on the device: the place of each, and the blocks."""

    places: tuple[Place, ...]
    blocks: tuple[Block, ...]


def layout(
    arrays: Sequence[Array], written: Collection[int], boxes: Mapping[int, Box] = NO_BOXES
) -> Layout:
    """Where each of `arrays` is to lie on a device; those at the positions `written` come back.

    Parameters
    ----------
    boxes
        By the position of an array, the first and the last subscript of each axis of the part for
        which there is to be room; no more of it then goes over or comes back.

    Raises
    ------
    Untaken
        They share memory in a way that is not taken.
    """
    places: dict[int, Place] = {}
    blocks: list[Block] = []
    for group, low, high in _together(arrays):
        back = tuple(k for k in group if k in written)
        if back and len(group) > 1:
            _check_owner(arrays[group[0]], low, high)
            before = low % GRID
            for k in group:
                start = address(arrays[k]) - low + before
                places[k] = Place(len(blocks), start, arrays[k].strides)
            blocks.append(Block(high - low + before, back, (low, high)))
            continue
        for k in group:
            array = arrays[k]
            if back and not _apart(array):
                raise Untaken("an array that is written shares memory with itself")
            box = boxes.get(k) or tuple((0, n - 1) for n in array.shape)
            shape = tuple(high - low + 1 for low, high in box)
            strides = _packed(shape, array.itemsize, _order(array))
            before = sum(low * step for (low, _), step in zip(box, strides, strict=True))
            places[k] = Place(len(blocks), -before, strides)
            blocks.append(Block(prod(shape) * array.itemsize, back))
    return Layout(tuple(places[k] for k in range(len(arrays))), tuple(blocks))


def packed(arrays: Sequence[Array], where: Layout, block: int) -> Array:
    """The bytes of a block as they are now."""
    about = where.blocks[block]
    if about.raw is not None:
        low, high = about.raw
        found = np.zeros(about.size, np.uint8)
        held = (ctypes.c_uint8 * (high - low)).from_address(low)
        found[about.size - (high - low) :] = np.ctypeslib.as_array(held)
        return found
    (k,) = (k for k, place in enumerate(where.places) if place.block == block)
    return arrays[k].ravel(_order(arrays[k])).view(np.uint8)


def unpack(
    arrays: Sequence[Array],
    where: Layout,
    block: int,
    content: Array,
    copy: Callable[[Array, Array], None],
) -> None:
    """Leave the elements of the arrays that come back with a block in those arrays."""
    for k in where.blocks[block].written:
        array, place = arrays[k], where.places[k]
        view = np.ndarray(array.shape, array.dtype, content.data, place.offset, place.strides)
        copy(array, view)


def address(array: Array) -> int:
    """Where its first element lies."""
    found: int = array.__array_interface__["data"][0]
    return found


def _bounds(array: Array) -> tuple[int, int]:
    """Addresses of the first byte and behind the last."""
    if not array.size:
        return address(array), address(array)
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    low = address(array) + sum(s for s in steps if s < 0)
    return low, address(array) + sum(s for s in steps if s > 0) + array.itemsize


def _together(arrays: Sequence[Array]) -> list[tuple[list[int], int, int]]:
    """Positions of arrays whose bytes lie between the same addresses, and these.

    In the order of the arrays: wherever the host has them, they are alike on the device.
    """
    found: list[tuple[list[int], int, int]] = []
    bounds = [_bounds(a) for a in arrays]
    for k in sorted(range(len(arrays)), key=lambda k: bounds[k]):
        low, high = bounds[k]
        if found and low < found[-1][2]:
            group, first, last = found[-1]
            found[-1] = [*group, k], first, max(last, high)
        else:
            found.append(([k], low, high))
    return sorted(found, key=lambda one: min(one[0]))


def _check_owner(array: Array, low: int, high: int) -> None:
    """Raise `Untaken` unless all bytes between the addresses are those of one array."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    first, last = _bounds(owner)
    if not owner.flags.forc or low < first or high > last:
        raise Untaken("arrays that are written share memory that belongs to no array")


def _apart(array: Array) -> bool:
    """Whether each element has bytes of its own."""
    if not array.size:  # whatever its strides
        return True
    reach = array.itemsize
    for step, count in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True)):
        if count > 1:
            if step < reach:
                return False
            reach += step * (count - 1)
    return True


def _order(array: Array) -> Literal["C", "F"]:
    """Columns first only where the array has them so: the other order is that of a 1-d one, too."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _packed(shape: Sequence[int], itemsize: int, order: Literal["C", "F"]) -> tuple[int, ...]:
    """Strides of an array of that shape once packed."""
    axes = range(len(shape)) if order == "F" else range(len(shape) - 1, -1, -1)
    strides, step = [0] * len(shape), itemsize
    for axis in axes:
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)
