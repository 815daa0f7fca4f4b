"""What happens at a call of a site: facts, variant, guarded run, or a decline with its reason."""

from __future__ import annotations

import functools
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
from autopar.kernel import Claim, EmitOptions, Loaded, Program, Status, Watch
from autopar.nest.ir import (
    Const,
    Nest,
)
from autopar.nest.show import text
from autopar.nest.types import Typed, infer
from autopar.runtime import estimate, interval, pool
from autopar.runtime.alarms import ring, watch
from autopar.runtime.aside import aside, unnoticed
from autopar.runtime.contents import Interest, Outcome, Seen, interest
from autopar.runtime.decide import (
    Call,
    Ranges,
    State,
    Way,
    apart,
    environment,
    middle,
    settle,
)
from autopar.runtime.entered import entered
from autopar.runtime.facts import NO_ALIASES, Aliases, Reader, Values, aliases
from autopar.runtime.launch import Launch, exact
from autopar.runtime.outline import outline
from autopar.runtime.site import Site, clock, deciding
from autopar.runtime.transaction import Transaction
from autopar.runtime.verify import verified
from autopar.runtime.ways import best_plan, extents, price_s
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

    Its text comes first, and `loaded` once the guard has chosen it: compiling is what takes time.
    `instead` is set once it could not say what a call needed, and then runs in its place: a
    variant that names warnings, or one that keeps the source order of a reduction.
    """

    plan: Plan
    key: Any
    options: EmitOptions
    program: Program | None
    refusal: Refusal | None
    loaded: Loaded | None = None
    failures: int = 0
    instead: _Variant | None = None

    @property
    def parallel(self) -> bool:
        """Whether it launches a parallel loop: not all that a plan allows is launched."""
        return self.program is not None and any(k.parallel for k in self.program.kernels)


@dataclass(frozen=True, slots=True)
class _Choice:
    """What to do for one question.

    Attributes
    ----------
    variant, key
        What to run, and what its plan was made of.
    threads
        On how many threads this call is worth running.
    rerunnable
        Whether the nest can simply be run again: it reads nothing that it writes.
    may_be_long
        Whether the run may take so long that Ctrl-C must reach it.
    extents
        Path, dtype and size of the plan's temporaries.
    """

    variant: _Variant
    key: Any
    threads: int
    rerunnable: bool
    may_be_long: bool
    extents: tuple[tuple[str, str, int], ...]


class _Known(State):
    """Everything for one type key."""

    def __init__(self, typed: Typed) -> None:
        super().__init__(typed)
        self.variants: dict[Any, _Variant] = {}
        # By question: what to run, a reason, the seconds of a nest that is too small, or that the
        # question has another part, what index arrays hold.
        self.memo: dict[Any, _Choice | Refusal | float | Interest] = {}

    def remember(self, question: Any, answer: _Choice | Refusal | float | Interest) -> None:
        if len(self.memo) >= _MEMO_SIZE:
            self.memo.clear()
        self.memo[question] = answer


class Engine:
    """All calls of one site."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.nest: Nest = pickle.loads(site.spec.nest)
        self.reader = Reader(self.nest)
        self.outline = outline((self.nest.loop,))
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
            if state.given:
                values = entered(values, state.given, self.nest)
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
            answer = self.decide(state, values, alias, watched)
            state.remember(question, answer)
            if type(answer) is float:
                answer = self.waiting(answer) or self.refusal(Reason.NOT_YET)
        if type(answer) is Interest:
            answer = self.informed(state, answer, question, values)
        assert not isinstance(answer, float | Interest)
        if isinstance(answer, Refusal):
            return answer
        variant = answer.variant
        assert variant.loaded is not None
        changed = exact(variant.loaded.program, values)
        if variant.refusal is None and changed is not None:
            return self.refusal(Reason.MIXED_TYPE, changed)
        return variant.refusal or answer

    def informed(
        self, state: _Known, wanted: Interest, question: Any, values: Values
    ) -> _Choice | Refusal:
        """The answer once it is known what index arrays hold; copies of them go into `values`."""
        alias, _, _, watched = question
        seen, new = wanted.look(values.arrays)
        answer = state.memo.get((question, seen))
        if answer is None:
            answer = self.decide(state, values, alias, watched, seen)
            state.remember((question, seen), answer)
        if isinstance(answer, float | Interest):
            return self.refusal(Reason.NOT_YET)
        made = wanted.before
        if isinstance(answer, _Choice):
            made = Outcome.of(answer.variant.plan, answer.variant.options.inside)
        wanted.learn(made, new)
        return answer

    def waiting(self, work_s: float) -> Refusal | None:
        """Decline a nest of so much interpreted work, or None once it should be compiled."""
        if work_s < MACHINE.dispatch_s:
            return self.refusal(Reason.TOO_SMALL)
        self.waited_s += work_s
        return None if self.waited_s >= MACHINE.compile_s else self.refusal(Reason.NOT_YET)

    def decide(
        self,
        state: _Known,
        values: Values,
        alias: Aliases,
        watched: Watch,
        seen: Seen | None = None,
    ) -> _Choice | Refusal | float | Interest:
        """What to run, a reason, or for a nest that is too small yet its interpreted seconds.

        New sizes mostly need nothing new, and a thread for nothing would take longer than this:
        what has to be analysed or compiled is done `apart`.  `seen` is what index arrays hold;
        without, the answer may be that they are of interest.
        """
        env = environment(state.ints, values, seen or ())
        facts = self.facts(state, alias, env, seen or ())
        if facts is None:
            return self.refusal(Reason.STEP_ZERO)
        usual = middle(state, values, env)
        work = estimate.operations(self.outline, usual)
        settings = config.current()
        eager = settings.verify or settings.fail_on_fallback
        interpreted_s = work * MACHINE.interpreted_op_s
        tiny = interpreted_s < MACHINE.dispatch_s
        if not eager and (tiny or self.waited_s + interpreted_s < MACHINE.compile_s):
            return interpreted_s
        facts, held, inside = settle(state, facts, env)
        sizes = {path: array.nbytes for path, array in values.arrays.items()}
        call = Call(env, usual, sizes, work, settings.threads, eager)
        plan, work_s = best_plan(state, facts, held, call), call.work_s
        if seen is None and state.indices:
            wanted = self.interest(state, values, alias, plan, inside, call)
            if wanted is not None:
                return wanted
        launches = estimate.launches(plan.body, usual)
        small = launches * MACHINE.launch_s > work_s / 2 or settings.threads == 1
        alone = small and not eager
        # One region on one thread is as good as source order, and perhaps compiled already.
        serial = alone and (launches != 1 or bool(plan.reductions or plan.temporaries))
        if serial:
            explain = () if plan.parallel_loops else plan.explain
            plan = replace(source_order(state.typed.nest), explain=explain)
        pace = estimate.pace(self.outline, env)
        options = EmitOptions(
            inside,
            watch=watched,
            brief=pace.brief,
            lengthy=pace.lengthy,
            bounded=frozenset(path for path, _ in seen or ()),
        )
        key = facts, held, serial or id(plan)  # which the state keeps
        variant = self.variant(state, key, plan, options)
        inside_loops: interval.Inner = {}
        if interval.failing(_claims(variant), env, inside_loops):
            options = replace(options, careful=True)
            variant = self.variant(state, key, plan, options)
        if variant.program is None:
            assert variant.refusal is not None
            return variant.refusal
        claim = interval.failing(variant.program.needs, env, inside_loops)
        if claim is not None:
            return self.refusal(Reason.BIG_INTEGER, text(claim.expr))
        rerunnable = state.rerunnable(alias)
        saved = sum(values.arrays[path].nbytes for path in variant.program.written)
        copies_s = saved * MACHINE.copy_byte_s * settings.threads
        alone_alarms = variant.program.may_alarm and not variant.program.may_fail
        costly = copies_s > MACHINE.undo_share * work_s
        if watched is Watch.NOTICE and alone_alarms and not rerunnable and costly:
            # To name warnings as they come needs no copy of all that is overwritten.
            keeps = replace(options, watch=Watch.KEEP, apart=alias == NO_ALIASES)
            found = self.variant(state, key, plan, keeps)
            if found.program is not None and _worth(found.program, copies_s, work_s):
                variant = found
        self.load(state, variant)
        may_be_long = pace.work * MACHINE.compiled_op_s > MACHINE.patient_s
        threads = 1 if alone else settings.threads
        handed = extents(variant.plan, env)
        return _Choice(variant, key, threads, rerunnable, may_be_long, handed)

    def facts(self, state: _Known, alias: Aliases, env: Ranges, seen: Seen = ()) -> Facts | None:
        """What the analysis is told of this call; None when a step is zero."""
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

    def interest(
        self,
        state: _Known,
        values: Values,
        alias: Aliases,
        plan: Plan,
        inside: frozenset[int],
        call: Call,
    ) -> Interest | None:
        """Whether to look at index arrays; `plan` and `inside` are what is found without."""
        threads, work_s = call.threads, call.work_s
        known = Outcome.of(plan, inside)
        checked = bool(state.everything - inside)
        if known.parallel and not checked:
            return None
        gain_s = 0.0
        if not known.parallel and threads > 1 and work_s > 2 * MACHINE.launch_s:
            copies = any(reduction.array for reduction in plan.reductions)
            gain_s += price_s(plan, call) if copies else work_s * (1 - 1 / threads)
        if checked:
            saved = sum(values.arrays[path].nbytes for path in state.written)
            gain_s += saved * MACHINE.copy_byte_s / threads
            gain_s += work_s * MACHINE.check_share / (threads if known.parallel else 1)
        paths = state.steady(alias)
        return interest(values.arrays, paths, known, gain_s, threads, call.eager)

    def variant(self, state: _Known, key: Any, plan: Plan, options: EmitOptions) -> _Variant:
        """The text of one way to run the nest."""
        found = state.variants.get((key, options))
        if found is None:
            found = apart(functools.partial(self.emitted, state, key, plan, options))
        return found

    def emitted(self, state: _Known, key: Any, plan: Plan, options: EmitOptions) -> _Variant:
        """`variant`, made now."""
        found = state.variants.get((key, options))
        if found is None:
            program = pipeline.emit(state.typed, plan, options)
            if isinstance(program, Refusal):
                found = _Variant(plan, key, options, None, program)
            else:
                found = _Variant(plan, key, options, program, None)
            state.variants[key, options] = found
        return found

    def load(self, state: _Known, variant: _Variant) -> None:
        """Machine code for `variant`, unless it has some or was refused."""
        if variant.program is not None and variant.loaded is None:
            apart(functools.partial(self.loaded, state, variant, variant.program))

    def loaded(self, state: _Known, variant: _Variant, program: Program) -> None:
        """`load`, done now."""
        if variant.loaded is not None:
            return
        before = clock()
        loaded = variant.loaded = pipeline.load(state.typed, variant.plan, program)
        seconds = clock() - before
        if loaded.compiled:
            self.record.compile_s += seconds
        self.record.kernels += len(loaded.calls)
        loops = ", ".join(variant.plan.parallel_loops) if variant.parallel else ""
        journal.say(1, f"{self.place}: {f'parallel {loops}' if loops else 'sequential'}, compiled")
        source = "made" if loaded.compiled else "read from the cache"
        journal.say(2, f"{self.place}: {len(loaded.calls)} kernels {source} in {seconds:.3f} s")

    # ------------------------------------------------------------------ running

    def run(
        self, state: _Known, choice: _Choice, values: Values, errors: dict[str, str]
    ) -> tuple[Any, ...] | None:
        """Run the kernels; None, with every array as before, when they give up."""
        before = clock()
        try:
            variant, status, launch = self.performed(state, choice, values)
        except MemoryError:
            return self.site.decline(self.refusal(Reason.NO_MEMORY))
        if status:
            variant.failures += 1
            alarmed = status == Status.ALARMED
            refusal = self.refusal(Reason.WARNING if alarmed else Reason.FAILED_INSIDE)
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

    def performed(
        self, state: _Known, choice: _Choice, values: Values
    ) -> tuple[_Variant, int, Launch]:
        """The variant that ran in the end, its status, and the run."""
        variant = choice.variant
        while variant.instead is not None:
            variant = variant.instead
        while True:
            status, launch = self.attempt(variant, choice, values)
            if status not in (Status.UNSURE, Status.ALARMED):
                return variant, status, launch
            other = aside(functools.partial(self.other, state, choice, variant, status))
            if other is None:
                return variant, status, launch
            variant.instead = variant = other

    def other(
        self, state: _Known, choice: _Choice, variant: _Variant, status: int
    ) -> _Variant | None:
        """What to run where `variant` could not say what happened; None if it could."""
        options, plan, key = variant.options, variant.plan, variant.key
        if status == Status.UNSURE:
            facts, held, _ = key
            plan = state.plan(facts, held, Way.IN_PLACE) or plan
            key = facts, held, id(plan)
        elif status == Status.ALARMED and options.watch is Watch.NOTICE:
            options = replace(options, watch=Watch.NAME)
        else:
            return None
        with deciding, unnoticed():
            found = self.variant(state, key, plan, options)
            self.load(state, found)
            return found if found.loaded is not None else None

    def attempt(self, variant: _Variant, choice: _Choice, values: Values) -> tuple[int, Launch]:
        """Status of one run, with every array as before unless it is done.

        Raises
        ------
        MemoryError
            When there is no room for the copies that undo it; nothing has run then.
        """
        loaded = variant.loaded
        assert loaded is not None
        program = loaded.program
        undo = None
        if loaded.may_fail or (loaded.may_alarm and not choice.rerunnable):
            mine = [values.arrays[path] for path in program.written]
            undo = Transaction(mine, choice.threads)
        handed = choice.extents
        launch = Launch(loaded, values, choice.threads, self.nest.live_out, handed)
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


def _worth(keeps: Program, copies_s: float, work_s: float) -> bool:
    """Whether a program that keeps what its strips overwrite is cheaper than copies of all."""
    if keeps.may_fail or keeps.may_alarm:
        return False  # it needs the copies all the same
    return not keeps.outright or copies_s > MACHINE.naming_share * work_s


def _claims(variant: _Variant) -> tuple[Claim, ...]:
    return variant.program.claims if variant.program is not None else ()


def driver_input(values: Values, path: str) -> int:
    """A number, or an extent written ``A.shape[0]``."""
    if path in values.numbers:
        return int(values.numbers[path])
    array, _, axis = path.rpartition(".shape[")
    extent: int = values.arrays[array].shape[int(axis[:-1])]
    return extent


def _foreign(error: Exception) -> bool:
    """Whether `error` comes from a signal handler of the user's rather than from our own work.

    It may have been raised anywhere that the handler has called.
    """
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(("<", *_OURS)):
            return True
        trace = trace.tb_next
    return False
