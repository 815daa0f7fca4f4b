"""Whether a loop further out runs in parallel once its parts have arrays of their own, and pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autopar.deps.data import Facts
from autopar.runtime import estimate
from autopar.runtime.decide import Ranges, State, parameters, sharing
from autopar.sched.distribute import gains
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Branch, Leaf, Loop, Node, Plan, walk, whole
from autopar.verdict import Refused

Pairs = frozenset[tuple[str, int]]

_PASSES = 2  # over the copy of an array: made, and fetched again by the thread that works on it
_ROOM = 1 << 28  # bytes of copies at one time


@dataclass(frozen=True, slots=True)
class Cost:
    """What copies are measured against.

    Attributes
    ----------
    sizes
        Bytes of each array.
    eager
        Whether every nest is taken for worth the trouble.
    """

    threads: int
    sizes: Mapping[str, int]
    eager: bool


def privatized(state: State, facts: Facts, held: frozenset[int], env: Ranges, cost: Cost) -> Plan:
    """The plan for these dependences; with copies of arrays where that gains parallel loops.

    Notes
    -----
    First a plan is made as if every array were private to every loop.  Only what it then makes
    use of is asked of the analysis, and the plan made again with what that has proved.
    """
    plan = state.plan(facts, held)
    candidates = _candidates(state, facts, held)
    if not candidates or (cost.threads == 1 and not cost.eager):
        return plan
    middle = {name: float(low) for name, (low, _) in env.items()}
    before = _seconds(plan.body, middle, cost)

    def pays(other: Plan) -> bool:
        saves = cost.eager or _seconds(other.body, middle, cost) < before
        return saves and gains(other.body, plan.body)

    best = state.plan(facts, held, private=candidates)
    if not pays(best):
        return plan
    found = state.private(facts, _private(best))
    try:
        proved = found.held(parameters(found, state, env))
    except Refused:  # a range that cannot be evaluated here
        return plan
    better = state.plan(facts, held, private=proved)
    return better if pays(better) else plan


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


def _seconds(nodes: Sequence[Node], env: Mapping[str, float], cost: Cost) -> float:
    """What running `nodes` takes, roughly; infinite where copies would not fit."""
    total = 0.0
    for node in nodes:
        match node:
            case Loop(loop=loop, parallel=True, reductions=reductions):
                count, _ = estimate.middle_trips(loop, env)
                work = estimate.operations((whole(node),), env) * MACHINE.compiled_op_s
                copied = sum(cost.sizes[r.name] for r in reductions if r.private)
                copied *= cost.threads - 1
                if copied > _ROOM:
                    return math.inf
                total += MACHINE.launch_s + work / max(1.0, min(cost.threads, count))
                total += copied * _PASSES * MACHINE.copy_byte_s
            case Loop(loop=loop, body=body):
                count, middle = estimate.middle_trips(loop, env)
                total += count * _seconds(body, {**env, loop.var: middle}, cost)
            case Branch(body=body, orelse=orelse):
                total += max(_seconds(block, env, cost) for block in (body, orelse))
            case Leaf(stmt=stmt):
                total += estimate.operations((stmt,), env) * MACHINE.compiled_op_s
    return total
