"""Answers that outlast a number: what was chosen holds as long as it would be chosen again.

A nest inside a loop of the interpreter's is handed another `i` at each call.  Where loops do not
depend on it, neither do estimates and plans, but through which dependences exist, which accesses
are in bounds, and which integers are bounded.  To ask these again takes a tenth of a decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from autopar.deps.data import Analysis, Facts
from autopar.kernel import Claim
from autopar.nest.forward import substitute
from autopar.nest.ir import Dim, Expr, For, Load, Name
from autopar.nest.walking import accesses, children, statements, walk
from autopar.records import dataclass, replace
from autopar.runtime.choice import interval
from autopar.runtime.choice.decide import State, parameters, within
from autopar.runtime.choice.private import private

if TYPE_CHECKING:
    from autopar.runtime.choice.variants import Choice, Known


def idle(state: State) -> frozenset[str]:
    """The integers of `state` that no loop, no array of the nest's and no condition depends on."""
    nest = state.typed.nest
    loops = (*state.loops, *(s for s in statements(nest.loop) if isinstance(s, For)))
    tops: list[Expr] = [e for loop in loops for e in (loop.start, loop.stop, loop.step)]
    tops += [extent for local in nest.locals for extent in local.extents]
    for scope in (local.scope for local in nest.locals):
        tops += [e for loop in scope for e in (loop.start, loop.stop, loop.step)]
    for condition in nest.conditions:
        tops.append(condition.expr)
        tops += [e for loop in condition.scope for e in (loop.start, loop.stop, loop.step)]
    if state.given or any(isinstance(e, Load) for c in nest.conditions for e in walk(c.expr)):
        return frozenset()
    used = {expr.id for top in tops for expr in walk(top) if isinstance(expr, Name)}
    return frozenset(state.ints) - used


@dataclass(frozen=True, slots=True)
class _Step:
    """One analysis and what it said, and whether ranges say more that depends on idle numbers."""

    analysis: Analysis
    inside: frozenset[int]
    outside: frozenset[int]
    within: frozenset[int]
    asks: bool
    looks: bool


@dataclass(frozen=True, slots=True)
class Lasting:
    """A choice and all that it depends on of numbers that may change."""

    choice: Choice
    steps: tuple[_Step, ...]
    held: frozenset[int]
    claims: tuple[Claim, ...]

    def holds(self, state: Known, env: dict[str, tuple[int, int]]) -> bool:
        """Whether the choice would be the same in `env`."""
        for step in self.steps:
            if step.asks:
                values = parameters(step.analysis, state, env)
                if step.analysis.inside(values) != step.inside:
                    return False
                last = step is self.steps[-1]
                if last and step.analysis.held(values) != self.held:
                    return False
            if step.looks and within(state, step.outside, env) != step.within:
                return False
        return interval.failing(self.claims, env, {}) is None


def lasting(
    state: Known, choice: Choice, facts: Facts, env: dict[str, tuple[int, int]]
) -> Lasting | None:
    """What `choice`, made of these facts, depends on of the idle numbers; None: of more."""
    program = choice.variant.program
    if choice.handed or program is None or choice.variant.options.careful:
        return None
    if choice.variant.plan.divided:
        return None  # at which places depends on numbers, and so does whether it may be
    if private(choice.variant.plan) or state.idle & choice.variant.plan.asked:
        return None
    steps = tuple(_steps(state, state.rationed(facts), env))
    last = steps[-1].analysis
    if last.wanted or steps[0].analysis.wanted:
        return None  # numbers are part of the proof
    held = last.held(parameters(last, state, env))
    claims = [c for c in (*program.claims, *program.needs) if state.idle & _seen(c.expr)]
    found = Lasting(choice, steps, held, tuple(claims))
    return found if found.holds(state, env) else None


def _steps(state: Known, facts: Facts, env: dict[str, tuple[int, int]]) -> Iterator[_Step]:
    """What `decide.settle` goes through."""
    subscripts = {a.id: a.index for _, a in accesses(state.typed.nest.loop)}
    while True:
        analysis = state.analyse(facts)
        inside = analysis.inside(parameters(analysis, state, env))
        outside = frozenset(k for k, _ in analysis.in_bounds) - inside
        asks = not state.idle.isdisjoint(analysis.params)
        if outside <= facts.unreadable:
            yield _Step(analysis, inside, outside, frozenset(), asks, False)
            return
        looked = [substitute(e, state.meaning) for k in outside for e in subscripts[k]]
        looks = any(state.idle & _seen(expr) for expr in looked)
        yield _Step(analysis, inside, outside, within(state, outside, env), asks, looks)
        facts = replace(facts, unreadable=outside)


def _seen(expr: Expr) -> frozenset[str]:
    """Names on which the range of `expr` may depend."""
    match expr:
        case Name(id=name):
            return frozenset((name,))
        case Load() | Dim():
            return frozenset()  # a range of all its elements, or an extent
    return frozenset().union(*(_seen(child) for child in children(expr)))
