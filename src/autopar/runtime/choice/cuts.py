"""Whether loops may be cut at a call so that their parts run in parallel, and where."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from autopar.deps.data import END, START, Condition, Crossing, Dependence, Ends, Facts
from autopar.nest.forward import looked_through
from autopar.nest.ir import Assign, For, Name, Stmt
from autopar.nest.typed.types import Typed
from autopar.nest.walking import blocks, statements
from autopar.records import dataclass
from autopar.runtime.choice import interval
from autopar.runtime.choice.decide import State, Way, parameters
from autopar.runtime.choice.price import Call, expected_s
from autopar.sched.cuts import Cut, divisible
from autopar.sched.gains import gains
from autopar.sched.plan import Branch, Loop, Node, Plan
from autopar.sched.tiles import unit
from autopar.verdict import Refused

_MOST_PLACES = 2
_FEWEST_TRIPS = 4  # a loop of fewer is not worth parts
_SHORTEST = 2  # iterations of a strip
_MOST_CONDITIONS = 64  # different ones of one loop, that are asked at each call with new numbers
_LEAST_GAIN_S = 2e-4  # for which it is worth looking

Conditions = tuple[Condition, Condition]  # `Crossing.within` and `near`

Numbers = dict[str, int]


@dataclass(frozen=True, slots=True)
class _Turns:
    """Values that a loop variable runs through, `count` of them at the most.

    Attributes
    ----------
    varies
        Whether the loop may run through a part of them only.
    """

    first: int
    step: int
    count: int
    varies: bool

    def __getitem__(self, k: int) -> int:
        return self.first + k * self.step


def in_parts(
    state: State, facts: Facts, held: frozenset[int], found: Plan, call: Call
) -> tuple[Plan, Numbers] | None:
    """A plan with loops cut in parallel parts and the places, if it gains over `found` and pays."""
    loops = frozenset(_in_order(found.body))
    dependences = state.analyse(facts).dependences
    carried = frozenset(
        dependences[k].ends
        for k in held
        if dependences[k].level is not None and not dependences[k].scalar
    )
    gain_s = call.work_s * (1 - 1 / call.threads)
    if not loops or not carried or (not call.eager and gain_s < _LEAST_GAIN_S):
        return None
    crossings = state.crossings(facts, loops, carried)
    try:
        values = parameters(crossings, state, call.env)
    except Refused:  # a range that cannot be evaluated here
        return None
    turns = dict(_turns(state, (state.typed.nest.loop,), call.env, frozenset(), loops))
    moving = tuple(_moving(state, crossings.found, turns, values, held, dependences))
    plan = state.plan(facts, held, Way.PARTS, cuts=moving) if moving else None
    # One work item of a device that went through all of it in order would take for ever.
    sure = state.target is not None
    if plan is not None and gains(plan.body, found.body) and (sure or _pays(plan, {}, found, call)):
        return plan, {}
    known = {loop: _merged(c for c in crossings.found if c.loop == loop) for loop in turns}
    for divide in (_at_places, _in_strips):
        cuts: list[Cut] = []
        numbers: Numbers = {}
        for loop, values_of in turns.items():
            if len(known[loop]) > _MOST_CONDITIONS:
                continue
            points, good = divide(list(known[loop]), values_of, values)
            ends = set().union(*(known[loop][c] for c in good))
            ends -= set().union(*(found for c, found in known[loop].items() if c not in good))
            separated = frozenset(k for k in held if dependences[k].ends in ends)
            if separated and points:
                places = len(points) if divide is _at_places else 0
                cuts.append(Cut(loop, places, separated, values_of.varies, values_of.step > 0))
                numbers |= zip(cuts[-1].points, points, strict=True)
        if not cuts:
            continue
        plan = state.plan(facts, held, Way.PARTS, cuts=tuple(cuts))
        if plan is None or not plan.cuts or not gains(plan.body, found.body):
            continue
        numbers = {name: number for name, number in numbers.items() if name in plan.cuts}
        if _pays(plan, numbers, found, call):
            return plan, numbers
    return None


def _pays(plan: Plan, numbers: Numbers, found: Plan, call: Call) -> bool:
    return call.eager or expected_s(plan, call.handed(numbers)) < expected_s(found, call)


def _moving(
    state: State,
    crossings: Sequence[Crossing],
    turns: Mapping[int, _Turns],
    values: Mapping[str, int],
    held: frozenset[int],
    dependences: Sequence[Dependence],
) -> Iterator[Cut]:
    """Cuts at the value of a variable of a loop around, where that separates all dependences."""
    inside = list(statements(state.typed.nest.loop))
    variables = [s.var for s in inside if isinstance(s, For)]
    assigned = [s.target for s in inside if isinstance(s, Assign)]
    steady = frozenset(n for n in variables if variables.count(n) == 1 and Name(n) not in assigned)
    for loop, around in _nested(state.typed, (state.typed.nest.loop,), (), steady):
        mine = [c for c in crossings if c.loop == loop.id]
        if loop.id not in turns or not unit(loop) or not mine:
            continue
        for outer in reversed(around):
            whole = {c.ends for c in mine if not _beside(c, outer.id, values)}
            whole -= {c.ends for c in mine if _beside(c, outer.id, values)}
            separated = frozenset(k for k in held if dependences[k].ends in whole)
            if separated:
                yield Cut(loop.id, 2, separated, True, unit(loop) > 0, outer.var)
                break


def _beside(crossing: Crossing, outer: int, values: Mapping[str, int]) -> bool:
    """Whether both ends of a dependence lie on one side of the value of that loop's variable."""
    for loop, before, after in crossing.beside:
        if loop == outer:
            return before.holds(values) or after.holds(values)
    return True  # nobody knows


