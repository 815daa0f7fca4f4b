"""Plans with neighbouring loops joined where the dependences of a call allow it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autopar import pipeline
from autopar.deps.data import Analysis, Dependence, Facts
from autopar.nest.flow import names
from autopar.nest.ir import Expr, Nest
from autopar.nest.typed.types import Typed
from autopar.records import dataclass, replace
from autopar.runtime.choice import interval
from autopar.sched.plan import Plan
from autopar.sched.sweeps import stay
from autopar.verdict import Refused

Answers = tuple[bool, ...]
Question = Callable[[interval.Env], bool]
"""What a plan depends on, to be asked at each call."""
Step = Question | Plan
"""What comes after some answers."""


@dataclass(frozen=True, slots=True)
class Independent:
    """Does the loop at `level` of `nest` carry nothing, the scalars `aside` left out?"""

    nest: Nest
    level: int
    aside: frozenset[str]


@dataclass(frozen=True, slots=True)
class Forward:
    """Does it carry nothing that leads to a statement of `first` from another one?"""

    nest: Nest
    level: int
    first: frozenset[int]


@dataclass(frozen=True, slots=True)
class Stay:
    """Does all that is carried from level `outer` to `inner` stay in an iteration of `inner`?"""

    nest: Nest
    outer: int
    inner: int


@dataclass(frozen=True, slots=True)
class Equal:
    """Have these the same value?"""

    one: Expr
    two: Expr


@dataclass(frozen=True, slots=True)
class Joined:
    """The plan that comes out; None: the one that went in."""

    plan: Plan | None


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
        apart: Callable[[Callable[[], Any]], Any],
    ) -> None:
        self.typed, self.parameters, self.apart = typed, parameters, apart
        self.steps: dict[tuple[Any, Answers], Step] = {}
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
            if step is None:
                step = self.apart(partial(self.recalled, key, facts, plan, answers))
            if step is None:
                found: Plan = self.apart(partial(self.made, key, facts, plan, env))
                return found
            if isinstance(step, Plan):
                return step
            answers = (*answers, step(env))

    def recalled(self, key: Any, facts: Facts, plan: Plan, answers: Answers) -> Step | None:
        """What another process has found to come after these answers."""
        match pipeline.fusion(self.typed, plan, facts, answers):
            case Joined(joined):
                step: Step = joined or plan
            case (Independent() | Forward() | Stay() | Equal()) as asked:
                step = self.question(asked, facts)
            case _:
                return None
        self.kept.append(plan)
        self.steps[key, answers] = step
        return step

    def question(self, asked: Independent | Forward | Stay | Equal, facts: Facts) -> Question:
        """How to answer it at each call."""
        if isinstance(asked, Equal):
            return lambda env: _equal(asked.one, asked.two, env)
        found = pipeline.analyse(asked.nest, facts, part=True)
        if isinstance(asked, Stay):
            return lambda env: self.stays(found, asked, env)
        return lambda env: self.carries_none(found, asked, env)

    def made(self, key: Any, facts: Facts, plan: Plan, env: interval.Env) -> Plan:
        """`plan`, for an order of answers that has not come up before."""
        answers: list[bool] = []
        params: set[str] = set()

        def answered(question: Independent | Forward | Stay | Equal) -> bool:
            known = tuple(answers)
            asked = pipeline.keep_fusion(self.typed, plan, facts, known, question)
            if isinstance(asked, Equal):
                params.update(names((asked.one, asked.two)))
            else:
                params.update(pipeline.analyse(asked.nest, facts, part=True).params)
            step = self.steps[key, known] = self.question(asked, facts)
            answers.append(step(env))
            return answers[-1]

        joined = pipeline.fused(
            self.typed,
            plan,
            facts,
            lambda nest, level, aside: answered(Independent(nest, level, aside)),
            lambda one, two: answered(Equal(one, two)),
            lambda nest, level, first: answered(Forward(nest, level, first)),
            lambda nest, outer, inner: answered(Stay(nest, outer, inner)),
        )
        if joined is not plan and params:
            joined = replace(joined, asked=frozenset(params))
        outcome = Joined(None if joined is plan else joined)
        kept = pipeline.keep_fusion(self.typed, plan, facts, tuple(answers), outcome)
        found = self.steps[key, tuple(answers)] = kept.plan or plan
        self.kept.append(plan)
        return found

    def carries_none(
        self, analysis: Analysis, asked: Independent | Forward, env: interval.Env
    ) -> bool:
        """The answer to `asked` at this call."""
        held = self.held(analysis, env)
        if held is None:
            return False
        carried = [dep for dep in held if dep.level == asked.level]
        if isinstance(asked, Independent):
            return all(dep.scalar and dep.variable in asked.aside for dep in carried)
        return not any(d.sink in asked.first and d.source not in asked.first for d in carried)

    def stays(self, analysis: Analysis, asked: Stay, env: interval.Env) -> bool:
        """The answer to `asked` at this call."""
        held = self.held(analysis, env)
        return held is not None and stay(held, asked.outer, asked.inner)

    def held(self, analysis: Analysis, env: interval.Env) -> list[Dependence] | None:
        """The dependences that there are at this call; None where nothing is known of a range."""
        try:
            held = analysis.held(self.parameters(analysis, env))
        except Refused:
            return None
        return [analysis.dependences[k] for k in held]


def _equal(one: Expr, two: Expr, env: interval.Env) -> bool:
    first, second = interval.value(one, env), interval.value(two, env)
    return first is not None and first == second
