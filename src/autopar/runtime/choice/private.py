"""Whether a loop further out runs in parallel once its parts have arrays of their own, and pays."""

from __future__ import annotations

from collections.abc import Iterator

from autopar.deps.data import Facts
from autopar.nest.flow import names
from autopar.nest.ir import For
from autopar.nest.walking import accesses
from autopar.runtime.choice.decide import Pairs, State, Way, parameters, sharing
from autopar.runtime.choice.price import Call, expected_s
from autopar.sched.bands import has_loops
from autopar.sched.gains import gains
from autopar.sched.plan import Loop, Plan, walk
from autopar.verdict import Refused

_MOST_STATEMENTS = 400  # of a nest of which arrays are proved private for one thread


def privatized(
    state: State, facts: Facts, held: frozenset[int], plan: Plan, call: Call
) -> Plan | None:
    """A plan with copies of arrays, where that gains parallel loops over `plan` and pays.

    Notes
    -----
    First a plan is made as if every array were private to every loop.  Only what it then makes
    use of is asked of the analysis, and the plan made again with what that has proved.  Arrays that
    hold what a statement computes on its way are private by construction.
    """
    candidates = _candidates(state, facts, held)
    if not candidates or (call.threads == 1 and not call.eager):
        return None
    before = expected_s(plan, call)

    def pays(other: Plan) -> bool:
        saves = call.eager or expected_s(other, call) < before
        return saves and gains(other.body, plan.body)

    best = state.plan(facts, held, Way.PARTS, candidates)
    if best is None or not pays(best):
        return None
    better = state.plan(facts, held, Way.PARTS, _proved(state, facts, private(best), call))
    return better if better is not None and pays(better) else None


def side_by_side(state: State, facts: Facts, held: frozenset[int], call: Call) -> Plan | None:
    """A plan for one thread with loops whose iterations go on together, each with own arrays.

    None where there is no such loop.
    """
    if state.size > _MOST_STATEMENTS:
        return None
    candidates = _candidates(state, facts, held) & _refilled(state)
    if not candidates:
        return None
    proved = _proved(state, facts, candidates, call)
    better = state.plan(facts, held, Way.PARTS, proved) if proved else None
    return better if better is not None and any(_with_copies(better)) else None


def _refilled(state: State) -> Pairs:
    """Arrays of which all iterations of a loop around loops may access the same cells.

    By how their subscripts read: the variable of the loop is in none of them.
    """
    return frozenset(
        (name, loop.id)
        for loop in state.loops
        if any(map(has_loops, loop.body))
        for name, used in _subscripts(loop).items()
        if loop.var not in used
    )


def _subscripts(loop: For) -> dict[str, frozenset[str]]:
    """The names in the subscripts of each array in `loop`."""
    found: dict[str, frozenset[str]] = {}
    for stmt in loop.body:
        for _, access in accesses(stmt):
            found[access.array] = found.get(access.array, frozenset()) | names(access.index)
    return found


def _with_copies(plan: Plan) -> Iterator[Loop]:
    """Loops whose iterations go on together, with arrays of which each has its own."""
    for node in walk(plan.body):
        if isinstance(node, Loop) and node.loop.lanes is not None and node.loop.lanes.private:
            yield node


def _proved(state: State, facts: Facts, wanted: Pairs, call: Call) -> Pairs:
    """Those arrays of `wanted` that are private to a loop at this call."""
    proved = wanted & {(local.path, loop) for local in state.locals for loop in local.private}
    if wanted - proved:
        found = state.private(facts, wanted - proved)
        try:
            proved |= found.held(parameters(found, state, call.env))
        except Refused:  # a range that cannot be evaluated here
            return frozenset()
    return proved


def _candidates(state: State, facts: Facts, held: frozenset[int]) -> Pairs:
    """Arrays that carry a dependence around some loop and share memory with nothing."""
    own = (local.path for local in state.locals)
    apart = frozenset((*state.written, *own)) - sharing(facts)
    dependences = state.analyse(facts).dependences
    carried = {
        dependences[k].variable
        for k in held
        if dependences[k].level is not None and not dependences[k].scalar
    }
    return frozenset((name, loop.id) for name in apart & carried for loop in state.loops)


def private(plan: Plan) -> Pairs:
    """Arrays that have copies in a plan, and for which loop."""
    loops = (node for node in walk(plan.body) if isinstance(node, Loop))
    return frozenset((r.name, n.loop.id) for n in loops for r in n.reductions if r.private)
