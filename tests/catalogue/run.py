"""One call under autopar: its plans, carried out by the machine of these tests or by kernels."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from autopar import config, journal
from autopar.hook import loader
from autopar.kernel import Loaded
from autopar.runtime import engine
from autopar.runtime.choice import choose
from autopar.runtime.run import launch
from autopar.runtime.run.transaction import Transaction
from autopar.runtime.values.facts import Values
from autopar.sched.plan import Plan
from fuzz.seen import Frozen
from fuzz.setting import _Chunks, eager

from .loop import Case, Loop
from .machine import Machine, Unknown


@dataclass
class Outcome:
    """What a call left behind."""

    left: dict[str, Any]


def plain(case: Case, seed: int) -> Outcome:
    """The call by CPython alone."""
    space: dict[str, Any] = dict(case.loop.function.__globals__)
    exec(compile(case.loop.source, case.loop.file, "exec"), space)
    return Outcome(_left(space[case.loop.name], case.arguments(seed)))


def _left(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Arrays, and what is around views of them, after the call; and its result."""
    with np.errstate(all="ignore"):
        result = function(**arguments)
    seen = Frozen()
    left = {"result": seen.of(result)}
    for name, value in arguments.items():
        while isinstance(value, np.ndarray):
            left[name] = seen.of(value)
            name, value = f"{name}.base", value.base
    return left


class Subject:
    """A loop whose module autopar has rewritten; analyses are kept from call to call.

    Attributes
    ----------
    plans
        Of the nests in the last call, in order of execution.
    by_machine
        Whether the machine has carried out all plans so far that it was given.
    refusals
        Why nests were left to the interpreter, by line.
    """

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        journal.clear()
        made = len(loader.sites)
        code = loader.code_of(loop.source, loop.file, "text")
        del loader.sites[made:]
        self.space: dict[str, Any] = dict(loop.function.__globals__)
        self.taken = code is not None
        exec(code or compile(loop.source, loop.file, "exec"), self.space)
        self.records = journal.records()
        self.plans: list[Plan] = []
        self.by_machine = True

    @property
    def refusals(self) -> dict[int, str]:
        return {r.line: str(r.refusal) for r in self.records if r.refusal is not None}

    def call(self, case: Case, seed: int, order: int, compiled: bool) -> Outcome:
        """One call.

        Parameters
        ----------
        order
            Of parallel iterations: 1 backwards, else a seed.
        compiled
            Whether kernels run, in chunks of single iterations, rather than the machine.
        """
        plans = self.plans = []
        carry = _Carry(self, random.Random(order) if order > 1 else None)
        with mock.patch.object(launch, "pool", _Chunks(order)):
            if compiled:
                run, load = _noting(plans), chooser_load
            else:
                run, load = (lambda *args: carry(*args)), _no_code
            with (
                mock.patch.object(engine.Engine, "run", run),
                mock.patch.object(choose.Chooser, "load", load),
            ):
                left = _left(self.space[self.loop.name], case.arguments(seed))
        return Outcome(left)


@dataclass
class _Carry:
    """In place of `Engine.run`: the machine carries out the plan."""

    subject: Subject
    order: random.Random | None

    def __call__(
        self, self_: Any, state: Any, choice: Any, roots: Any, values: Values, errors: Any
    ) -> tuple[Any, ...] | None:
        plan = choice.variant.plan
        self.subject.plans.append(plan)
        undo = Transaction([values.arrays[path] for path in state.written])
        try:
            return Machine(choice.values(values), self.order).run(plan, self_.nest.live_out)
        except Unknown:
            self.subject.by_machine = False
            undo.roll_back()
            unload(choice.variant)
            chooser_load(self_.chooser, state, choice.variant)
            return engine_run(self_, state, choice, roots, values, errors)
        finally:
            undo.close()


engine_run, chooser_load = engine.Engine.run, choose.Chooser.load


def unload(variant: Any) -> None:
    """Forget the empty program, so that the real one is made."""
    if variant.loaded is not None and not variant.loaded.calls:
        variant.loaded = None


def _no_code(self: Any, state: Any, variant: Any) -> None:
    """In place of `Engine.load`: a program without machine code."""
    if variant.program is not None and variant.loaded is None:
        variant.loaded = Loaded(variant.program, (), _never, False, {}, False, False)


def _never(*args: Any) -> int:
    raise AssertionError("a program without code")


def _noting(plans: list[Plan]) -> Callable[..., Any]:
    def run(self: Any, state: Any, choice: Any, roots: Any, values: Values, errors: Any) -> Any:
        plans.append(choice.variant.plan)
        unload(choice.variant)
        chooser_load(self.chooser, state, choice.variant)
        return engine_run(self, state, choice, roots, values, errors)

    return run


@contextmanager
def ready(cache: Path | None = None) -> Iterator[None]:
    """Settings under which small nests are planned and run in parallel."""
    with eager(cache):
        config.use(replace(config.current(), threads=3, verify=True))
        yield
