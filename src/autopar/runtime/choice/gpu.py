"""Whether a GPU that is there to be chosen is the better place for a nest."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence

from autopar import config, journal
from autopar.device.offer import Offer, best
from autopar.runtime.aside import foreign, unnoticed
from autopar.runtime.choice import estimate
from autopar.runtime.choice.outline import outlined
from autopar.runtime.choice.price import Call
from autopar.runtime.run.copies import copy
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan

_CLEARLY = 1.5  # times faster, as estimates go
_ALL = 0.999  # of the work, in parallel loops: the rest is done by one work item, slowly


@functools.cache
def offered() -> Offer | None:
    """What the GPU of this machine would take, looked for once in a process."""
    try:
        with unnoticed():
            found = best(copy)
    except Exception as error:  # of libraries that nobody has asked for
        if foreign(error) or config.current().check:
            raise
        journal.say(1, f"{type(error).__name__}: {error}; no GPU is looked for again")
        return None
    if found is not None:
        name = ":".join(map(str, found.target))
        words = f"{found.launch_s * 1e6:.0f} µs a launch, {found.over_s * 1e9:.3f} ns a byte over"
        journal.say(2, f"{name}: {words}, {found.byte_s * 1e9:.4f} ns a byte in kernels")
    return found


def wins(
    offer: Offer, plan: Plan, call: Call, launches: float, written: Collection[str], cores_s: float
) -> bool:
    """Whether `plan`, which the cores take `cores_s` for, is done sooner by the device.

    Parameters
    ----------
    launches
        Of parallel loops; what stands between them is launched as well.
    written
        Paths of arrays that come back; all of them go over.
    """
    inside, whole = _work(plan.body, call.middle)
    if inside < _ALL * whole:
        return False
    back = sum(call.bytes[path] for path in written if path in call.bytes)
    device_s = offer.run_s((sum(call.bytes.values()), back), 2 * launches, whole)
    return _CLEARLY * device_s < cores_s


def _work(nodes: Sequence[Node], env: Mapping[str, float]) -> tuple[float, float]:
    """Operations in loops that go to work items, and all."""
    inside = whole = 0.0
    for some, times, spread in _parts(nodes, env, 1.0):
        whole += some * times
        inside += some * times * spread
    return inside, whole


def _parts(
    nodes: Sequence[Node], env: Mapping[str, float], times: float
) -> Iterator[tuple[float, float, bool]]:
    """Operations, how often they are done, and whether in parallel."""
    for node in nodes:
        match node:
            case Loop(spread=True) | Leaf():
                yield estimate.operations(outlined(node), env), times, isinstance(node, Loop)
            case Loop(loop=loop, body=body):
                count, middle = estimate.middle_trips(loop, env)
                yield from _parts(body, {**env, loop.var: middle}, times * count)
            case Branch(body=body, orelse=orelse):
                yield from _parts((*body, *orelse), env, times)
