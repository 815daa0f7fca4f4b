"""Which of the ways to more parallel loops pays at a call."""

from __future__ import annotations

from autopar.deps.data import Facts
from autopar.runtime import estimate, interval
from autopar.runtime.decide import Call, Ranges, State, Way
from autopar.runtime.private import privatized
from autopar.runtime.waves import WHOLE, Waves, waves
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Plan
from autopar.sched.tiles import Band

_PASSES = 4  # over the copy of an array for each part: made, joined, looked at for overflow
_WORD = 8  # bytes of an element of a temporary


def best_plan(state: State, facts: Facts, held: frozenset[int], call: Call) -> Plan:
    """The plan of the cheapest way, or of a dearer one that is likely to win back its price."""
    found = state.plan(facts, held, Way.PARTS)
    assert found is not None
    if not found.sequential_loops:
        return found
    other = privatized(state, facts, held, found, call)
    if other is not None:
        return other
    other = _in_tiles(state, facts, held, call)
    if other is not None:
        return other
    for way in (Way.COPIES, Way.EXPANDED):
        if way is Way.COPIES and found.parallel_loops:
            continue
        other = state.plan(facts, held, way)
        if other is None:
            continue
        if call.eager or _gained_s(found, other, call) > price_s(other, call):
            found = other
    return found


def _in_tiles(state: State, facts: Facts, held: frozenset[int], call: Call) -> Plan | None:
    """A plan with loops in tiles along diagonals, where that pays."""

    def plan(way: Waves) -> Plan:
        made = state.plan(facts, held, Way.PARTS, waves=way)
        assert made is not None
        return made

    def bands(finest: bool) -> tuple[Band, ...]:
        return state.bands(facts, held, finest)

    made = tuple(state.tiles)
    found = waves(plan, bands, call.middle, call.threads, made, call.eager)
    if found == WHOLE:
        return None
    state.tiles |= dict.fromkeys((t.rows, t.columns) for t in found.tilings)
    return plan(found)


def _gained_s(plan: Plan, other: Plan, call: Call) -> float:
    """Seconds that the threads take off with `other`, compared with `plan`."""
    more = estimate.shared(other.body, call.middle) - estimate.shared(plan.body, call.middle)
    return more * MACHINE.compiled_op_s * (1 - 1 / call.threads)


def price_s(plan: Plan, call: Call) -> float:
    """Seconds for copies and temporaries."""
    copied = sum(call.bytes[r.name] for r in plan.reductions if r.array)
    handed = sum(size for _, _, size in extents(plan, call.env))
    return (copied * _PASSES + 2 * handed * _WORD) * MACHINE.copy_byte_s


def extents(plan: Plan, env: Ranges) -> tuple[tuple[str, str, int], ...]:
    """Path, dtype and number of elements of each temporary."""
    found = []
    for temporary in plan.temporaries:
        trips = interval.trips(temporary.loop, env)
        assert trips is not None, temporary
        found.append((temporary.path, temporary.dtype, max(trips, 0)))
    return tuple(found)
