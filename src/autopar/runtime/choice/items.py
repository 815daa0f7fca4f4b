"""How many iterations a work item of a device has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.config import Target
from autopar.records import replace
from autopar.runtime.choice.estimate import middle_trips
from autopar.runtime.choice.price import Call
from autopar.sched.bands import chain
from autopar.sched.flat import ALONE, Tile
from autopar.sched.plan import Branch, Loop, Node, Plan

_BUSY = 1 << 15
"""Work items that keep all of a device busy, where each has several numbers on their way."""
_TILES = (Tile(4, 8, 16, 16), Tile(4, 2, 64, 16), Tile(2, 8, 16, 16))
"""The best first, with as many work items in a block as a device runs together."""
_ROW = Tile(1, 1, 32, 32)
"""Of one loop: few, so that there are many blocks, which wait for memory at different times."""
_SMALL, _SMALL_ROW = Tile(4, 2, 3, 3), Tile(1, 1, 3, 2)
"""For a call that is to have kernels whatever its size."""


def tiles_of(plan: Plan, call: Call, target: Target | None) -> tuple[Tile, Tile]:
    """What a work item may have of two loops, and which iterations of one loop go on together.

    The same for all loops of the plan; which of them gain by it is another matter
    (`sched.flat.flattened`).
    """
    if call.eager:
        return _SMALL, _SMALL_ROW
    tile = _tile_of(plan, call)
    return (tile, _ROW) if _has_chip(target) else (replace(tile, steps=0), ALONE)


def _has_chip(target: Target | None) -> bool:
    """Whether work items of a group share memory that is faster than all other: those of a GPU.

    On a processor they are a loop, which would be cut wherever they meet.
    """
    if target is None:
        return False
    dialect, number = target
    if dialect == "cuda":
        return True
    # Nobody else who chooses needs to know of devices.
    from autopar.device.api import DeviceFailed
    from autopar.device.devices import find

    try:
        return find(dialect, number).gpu
    except DeviceFailed:
        return False


def _tile_of(plan: Plan, call: Call) -> Tile:
    """What a work item may have of two loops, for enough work items to be left."""
    found = list(_iterations(plan.body, call.middle))
    if not found:
        return ALONE
    least, rows, columns = (min(numbers) for numbers in zip(*found, strict=True))
    for tile in _TILES:
        if least < _BUSY * tile.size**2:
            continue
        if rows >= tile.size * tile.rows and columns >= tile.size * tile.columns:
            return tile
    return ALONE


def _iterations(
    nodes: Sequence[Node], env: Mapping[str, float]
) -> Iterator[tuple[float, float, float]]:
    """Of each of the loops that go to work items and are one range with others in them.

    How many iterations there are in all, of the shortest of those that may be the rows of a tile,
    and of the last one.
    """
    for node in nodes:
        match node:
            case Loop(spread=True):
                total, inner, each = 1.0, env, list[float]()
                for loop in chain(node):
                    trips, middle = middle_trips(loop.loop, inner)
                    total, inner = total * trips, {**inner, loop.loop.var: middle}
                    each.append(trips)
                if len(each) > 1:
                    yield total, min(each[1:-1] or each[:1]), each[-1]
            case Loop(loop=loop, body=body):
                _, middle = middle_trips(loop, env)
                yield from _iterations(body, {**env, loop.var: middle})
            case Branch(body=body, orelse=orelse):
                yield from _iterations((*body, *orelse), env)
