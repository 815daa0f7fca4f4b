"""How many iterations a work item of a device has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autopar.runtime.choice.estimate import middle_trips
from autopar.runtime.choice.price import Call
from autopar.sched.bands import chain
from autopar.sched.plan import Branch, Loop, Node, Plan

_BUSY = 1 << 15
"""Work items that keep all of a device busy, where each has several numbers on their way."""
_TILES = (4, 2)
"""Iterations of each of two loops that one has together."""


def tile_of(plan: Plan, call: Call) -> int:
    """How many iterations of each of two loops a work item may have, for enough of them to be left.

    The same for all loops of the plan; which of them gain by it is another matter
    (`sched.flat.flattened`).
    """
    least = min(_iterations(plan.body, call.middle), default=0.0)
    for tile in _TILES:
        if call.eager or least >= _BUSY * tile * tile:
            return tile
    return 1


def _iterations(nodes: Sequence[Node], env: Mapping[str, float]) -> Iterator[float]:
    """Of each of the loops that go to work items, with those that are one range with it."""
    for node in nodes:
        match node:
            case Loop(spread=True):
                total, inner = 1.0, env
                for loop in chain(node):
                    trips, middle = middle_trips(loop.loop, inner)
                    total, inner = total * trips, {**inner, loop.loop.var: middle}
                yield total
            case Loop(loop=loop, body=body):
                _, middle = middle_trips(loop, env)
                yield from _iterations(body, {**env, loop.var: middle})
            case Branch(body=body, orelse=orelse):
                yield from _iterations((*body, *orelse), env)
