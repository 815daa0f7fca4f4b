"""Whether a loop further out runs in parallel once its parts have arrays of their own, and pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from autopar.deps.data import Facts
from autopar.runtime import estimate
from autopar.runtime.decide import Call, Pairs, State, Way, parameters, sharing
from autopar.runtime.outline import outline
from autopar.sched.gains import gains
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, walk, whole
from autopar.verdict import Refused

_PASSES = 2  # over the copy of an array: made, and fetched again by the thread that works on it
_ROOM = 1 << 28  # bytes of copies at one time


def privatized(
    state: State, facts: Facts, held: frozenset[int], plan: Plan, call: Call
) -> Plan | None:
    """A plan with copies of arrays, where that gains parallel loops over `plan` and pays.

    Notes
    -----
    First a plan is made as if every array were private to every loop.  Only what it then makes
    use of is asked of the analysis, and the plan made again with what that has proved.
    """
    candidates = _candidates(state, facts, held)
    if not candidates or (call.threads == 1 and not call.eager):
        return None
    before = _seconds(plan.body, call.middle, call)

    def pays(other: Plan) -> bool:
        saves = call.eager or _seconds(other.body, call.middle, call) < before
        return saves and gains(other.body, plan.body)

    best = state.plan(facts, held, Way.PARTS, candidates)
    if best is None or not pays(best):
        return None
    found = state.private(facts, _private(best))
    try:
        proved = found.held(parameters(found, state, call.env))
    except Refused:  # a range that cannot be evaluated here
        return None
    better = state.plan(facts, held, Way.PARTS, proved)
    return better if better is not None and pays(better) else None


def _candidates(state: State, facts: Facts, held: frozenset[int]) -> Pairs:
    """Arrays that carry a dependence around some loop and share memory with nothing."""
    apart = frozenset(state.written) - sharing(facts)
    dependences = state.analyse(facts).dependences
    carried = {
        dependences[k].variable
        for k in held
        if dependences[k].level is not None and not dependences[k].scalar
    }
    return frozenset((name, loop.id) for name in apart & carried for loop in state.loops)


def _private(plan: Plan) -> Pairs:
    loops = (node for node in walk(plan.body) if isinstance(node, Loop))
    return frozenset((r.name, n.loop.id) for n in loops for r in n.reductions if r.private)


def _seconds(nodes: Sequence[Node], env: Mapping[str, float], call: Call) -> float:
    """What running `nodes` takes, roughly; infinite where copies would not fit."""
    total = 0.0
    for node in nodes:
        match node:
            case Loop(loop=loop, parallel=True, reductions=reductions):
                count, _ = estimate.middle_trips(loop, env)
                work = estimate.operations(outline((whole(node),)), env) * MACHINE.compiled_op_s
                copied = sum(call.bytes[r.name] for r in reductions if r.private)
                copied *= call.threads - 1
                if copied > _ROOM:
                    return math.inf
                total += MACHINE.launch_s + work / max(1.0, min(call.threads, count))
                total += copied * _PASSES * MACHINE.copy_byte_s
            case Loop(loop=loop, body=body):
                count, middle = estimate.middle_trips(loop, env)
                total += count * _seconds(body, {**env, loop.var: middle}, call)
            case Branch(body=body, orelse=orelse):
                total += max(_seconds(block, env, call) for block in (body, orelse))
            case Leaf(stmt=stmt):
                total += estimate.operations(outline((stmt,)), env) * MACHINE.compiled_op_s
    return total