def _nested(
    typed: Typed, stmts: Sequence[Stmt], around: tuple[For, ...], steady: frozenset[str]
) -> Iterator[tuple[For, tuple[For, ...]]]:
    """All loops, with those around them whose variables are numbers that a driver has.

    Parameters
    ----------
    steady
        Variables that nothing else changes.
    """
    for stmt in stmts:
        inner = around
        if isinstance(stmt, For):
            yield stmt, around
            able = divisible(stmt, typed, frozenset(loop.var for loop in around))
            inner = (*around, stmt) if able and stmt.var in steady else around
        for block in blocks(stmt):
            yield from _nested(typed, block, inner, steady)


def _merged(crossings: Iterable[Crossing]) -> dict[Conditions, set[Ends]]:
    """The dependences of which each pair of conditions is said: many are alike."""
    merged: dict[Conditions, set[Ends]] = {}
    for crossing in crossings:
        merged.setdefault((crossing.within, crossing.near), set()).add(crossing.ends)
    return merged


def _in_order(nodes: Sequence[Node]) -> Iterator[int]:
    """Loops that run in order and lie in no parallel one, by `For.id`."""
    for node in nodes:
        match node:
            case Loop(loop=loop, body=body, parallel=False):
                yield loop.id
                yield from _in_order(body)
            case Branch(body=body, orelse=orelse):
                yield from _in_order((*body, *orelse))


def _turns(
    state: State,
    stmts: Sequence[Stmt],
    env: interval.Env,
    around: frozenset[str],
    wanted: frozenset[int],
) -> Iterator[tuple[int, _Turns]]:
    """The loops of `wanted` that can be cut, by `For.id`.

    Parameters
    ----------
    around
        Variables of loops around `stmts` whose range the driver can evaluate.
    """
    for stmt in stmts:
        inside, inner = env, around
        if isinstance(stmt, For):
            loop = looked_through(stmt, state.meaning)
            able = divisible(stmt, state.typed, around)
            turns = _turns_of(loop, env) if able and stmt.id in wanted else None
            if turns is not None and turns.count >= _FEWEST_TRIPS:
                yield stmt.id, turns
            inside = interval.within(env, stmt.var, interval.loop_range(loop, env))
            inner = around | {stmt.var} if able else around - {stmt.var}
        for block in blocks(stmt):
            yield from _turns(state, block, inside, inner, wanted)


def _turns_of(loop: For, env: interval.Env) -> _Turns | None:
    start, step = interval.value(loop.start, env), interval.value(loop.step, env)
    count = interval.trips(loop, env)
    if start is not None and step is not None and count is not None:
        return _Turns(start, step, count, False)
    found = interval.loop_range(loop, env)
    if found is None or step not in (1, -1):
        return None
    low, high = found
    return _Turns(low if step > 0 else high, step, high - low + 1, True)


def _at_places(
    conditions: Sequence[Conditions], turns: _Turns, values: Mapping[str, int]
) -> tuple[list[int], list[Conditions]]:
    """Where to cut the loop, in order of execution, and what that separates."""
    few = [one for one in conditions if _parts([one], turns, values) is not None]
    chosen = _parts(few, turns, values) if few else None
    return ([], []) if chosen is None else ([turns[k] for k in chosen], few)


def _parts(
    conditions: Sequence[Conditions], turns: _Turns, values: Mapping[str, int]
) -> list[int] | None:
    """First iterations of the second part and of those after it, of as few parts as there can be.

    None has a dependence within; each goes on for as long as it can.
    """

    def alone(start: int, end: int) -> bool:
        ends = {**values, START: turns[start], END: turns[end]}
        return not any(within.holds(ends) for within, _ in conditions)

    # With k cuts one of k + 1 pieces stays whole: if all have dependences within, as in a
    # recurrence, so many do not suffice.
    bounds = [k * turns.count // (_MOST_PLACES + 1) for k in range(_MOST_PLACES + 2)]
    if not any(alone(start, end) for start, end in pairwise(bounds)):
        return None
    chosen: list[int] = []
    start = 0
    while True:
        end = _last(functools.partial(alone, start), start + 1, turns.count)
        if end == turns.count:
            return chosen
        if end is None or len(chosen) == _MOST_PLACES:
            return None
        chosen.append(end)
        start = end


def _in_strips(
    conditions: Sequence[Conditions], turns: _Turns, values: Mapping[str, int]
) -> tuple[list[int], list[Conditions]]:
    """How far from one strip to the next, and the dependences that reach so far."""
    reach: dict[Conditions, int] = {}
    for both in conditions:

        def far(k: int, near: Condition = both[1]) -> bool:
            return not near.holds({**values, END: k * abs(turns.step)})

        found = _last(far, _SHORTEST, turns.count)
        if found is not None:
            reach[both] = found
    if not reach:
        return [], []
    return [min(reach.values()) * turns.step], list(reach)


def _last(true: Callable[[int], bool], low: int, high: int) -> int | None:
    """The greatest k in ``[low, high]`` up to which `true` holds; None if it does not at `low`.

    It has been asked of the answer, so that is right even if `true` comes and goes.
    """
    if not true(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if true(middle):
            low = middle
        else:
            high = middle - 1
    return low
