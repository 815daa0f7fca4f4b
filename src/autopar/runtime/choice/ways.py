"""Which of the ways to more parallel loops pays at a call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from autopar.deps.data import Facts
from autopar.nest.ir import ONCE, For, Local
from autopar.records import replace
from autopar.runtime.choice import interval
from autopar.runtime.choice.cuts import Numbers, in_parts
from autopar.runtime.choice.decide import Settled, State, Way, settle
from autopar.runtime.choice.estimate import middle_trips
from autopar.runtime.choice.price import Call, expected_s, rooms
from autopar.runtime.choice.private import privatized
from autopar.runtime.choice.waves import WHOLE, Waves, waves
from autopar.sched.blocks import copies
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan
from autopar.sched.tiles import Band

if TYPE_CHECKING:
    from autopar.runtime.choice.variants import Known

_MOST_STATEMENTS = 400  # of a nest for which dearer ways are looked for: each takes as long again
_LEAST_COLUMNS, _LEAST_COLUMNS_EAGER = 48, 17  # of a nest that panels, or blocks, are worth
_FAR, _NEAR = 1 << 23, 1 << 20  # bytes that come from memory, and that stay with a thread
_LEAST_ROWS = 32  # of a block, for each thread
_MOST_TRAILING = 60  # statements of a nest some of which then stand in it twice
_SMALLEST_BLOCK, _LARGEST_BLOCK = 8, 64  # rows, of loops that trail one another
_BLOCKS = 4  # of them for each thread, which have as much to do then
_LEAST_TERMS = 8000  # that BLAS adds up in less time than loops, in spite of what a call costs


def best_plan(state: Known, facts: Facts, held: frozenset[int], call: Call) -> tuple[Plan, Numbers]:
    """The plan of the cheapest way, or of a dearer one that is likely to win back its price.

    With it go the numbers that it must be handed.
    """
    found = state.plan(facts, held, Way.PARTS)
    assert found is not None
    if not found.sequential_loops or state.size > _MOST_STATEMENTS or state.plain is not None:
        return found, {}  # what has been rearranged has parallel loops where there can be some
    parts = in_parts(state, facts, held, found, call)
    if parts is not None and (call.eager or not parts[0].sequential_loops):
        return parts
    other = _copied(state, facts, held, found, call)
    if parts is None:
        return other, {}
    dearer = other is found or expected_s(other, call) > expected_s(parts[0], call.handed(parts[1]))
    return parts if dearer else (other, {})


def in_blocks(state: State, plan: Plan, call: Call) -> Plan:
    """`plan` with copies of a loop in blocks, where what they go through comes from memory."""
    if call.threads == 1 or not (call.moved or call.eager):
        return plan
    found = copies(plan)
    if found is None:
        return plan
    if call.eager:
        return state.blocked(plan, found, _LEAST_ROWS)
    trips, _ = middle_trips(found.loop, call.middle)
    again = max(call.bytes.get(path, 0) for path in found.again)
    most = _NEAR * call.threads * trips / again if again else 0.0  # in the caches of all threads
    if again < _FAR or most < _LEAST_ROWS * call.threads or most > trips / 2:
        return plan
    return state.blocked(plan, found, 1 << int(math.log2(most)))


def rearranged(
    state: Known, facts: Facts, settled: Settled, call: Call
) -> tuple[Known, Settled, Call] | None:
    """What works in place, in panels of columns or in blocks of pivots, or rows, where that pays.

    Parameters
    ----------
    settled
        What is found without.
    """
    plan = state.plan(*settled[:2], Way.PARTS)
    if plan is None or all(isinstance(node, Loop) and node.parallel for node in plan.body):
        return None
    trips, _ = middle_trips(state.typed.nest.loop, call.middle)
    least = _LEAST_COLUMNS_EAGER if call.eager else _LEAST_COLUMNS
    other = state.arranged(facts) if trips >= least else None
    other = other or _trailing(state, facts, settled, plan, call)
    if other is None:
        return None
    call = call.handed(_extents(other.locals, call.env))
    found = settle(other, replace(facts, ranks=other.facts.ranks), dict(call.env))
    # A subscript that wraps would lead to other columns, or rows.
    return (other, found, call) if found[2] == other.everything else None


def _trailing(state: Known, facts: Facts, settled: Settled, plan: Plan, call: Call) -> Known | None:
    """The nest with loops that trail one another, where their arrays do not stay in a cache.

    And where nothing else is to be had for any of its loops.
    """
    big = sum(call.bytes.values()) >= _NEAR * call.threads
    if state.size > _MOST_TRAILING or not (big or call.eager):
        return None
    loops = {loop.id: loop for loop in state.loops}
    parallel = frozenset(_neighbours(plan.body))
    least = 0 if call.eager else _BLOCKS * _SMALLEST_BLOCK * call.threads
    long = {k for k in parallel if middle_trips(loops[k], call.middle)[0] >= least}
    if not long or with_products(state, *settled[:2], call) is not None:
        return None
    groups = tuple(g for g in state.trails(facts) if {trail.loop for trail in g} <= long)
    if not groups or best_plan(state, *settled[:2], call) != (plan, {}):
        return None
    rows = min(middle_trips(loops[group[0].loop], call.middle)[0] for group in groups)
    block = _SMALLEST_BLOCK
    while not call.eager and block < _LARGEST_BLOCK and 2 * block * _BLOCKS * call.threads <= rows:
        block *= 2
    return state.trailing(groups, block)


def _neighbours(nodes: Sequence[Node]) -> Iterator[int]:
    """Parallel loops by `For.id` with another one in the body of the same loop in order."""
    for node in nodes:
        if isinstance(node, Loop) and not node.parallel:
            found = [n.loop.id for n in node.body if isinstance(n, Loop) and _plain(n)]
            yield from found if len(found) > 1 else ()
            yield from _neighbours(node.body)


def _plain(loop: Loop) -> bool:
    """Whether `loop` is a parallel one as the nest has it."""
    return loop.parallel and loop.stands_for is None and not (loop.cut or loop.reductions)


def _extents(copies: Sequence[Local], env: interval.Env) -> dict[str, int]:
    """Both names of each extent of the arrays for copies."""
    found = {}
    for path, _, shape in rooms(copies, env):
        for axis, size in enumerate(shape):
            found[interval.extent(path, axis)] = size
            found[interval.extent(path, axis - len(shape))] = size
    return found


def with_products(state: State, facts: Facts, held: frozenset[int], call: Call) -> Plan | None:
    """The plan that leaves products of matrices to BLAS, if one of them is worth a call of it."""
    found = state.products(facts, held) if state.relaxed else None
    if found is None or call.eager or any(_large(node, call.middle) for node in found.body):
        return found
    return None


def _large(node: Node, env: Mapping[str, float]) -> bool:
    """Whether there is a product in `node` of so many terms."""
    match node:
        case Loop(loop=loop, body=body) | Leaf(stmt=For(body=body) as loop):
            if loop.product:
                return _trips(loop, env) >= _LEAST_TERMS
            inner = {**env, loop.var: middle_trips(loop, env)[1]}
            nodes = (n if isinstance(n, Loop | Leaf | Branch) else Leaf(n) for n in body)
            return any(_large(n, inner) for n in nodes)
        case Branch(body=body, orelse=orelse):
            return any(_large(n, env) for n in (*body, *orelse))
    return False


def _trips(loop: For, env: Mapping[str, float]) -> float:
    """Iterations of all loops of a product together."""
    count, middle = middle_trips(loop, env)
    match loop.body:
        case (For() as inner,):
            return count * _trips(inner, {**env, loop.var: middle})
    return count


def _copied(state: State, facts: Facts, held: frozenset[int], found: Plan, call: Call) -> Plan:
    """A plan with tiles or with copies, of arrays or of scalars, where that pays."""
    other = privatized(state, facts, held, found, call) or _in_tiles(state, facts, held, call)
    if other is not None:
        return other
    # Of loops next to one another on a device, one must not be left to one of its work items.
    several = state.target is not None and found.nest.loop.var == ONCE
    for way in (Way.COPIES, Way.EXPANDED):
        if way is Way.COPIES and found.parallel_loops and not several:
            continue
        other = state.plan(facts, held, way)
        if other is not None and (call.eager or expected_s(other, call) < expected_s(found, call)):
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
