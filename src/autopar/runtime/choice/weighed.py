"""How much a call is, before anything is analysed or planned for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autopar import config
from autopar.deps.data import Facts
from autopar.nest.ir import Const, Nest
from autopar.records import dataclass, replace
from autopar.runtime.choice import estimate, interval
from autopar.runtime.choice.decide import Ranges, environment, middle
from autopar.runtime.choice.price import lists_s, made_s
from autopar.runtime.choice.shapes import unmet
from autopar.runtime.measured import machine, pieces
from autopar.runtime.values.facts import NO_ALIASES
from autopar.sched.machine import MACHINE
from autopar.verdict import COPIES, Reason, Refusal, Span

if TYPE_CHECKING:
    from autopar.runtime.choice.contents import Seen
    from autopar.runtime.choice.variants import Known
    from autopar.runtime.values.facts import Aliases, Values


def eager() -> bool:
    """Whether to run in parallel what does not pay: for tests of autopar itself."""
    settings = config.current()
    return settings.verify or settings.fail_on_fallback


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the sizes of a call say.

    Attributes
    ----------
    env, middle
        Exact values of parameters and extents, and the same as estimates.
    facts
        What the analysis is told of the call.
    work
        Operations of the nest.
    threads
        That are there to be used.
    eager
        Whether to run in parallel what does not pay.
    interpreted_s
        Seconds that the interpreter is likely to take.
    listed
        Whether it goes through lists, or through Python's numbers alone.
    """

    env: Ranges
    middle: dict[str, float]
    facts: Facts
    work: float
    threads: int
    eager: bool
    interpreted_s: float
    listed: bool


def weighed(
    nest: Nest, state: Known, values: Values, alias: Aliases, seen: Seen, known_s: float = 0.0
) -> Weighed | Refusal:
    """How much a call with `values` is, or why none like it is taken.

    Parameters
    ----------
    seen
        What index arrays hold, as far as anybody has looked.
    known_s
        Seconds that the interpreter has taken for such calls.
    """
    here = Span(nest.file, nest.loop.line)
    failing = unmet(nest.conditions, values)
    if failing is not None:
        return Refusal(Reason.SIZES, Span(nest.file, failing.line), failing.why)
    env = environment(state.ints, values, seen)
    facts = facts_of(state, alias, env, seen)
    if facts is None:
        return Refusal(Reason.STEP_ZERO, here, "")
    usual = middle(state, values, env)
    threads, all_worth = config.current().threads, eager()
    if state.target is not None:  # a device, which has more than one
        threads = max(threads, 2)
    lists = values.lists.mirrors
    own = {local.path for local in state.locals if local.listed}
    listed = own | values.lists.paths >= values.arrays.keys()  # Python's numbers alone
    if not all_worth:
        pieces()
    known = machine()
    op_s = known.listed_op_s if listed else known.interpreted_op_s
    interpreted_s = estimate.interpreted_s(state.interpreted, usual, op_s, known.listed_op_s)
    interpreted_s = max(interpreted_s, known_s)
    copied_s = lists_s(lists, state.written) + made_s(state.typed.nest, values)
    if copied_s and not all_worth and 2 * copied_s + MACHINE.dispatch_s > interpreted_s:
        return Refusal(Reason.TOO_SMALL, here, COPIES)
    work = estimate.operations(state.outline, usual)
    return Weighed(
        env, usual, facts, work, threads, all_worth, interpreted_s, listed or bool(lists)
    )


def facts_of(state: Known, alias: Aliases, env: interval.Env, seen: Seen = ()) -> Facts | None:
    """What the analysis is told of a call; None when a step is zero."""
    steps = []
    for loop in state.loops:
        if isinstance(loop.step, Const):
            if loop.step.value == 0:
                return None
            continue
        step = interval.value(loop.step, env)
        if step == 0:
            return None
        if step is not None:
            steps.append((loop.id, 1 if step > 0 else -1))
    if not steps and not seen and alias is NO_ALIASES:
        return state.facts
    return replace(
        state.facts,
        same=alias.same,
        tangled=alias.tangled,
        steps=tuple(steps),
        elements=tuple(found.elements(path) for path, found in seen),
    )
