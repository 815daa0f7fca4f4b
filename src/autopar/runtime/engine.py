"""What happens at a call of a site: facts, variant, guarded run, or a decline with its reason."""

from __future__ import annotations

import functools
import math
import pickle
import sys
import sysconfig
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autopar import config, journal, pipeline
from autopar.deps.data import Facts
from autopar.kernel import Loaded, Manner, Status, Watch
from autopar.nest.ir import (
    Const,
    Nest,
)
from autopar.nest.show import text
from autopar.nest.types import Typed, infer
from autopar.runtime import interval, pool
from autopar.runtime.alarms import ring, watch
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.decide import State, environment, settle
from autopar.runtime.facts import Aliases, Reader, Values, aliases
from autopar.runtime.launch import Launch, exact
from autopar.runtime.site import Site, clock, deciding
from autopar.runtime.transaction import Transaction
from autopar.runtime.verify import verified
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Plan, source_order
from autopar.verdict import Reason, Refusal, Refused, Span

_MEMO_SIZE = 256
_MAX_FAILURES = 3
# Where an error of ours can come from: this package, the standard library, other packages.
_OURS = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
)


@dataclass(slots=True)
class _Variant:
    """One way to run the nest; `refusal` is set once it is known not to work.

    `alarming` is set once NumPy may have warned in it: the variant that names warnings then runs
    in its place.
    """

    loaded: Loaded | None
    refusal: Refusal | None
    plan: Plan | None = None
    parallel: bool = False
    failures: int = 0
    alarming: bool = False


@dataclass(frozen=True, slots=True)
class _Choice:
    """What to do for one question.

    Attributes
    ----------
    variant, key, plan, manner
        What to run, and what it is made of.
    threads
        On how many threads this call is worth running.
    rerunnable
        Whether the nest can simply be run again: it reads nothing that it writes.
    may_be_long
        Whether the run may take so long that Ctrl-C must reach it.
    """

    variant: _Variant
    key: Any
    plan: Plan
    manner: Manner
    threads: int
    rerunnable: bool
    may_be_long: bool


class _Known(State):
    """Everything for one type key."""

    def __init__(self, typed: Typed) -> None:
        super().__init__(typed)
        self.variants: dict[Any, _Variant] = {}
        # By question: what to run, a reason, or the seconds of a nest that is too small.
        self.memo: dict[Any, _Choice | Refusal | float] = {}


