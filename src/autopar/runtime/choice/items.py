"""How many iterations a work item of a device has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.config import Target
from autopar.device.unrolling import FEW
from autopar.nest.ir import For, Stmt
from autopar.nest.walking import blocks
from autopar.records import dataclass, replace
from autopar.runtime.choice.estimate import middle_trips
from autopar.runtime.choice.price import Call
from autopar.sched.bands import chain, has_loops
from autopar.sched.flat import ALONE, Forms, Tile
from autopar.sched.plan import Branch, Loop, Node, Plan, statement

_BUSY = 1 << 15
"""Work items that keep all of a device busy, where each has several numbers on their way."""
_TILES = (Tile(4, 4, 8, 16, 16), Tile(4, 4, 2, 64, 16), Tile(2, 2, 8, 16, 16))
"""The best first, with as many work items in a block as a device runs together."""
_ROW = Tile(1, 1, 1, 32, 32)
"""Few, so that there are many blocks, which wait for memory at different times."""
_STAGES = 2
"""Of a loop in order, at the least, for work items to meet in it."""
_SWATH, _LINE = Tile(4, 1, 1, 128), Tile(1, 4, 1, 128)
_NARROW = Tile(4, 8, 1, 128, near=True)
_SMALL = Forms(
    Tile(4, 4, 2, 3, 3), Tile(1, 1, 1, 3, 2), Tile(2, 1, 1, 3), Tile(1, 3, 1, 2), Tile(2, 1, 1, 3),
    Tile(2, 4, 1, 2, near=True),
)  # fmt: skip
"""For a call that is to have kernels whatever its size."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """Loops that go to work items.

    Attributes
    ----------
    total
        Iterations in all.
    rows, columns
        Of the shortest of those that may be the rows of a tile, and of the last one; 0 and 0 where
        there is only one.
    steps
        Of the longest innermost loop in them.
    """

    total: float
    rows: float
    columns: float
    steps: float


def forms_of(plan: Plan, call: Call, target: Target | None) -> Forms:
    """What work items may have of loops, for enough of them to be left.

    The same for all loops of the plan; which of them gain by it is another matter
    (`sched.flat.flattened`).
    """
    rims = _is_gpu(target)
    if call.eager:
        tile, window = (replace(one, rims=rims) for one in (_SMALL.tile, _SMALL.window))
        return replace(_SMALL, tile=tile, window=window)
    found = list(_spread(plan.body, call.middle))
    pairs = [one for one in found if one.columns]
    alone = [one for one in found if not one.columns]
    tile = swath = window = row = line = narrow = ALONE
    if pairs:
        least = min(one.total for one in pairs)
        rows, columns = min(one.rows for one in pairs), min(one.columns for one in pairs)
        tile = next((one for one in _TILES if _fits(one, least, rows, columns)), ALONE)
        swath = _SWATH if _fits(_SWATH, least, rows, columns) else ALONE
        narrow = _NARROW if _fits(_NARROW, least, rows, columns) else ALONE
    if alone:
        least = min(one.total for one in alone)
        line = _LINE if _fits(_LINE, least, 1, least) else ALONE
        if not pairs and _fits(replace(_NARROW, down=1), least, 1, least):
            narrow = _NARROW
        row = _ROW if max(one.steps for one in alone) >= _STAGES * _ROW.steps else ALONE
    if not rims:
        return Forms(replace(tile, steps=0))
    steps = max((one.steps for one in pairs), default=0.0)
    if steps < _STAGES * tile.steps:
        tile = replace(tile, steps=0)
    if 0 < steps <= FEW and swath != ALONE:
        window = replace(swath, rims=True)
    return Forms(replace(tile, rims=tile != ALONE), row, swath, line, window, narrow)


def _fits(tile: Tile, least: float, rows: float, columns: float) -> bool:
    """Whether there is a block of such tiles, and with at least so many iterations enough tiles."""
    down, across = tile.spans
    return least >= _BUSY * tile.down * tile.across and rows >= down and columns >= across


def _is_gpu(target: Target | None) -> bool:
    """Whether work items of a group share memory that is faster than all other, and wait for it.

    On a processor they are a loop, which would be cut wherever they meet, and does not wait for
    memory in each of its iterations.  And where they meet on either side of a branch, PoCL 3.0 has
    all of them do the last store if the first one does.
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


def _spread(nodes: Sequence[Node], env: Mapping[str, float]) -> Iterator[_Spread]:
    """The loops that go to work items, some of which are one range with others in them."""
    for node in nodes:
        match node:
            case Loop(spread=True):
                total, inner, each = 1.0, env, list[float]()
                loops = chain(node)
                for loop in loops:
                    trips, middle = middle_trips(loop.loop, inner)
                    total, inner = total * trips, {**inner, loop.loop.var: middle}
                    each.append(trips)
                steps = max(_longest(list(map(statement, loops[-1].body)), inner), default=0.0)
                if len(each) > 1:
                    yield _Spread(total, min(each[1:-1] or each[:1]), each[-1], steps)
                else:
                    yield _Spread(total, 0.0, 0.0, steps)
            case Loop(loop=loop, body=body):
                _, middle = middle_trips(loop, env)
                yield from _spread(body, {**env, loop.var: middle})
            case Branch(body=body, orelse=orelse):
                yield from _spread((*body, *orelse), env)


def _longest(stmts: Sequence[Stmt], env: Mapping[str, float]) -> Iterator[float]:
    """How many iterations the innermost loops in `stmts` have."""
    for stmt in stmts:
        if not isinstance(stmt, For):
            for block in blocks(stmt):
                yield from _longest(block, env)
            continue
        trips, middle = middle_trips(stmt, env)
        if any(map(has_loops, stmt.body)):
            yield from _longest(stmt.body, {**env, stmt.var: middle})
        else:
            yield trips
