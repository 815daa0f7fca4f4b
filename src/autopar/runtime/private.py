"""Whether a loop further out runs in parallel once its parts have arrays of their own, and pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autopar.deps.data import Facts
from autopar.runtime import estimate
from autopar.runtime.decide import Ranges, State, parameters, sharing
from autopar.sched.distribute import gains
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Branch, Loop, Node, Plan
from autopar.verdict import Refused

Pairs = frozenset[tuple[str, int]]

_PASSES = 2  # over the copy of an array: made, and fetched again by the thread that works on it


@dataclass(frozen=True, slots=True)
class Cost:
    """What copies are measured against.

    Attributes
    ----------
    work_s
        Of the nest on one thread.
    sizes
        Bytes of each array.
    eager
        Whether every nest is taken for worth the trouble.
    """

    work_s: float
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
    if not candidates:
        return plan
    wanted = _used(state.plan(facts, held, private=candidates).body)
    if not wanted:
        return plan
    found = state.private(facts, wanted)
    try:
        proved = found.held(parameters(found, state, env))
    except Refused:  # a range that cannot be evaluated here
        return plan
    if not proved:
        return plan
    better = state.plan(facts, held, private=proved)
    if not _used(better.body) or not gains(better.body, plan.body):
        return plan
    middle = {name: float(low) for name, (low, _) in env.items()}
    copied = _copied(better.body, middle, cost) * MACHINE.copy_byte_s * _PASSES
    worth = copied < cost.work_s / 2 and (not plan.parallel_loops or _wide(better, middle, cost))
    return better if worth or cost.eager else plan


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


def _used(nodes: Sequence[Node]) -> Pairs:
    return frozenset(
        (r.name, loop.loop.id)
        for loop, _ in _launched(nodes, {})
        for r in loop.reductions
        if r.private
    )


def _launched(
    nodes: Sequence[Node], env: Mapping[str, float], times: float = 1.0
) -> Iterator[tuple[Loop, float]]:
    """The parallel loops that are launched, and how often each probably is."""
    for node in nodes:
        match node:
            case Loop(parallel=True):
                yield node, times
            case Loop(loop=loop, body=body):
                count, middle = estimate.middle_trips(loop, env)
                yield from _launched(body, {**env, loop.var: middle}, times * count)
            case Branch(body=body, orelse=orelse):
                yield from _launched((*body, *orelse), env, times)


def _copied(nodes: Sequence[Node], env: Mapping[str, float], cost: Cost) -> float:
    """Bytes that are copied."""
    return sum(
        times * cost.sizes[r.name] * (cost.threads - 1)
        for loop, times in _launched(nodes, env)
        for r in loop.reductions
        if r.private
    )


def _wide(plan: Plan, env: Mapping[str, float], cost: Cost) -> bool:
    """Whether the loops that need copies have an iteration for each thread."""
    return all(
        estimate.middle_trips(loop.loop, env)[0] >= cost.threads
        for loop, _ in _launched(plan.body, env)
        if any(r.private for r in loop.reductions)
    )