class Engine:
    """All calls of one site."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.nest: Nest = pickle.loads(site.spec.nest)
        self.reader = Reader(self.nest)
        self.states: dict[Any, _Known | Refusal] = {}
        self.waited_s = 0.0
        self.noted = (0, 0)  # what the report says already, and its remark
        self.remark: Refusal | None = None
        assert site.record is not None
        self.record = site.record

    @property
    def place(self) -> str:
        """File and line for messages."""
        return f"{self.nest.file}:{self.nest.loop.line}"

    def refusal(self, reason: Reason, detail: str = "") -> Refusal:
        return Refusal(reason, Span(self.nest.file, self.nest.loop.line), detail)

    # ------------------------------------------------------------------ one call

    def call(self, roots: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """See `Site.run`."""
        errors: Any = np.geterr()
        watched = watch(errors)
        if watched is None:
            return self.site.decline(self.refusal(Reason.ERROR_STATE))
        try:
            key, values = self.reader.read(roots)
            state = self.states.get(key)
            if state is None:
                state = self.states[key] = aside(functools.partial(self.learn, values))
            if isinstance(state, Refusal):
                return self.site.decline(state)
            choice = self.choose(state, values, watched)
        except Refused as refused:
            refusal = refused.refusal
            if not refusal.span.line:
                refusal = replace(refusal, span=self.refusal(refusal.reason).span)
            return self.site.decline(refusal)
        except Exception as error:
            if _foreign(error):
                raise
            return self.broken()
        if isinstance(choice, Refusal):
            return self.site.decline(choice)
        if config.current().verify:
            return verified(
                self.site,
                self.nest,
                roots,
                values.arrays,
                lambda: self.run(state, choice, values, errors),
            )
        return self.run(state, choice, values, errors)

    def broken(self) -> tuple[Any, ...] | None:
        """An error of ours must not become one of the user's; in our own tests it must show."""
        settings = config.current()
        if settings.check or settings.fail_on_fallback:
            raise
        journal.debug(1, traceback.format_exc())
        line = f"{type(sys.exc_info()[1]).__name__}, see AUTOPAR_DEBUG=1"
        return self.site.decline(self.refusal(Reason.INTERNAL, line), forever=True)

    def learn(self, values: Values) -> _Known | Refusal:
        """Type the nest for a new type key."""
        try:
            typed = infer(self.nest, *self.reader.types(values))
        except Refused as refused:
            return refused.refusal
        return typed if isinstance(typed, Refusal) else _Known(typed)

    # ------------------------------------------------------------------ choosing a variant

    def choose(self, state: _Known, values: Values, watched: Watch) -> _Choice | Refusal:
        """The variant for these parameters; what was found before is remembered by them."""
        alias = aliases(values.arrays, state.written)
        numbers = tuple([values.numbers[p] for p in state.ints])
        shapes = tuple([a.shape for a in values.arrays.values()])
        question = (alias, numbers, shapes, watched)
        answer = state.memo.get(question)
        if type(answer) is float:  # seconds of interpreted work: is it worth compiling by now?
            answer = self.waiting(answer)
        if answer is None:
            answer = aside(functools.partial(self.decide, state, values, alias, watched))
            if len(state.memo) >= _MEMO_SIZE:
                state.memo.clear()
            state.memo[question] = answer
            if type(answer) is float:
                answer = self.waiting(answer) or self.refusal(Reason.NOT_YET)
        assert not isinstance(answer, float)
        if isinstance(answer, Refusal):
            return answer
        variant = answer.variant
        if variant.loaded is None:
            assert variant.refusal is not None
            return variant.refusal
        changed = exact(variant.loaded.program, values)
        if variant.refusal is None and changed is not None:
            return self.refusal(Reason.MIXED_TYPE, changed)
        return variant.refusal or answer

    def waiting(self, work_s: float) -> Refusal | None:
        """Decline a nest of so much interpreted work, or None once it should be compiled."""
        if work_s < MACHINE.dispatch_s:
            return self.refusal(Reason.TOO_SMALL)
        self.waited_s += work_s
        return None if self.waited_s >= MACHINE.compile_s else self.refusal(Reason.NOT_YET)

    def decide(
        self, state: _Known, values: Values, alias: Aliases, watched: Watch
    ) -> _Choice | Refusal | float:
        """What to run, a reason, or for a nest that is too small yet its interpreted seconds."""
        with deciding, unnoticed():
            return self._decide(state, values, alias, watched)

    def _decide(
        self, state: _Known, values: Values, alias: Aliases, watched: Watch
    ) -> _Choice | Refusal | float:
        env = environment(state.typed, values)
        steps = []
        for loop in state.loops:
            if isinstance(loop.step, Const):
                if loop.step.value == 0:
                    return self.refusal(Reason.STEP_ZERO)
                continue
            step = interval.value(loop.step, env)
            if step == 0:
                return self.refusal(Reason.STEP_ZERO)
            if step is not None:
                steps.append((loop.id, 1 if step > 0 else -1))
        middle = {name: float(low) for name, (low, _) in env.items()}
        work = interval.operations((self.nest.loop,), middle)
        settings = config.current()
        eager = settings.verify or settings.fail_on_fallback
        interpreted_s = work * MACHINE.interpreted_op_s
        tiny = interpreted_s < MACHINE.dispatch_s
        if not eager and (tiny or self.waited_s + interpreted_s < MACHINE.compile_s):
            return interpreted_s
        facts = Facts(
            ints=state.typed.ints,
            ranks=tuple((path, kind.ndim) for path, kind in state.typed.arrays),
            same=alias.same,
            tangled=alias.tangled,
            steps=tuple(steps),
            builtins=frozenset(path for path, f in state.typed.calls if f.form == path),
        )
        facts, held, inside = settle(state, facts, env)
        plan = state.plan(facts, held)
        launches = interval.launches(plan.body, middle)
        work_s = work * MACHINE.compiled_op_s
        small = launches * MACHINE.launch_s > work_s / 2 or settings.threads == 1
        alone = small and not eager
        # One region on one thread is as good as source order, and perhaps compiled already.
        serial = alone and launches != 1
        if serial:
            explain = () if plan.parallel_loops else plan.explain
            plan = replace(source_order(state.typed.nest), explain=explain)
        longest = interval.longest((self.nest.loop,), middle)
        manner = Manner(inside, watch=watched, long=longest > MACHINE.long_trips)
        key = (facts, held, serial)
        variant = self.variant(state, key, plan, manner)
        claims = variant.loaded.program.claims if variant.loaded is not None else ()
        if not all(interval.holds(claim, env) for claim in claims):
            manner = replace(manner, careful=True)
            variant = self.variant(state, key, plan, manner)
        needs = variant.loaded.program.needs if variant.loaded is not None else ()
        for claim in needs:
            if not interval.holds(claim, env):
                return self.refusal(Reason.BIG_INTEGER, text(claim.expr))
        rerunnable = state.rerunnable(alias)
        if variant.loaded is not None and watched is Watch.NOTICE and not rerunnable:
            program = variant.loaded.program
            saved = sum(values.arrays[path].nbytes for path in program.written)
            costly = saved * MACHINE.copy_byte_s > MACHINE.undo_share * work_s / settings.threads
            if program.may_alarm and not program.may_fail and costly:
                # To name warnings as they come needs no copy of what is overwritten.
                manner = replace(manner, watch=Watch.REHEARSE)
                variant = self.variant(state, key, plan, manner)
        may_be_long = longest == math.inf or work_s > MACHINE.patient_s
        threads = 1 if alone else settings.threads
        return _Choice(variant, key, plan, manner, threads, rerunnable, may_be_long)

    def variant(self, state: _Known, key: Any, plan: Plan, manner: Manner) -> _Variant:
        found = state.variants.get((key, manner))
        if found is None:
            found = state.variants[key, manner] = self.build(state, plan, manner)
        return found

    def build(self, state: _Known, plan: Plan, manner: Manner) -> _Variant:
        before = clock()
        built = pipeline.compile_plan(state.typed, plan, manner)
        if isinstance(built, Refusal):
            return _Variant(None, built)
        seconds = clock() - before
        if built.compiled:
            self.record.compile_s += seconds
        self.record.kernels += len(built.calls)
        # What the plan allows and the program does not launch is not claimed in the report.
        launched = any(kernel.parallel for kernel in built.program.kernels)
        loops = ", ".join(plan.parallel_loops) if launched else ""
        journal.say(1, f"{self.place}: {f'parallel {loops}' if loops else 'sequential'}, compiled")
        source = "made" if built.compiled else "read from the cache"
        journal.say(2, f"{self.place}: {len(built.calls)} kernels {source} in {seconds:.3f} s")
        return _Variant(built, None, plan, launched)

    # ------------------------------------------------------------------ running

    def run(
        self, state: _Known, choice: _Choice, values: Values, errors: dict[str, str]
    ) -> tuple[Any, ...] | None:
        """Run the kernels; None, with every array as before, when they give up."""
        variant = choice.variant
        before = clock()
        status, launch = Status.ALARMED, None
        if not variant.alarming:
            status, launch = self.attempt(variant, choice, values)
        if status == Status.ALARMED and choice.manner.watch is Watch.NOTICE:
            variant.alarming = True
            variant = aside(functools.partial(self.naming, state, choice))
            if variant.loaded is None:
                return self.site.decline(variant.refusal or self.refusal(Reason.WARNING))
            status, launch = self.attempt(variant, choice, values)
        if status or launch is None:
            variant.failures += 1
            alarmed = status == Status.ALARMED
            refusal = self.refusal(Reason.WARNING if alarmed else Reason.FAILED_INSIDE)
            if launch is None:
                return self.site.decline(self.refusal(Reason.NO_MEMORY))
            if variant.failures >= _MAX_FAILURES:
                choice.variant.refusal = refusal
            return self.site.decline(refusal)
        seconds = clock() - before
        if config.current().debug >= 2:
            journal.debug(2, f"{self.place}: run in {seconds:.6f} s")
        self.note(choice, variant, seconds)
        if launch.noted:
            ring(launch.alarms(), self.nest.file, errors)
        return launch.results()

    def naming(self, state: _Known, choice: _Choice) -> _Variant:
        """The variant that can say what NumPy would have warned of."""
        with deciding, unnoticed():
            manner = replace(choice.manner, watch=Watch.NAME)
            return self.variant(state, choice.key, choice.plan, manner)

    def attempt(
        self, variant: _Variant, choice: _Choice, values: Values
    ) -> tuple[int, Launch | None]:
        """Status of one run, every array as before unless it is done; no launch: no memory."""
        loaded = variant.loaded
        assert loaded is not None
        program = loaded.program
        launch = Launch(loaded, values, choice.threads, self.nest.live_out)
        undo = None
        if program.may_fail or (program.may_alarm and not choice.rerunnable):
            try:
                mine = [values.arrays[path] for path in program.written]
                undo = Transaction(mine, choice.threads)
            except MemoryError:
                return Status.FAILED, None
        inputs = [driver_input(values, path) for path in program.inputs]
        try:
            if choice.may_be_long:
                run = functools.partial(loaded.drive, launch, *inputs)
                status = pool.interruptible(run, launch.word)
            else:
                status = loaded.drive(launch, *inputs)
        except BaseException:
            if undo is not None:
                undo.roll_back()
            raise
        launch.close()
        if undo is not None:
            if status:
                undo.roll_back()
            undo.close()
        return status, launch

    def note(self, choice: _Choice, variant: _Variant, seconds: float) -> None:
        record, plan = self.record, variant.plan
        assert plan is not None
        record.runs += 1
        record.run_s += seconds
        if self.noted == (id(variant), choice.threads):
            record.refusal = self.remark
            return
        self.noted = (id(variant), choice.threads)
        record.device = "cpu"
        parallel = variant.parallel and choice.threads > 1
        self.remark = record.refusal = None
        if record.status == "parallel":
            return  # the report says the best that happened
        record.status = "parallel" if parallel else "sequential"
        record.parallel_loops = list(plan.parallel_loops) if parallel else []
        record.sequential_loops = list(plan.sequential_loops)
        record.notes = list(plan.explain)
        if not parallel:
            alone = bool(plan.parallel_loops) or not plan.explain
            why = Reason.ONE_THREAD if alone else Reason.DEPENDENCE
            self.remark = self.refusal(why, "" if alone else "; ".join(plan.explain))
            record.refusal = self.remark


def driver_input(values: Values, path: str) -> int:
    """A number, or an extent written ``A.shape[0]``."""
    if path in values.numbers:
        return int(values.numbers[path])
    array, _, axis = path.rpartition(".shape[")
    extent: int = values.arrays[array].shape[int(axis[:-1])]
    return extent


def _foreign(error: Exception) -> bool:
    """Whether `error` was raised by a signal handler of the user's rather than by our own work."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename if trace is not None else ""
    return not file.startswith(("<", *_OURS))
