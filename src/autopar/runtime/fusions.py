"""Plans with neighbouring loops joined where the dependences of a call allow it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autopar import pipeline
from autopar.deps.data import Analysis, Facts
from autopar.nest.flow import names
from autopar.nest.ir import Expr, Nest
from autopar.nest.types import Typed
from autopar.runtime import interval
from autopar.sched.plan import Plan
from autopar.verdict import Refused

Answers = tuple[bool, ...]
Question = Callable[[interval.Env], bool]
"""What a plan depends on, to be asked at each call."""


class Fusions:
    """What is known of the plans of one type key.

    Whether two loops may be joined is asked of an analysis of the loop that they would be, with the
    conditions under which it carries something, and of the numbers in their ranges; which loops are
    asked about next depends on the answers.  All that has been asked is kept, so that at a new size
    only conditions are evaluated.

    Parameters
    ----------
    typed
        The nest.
    parameters
        Values of the parameters of an analysis at a call.
    apart
        Does what may analyse or import something.
    """

    def __init__(
        self,
        typed: Typed,
        parameters: Callable[[Analysis, interval.Env], Mapping[str, int]],
        apart: Callable[[Callable[[], Plan]], Plan],
    ) -> None:
        self.typed, self.parameters, self.apart = typed, parameters, apart
        self.steps: dict[tuple[Any, Answers], Question | Plan] = {}
        self.kept: list[Plan] = []  # as long as their ids are keys

    def plan(self, facts: Facts, plan: Plan, env: interval.Env) -> Plan:
        """`plan` with loops joined, and what they hand on in scalars.

        Parameters
        ----------
        facts
            What its dependences were found with.
        env
            Values of the parameters at this call.
        """
        key = facts, id(plan)
        answers: Answers = ()
        while True:
            step = self.steps.get((key, answers))
            if isinstance(step, Plan):
                return step
            if step is None:
                return self.apart(lambda: self.made(key, facts, plan, env))
            answers = (*answers, step(env))

    def made(self, key: Any, facts: Facts, plan: Plan, env: interval.Env) -> Plan:
        """`plan`, for an order of answers that has not come up before."""
        answers: list[bool] = []
        asked: set[str] = set()

        def answered(question: Question) -> bool:
            self.steps[key, tuple(answers)] = question
            answers.append(question(env))
            return answers[-1]

        def independent(nest: Nest, level: int) -> bool:
            found = pipeline.analyse(nest, facts, part=True)
            asked.update(found.params)
            return answered(lambda env: self.independent(found, level, env))

        def equal(one: Expr, two: Expr) -> bool:
            asked.update(names((one, two)))
            return answered(lambda env: _equal(one, two, env))

        joined = pipeline.fused(self.typed, plan, facts, independent, equal)
        if joined is not plan and asked:
            joined = replace(joined, asked=frozenset(asked))
        self.steps[key, tuple(answers)] = joined
        self.kept.append(plan)
        return joined

    def independent(self, analysis: Analysis, level: int, env: interval.Env) -> bool:
        """Whether the loop at `level` carries nothing at this call."""
        try:
            held = analysis.held(self.parameters(analysis, env))
        except Refused:  # a range that nothing is known of
            return False
        return all(analysis.dependences[k].level != level for k in held)


def _equal(one: Expr, two: Expr, env: interval.Env) -> bool:
    first, second = interval.value(one, env), interval.value(two, env)
    return first is not None and first == second
