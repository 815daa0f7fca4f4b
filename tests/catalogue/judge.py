"""One call of a loop judged: what may run in parallel, what is claimed, whether that is sound."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from autopar.sched.plan import Plan

from .claims import Claim, claims, dissolved, pairs, parallel_somewhere
from .loop import Case, Loop
from .oracle import Pair, Truth, truth
from .run import Outcome, Subject, plain

ORDERS = (1, 2, 3)  # of parallel iterations: backwards, and two shuffles
SHARE = 4  # one loop in so many is also compiled, in a short run


@dataclass
class Verdict:
    """What became of one call.

    Attributes
    ----------
    legal, found
        Pairs that may run in parallel, and those of them that autopar claims.
    parts
        Pairs that autopar runs in parallel once the loop is cut, and that may be so.
    beyond
        Claims that no dependence graph of the loop as written allows; carried out in odd orders
        they gave what CPython gives.
    wrong
        What shows that a claim is unsound.
    wave
        Whether a plan has a parallel loop of any kind; counts where no loop may run in parallel as
        it stands.
    refusals
        Why nests were left to the interpreter.
    """

    case: Case
    truth: Truth
    legal: set[Pair]
    found: set[Pair]
    parts: set[Pair]
    beyond: set[Pair]
    wrong: list[str]
    wave: bool
    plans: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    @property
    def missed(self) -> set[Pair]:
        return self.legal - self.found


def judge(loop: Loop, compiled: bool | None = None) -> list[Verdict]:
    """All calls of `loop`; settings of `run.ready` must be in force.

    Parameters
    ----------
    compiled
        Whether kernels run, too; None: for a part of the loops.
    """
    subject = Subject(loop)
    if compiled is None:
        compiled = _chosen(loop)
    return [judged(subject, case, truth(case), compiled) for case in loop.cases]


def _chosen(loop: Loop) -> bool:
    return hashlib.sha256(loop.name.encode()).digest()[0] % SHARE == 0


def judged(subject: Subject, case: Case, right: Truth, compiled: bool) -> Verdict:
    """One call, carried out in several orders."""
    wrong: list[str] = []
    runs = [(seed, order, False) for seed, order in enumerate(ORDERS, 1)]
    runs += [(4, 1, True)] if compiled else []
    plans: list[Plan] = []
    for seed, order, by_kernels in runs:
        try:
            found = subject.call(case, seed, order, by_kernels)
        except Exception as error:
            wrong.append(f"order {order}: {type(error).__name__}: {error}")
        else:
            wrong += [f"order {order}: {line}" for line in differences(plain(case, seed), found)]
        plans += [plan for plan in subject.plans if plan not in plans]
    made = [claim for plan in plans for claim in claims(plan, right.shape)]
    claimed = pairs(tuple(made)).union(*(dissolved(plan, right.shape) for plan in plans))
    legal = right.legal
    more = beyond(made, right)
    shown = {claim.loop for claim in made if claim.outermost or subject.by_machine}
    variables = right.shape.loops
    wrong += [
        f"{variables[loop]}@{loop} is claimed on trust" for loop, _ in more if loop not in shown
    ]
    return Verdict(
        case,
        right,
        legal,
        claimed & legal,
        claimed & right.parts,
        more - right.parts,
        wrong,
        any(parallel_somewhere(plan) for plan in plans),
        [str(plan) for plan in plans],
        sorted(set(subject.refusals.values())),
    )


def beyond(made: Sequence[Claim], right: Truth) -> set[Pair]:
    """Claims that the dependence graph does not allow: what a claim leaves together, it allows.

    A pair may be legal once its loop is distributed; two statements in one parallel copy of the
    loop must not depend on each other across iterations either.
    """
    found = pairs(tuple(made)) & right.possible - right.legal
    for claim in made:
        for source, sink in right.carried[claim.loop]:
            if {source, sink} <= claim.lines:
                found |= {(claim.loop, source), (claim.loop, sink)}
    return found


def differences(wanted: Outcome, found: Outcome) -> list[str]:
    """Names of arrays and results that differ."""
    return [f"{name} differs" for name in wanted.left if wanted.left[name] != found.left[name]]
