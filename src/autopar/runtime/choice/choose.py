"""What to run at a call: the cheapest plan, made into kernels that its parameters allow."""

from __future__ import annotations

import functools
import math
from typing import Any

from autopar import config, journal, pipeline
from autopar.cpu.team import MOST_THREADS
from autopar.kept import Missing, only_found
from autopar.kernel import Claim, EmitOptions, Program, Status, Watch
from autopar.nest.hidden import GENERATOR
from autopar.nest.ir import ONCE, For, Leave, Nest
from autopar.nest.show import text
from autopar.nest.walking import statements
from autopar.records import replace
from autopar.runtime.aside import unnoticed
from autopar.runtime.background import BACKGROUND
from autopar.runtime.before import LATELY, Before
from autopar.runtime.budget import BUDGET
from autopar.runtime.choice import estimate, interval
from autopar.runtime.choice.contents import Interest, Outcome, Seen, interest
from autopar.runtime.choice.contest import Alone, Contest
from autopar.runtime.choice.decide import (
    Settled,
    Way,
    apart,
    environment,
    hopeful,
    settle,
)
from autopar.runtime.choice.lasting import Lasting, lasting
from autopar.runtime.choice.meanwhile import alone_wins, waits
from autopar.runtime.choice.price import (
    Call,
    copies_s,
    expected_run_s,
    extents,
    launches_s,
    rooms,
)
from autopar.runtime.choice.private import side_by_side
from autopar.runtime.choice.short import short
from autopar.runtime.choice.variants import Choice, Known, Length, Variant
from autopar.runtime.choice.waiting import Waiting, Waitings, Work
from autopar.runtime.choice.ways import best_plan, in_blocks, rearranged, with_products
from autopar.runtime.choice.weighed import Weighed, facts_of, weighed
from autopar.runtime.earlier import used_s
from autopar.runtime.measured import machine
from autopar.runtime.measured import threads as measure_threads
from autopar.runtime.patience import Patience
from autopar.runtime.process import clock, deciding
from autopar.runtime.run import pool
from autopar.runtime.run.launch import BRIEF_S, exact
from autopar.runtime.values.facts import NO_ALIASES, Aliases, Values, aliases
from autopar.runtime.values.lists import NO_LISTS
from autopar.sched.machine import MACHINE
from autopar.sched.plan import Plan, in_order
from autopar.verdict import Reason, Refusal, Span

_BELIEVED_S = 10.0  # that one call has won
_WORTHWHILE = 0.9  # of the time in order, that a run on several threads should take at the most
_LOOKING_S = 2.0
"""What a nest must have taken, or be about to take, before anybody looks for a GPU: to find one,
and to compile for it, takes about as long."""
_HOPELESS = 8  # times shorter than starting them: not even tried out
_MEANWHILE = "one thread does all else while it waits for its sums"
_TRIED_S = 2e-2  # beyond, the estimate will do
_OFTEN = 100  # launches of one run, which take longer where others want the processors as well
_OFTEN_TRIED_S = 0.1  # what starts threads so often is tried out up to here


Question = tuple[Aliases, tuple[Any, ...], tuple[Any, ...], Watch]
"""How arrays share memory, integers, shapes, and what is done about NumPy's warnings."""

Answer = Choice | Refusal | Work | Interest


class Chooser:
    """Decides for all calls of one nest; what it compiles is noted in `record`.

    Parameters
    ----------
    before
        What earlier processes have made of its site.
    patience
        Which calls of the site go unasked.
    """

    def __init__(
        self, nest: Nest, record: journal.LoopRecord, before: Before, patience: Patience
    ) -> None:
        self.nest, self.record, self.before = nest, record, before
        self.leaves = any(isinstance(s, Leave) and s.kind == "break" for s in statements(nest.loop))
        self.loops = any(isinstance(s, For) and s is not nest.loop for s in statements(nest.loop))
        self.runs = 0
        self.looked = False  # for a GPU
        self.draws = any(root.startswith(GENERATOR) for root in nest.roots)
        least_s = MACHINE.again_ops * machine().interpreted_op_s
        if self.draws:
            least_s = MACHINE.dispatch_s + MACHINE.lend_s
        self.waiting = Waiting(before, patience, least_s, self.leaves)
        self.waitings = Waitings(self.waiting)

    @property
    def place(self) -> str:
        """File and line for messages."""
        return f"{self.nest.file}:{self.nest.loop.line}"

    def refusal(self, reason: Reason, detail: str = "") -> Refusal:
        """A reason to leave the nest to the interpreter."""
        return Refusal(reason, Span(self.nest.file, self.nest.loop.line), detail)

    def choose(self, state: Known, values: Values, watched: Watch) -> Choice | Refusal:
        """The variant for these parameters; what was found before is remembered by them."""
        if LATELY.open:
            LATELY.ends(clock())
        arrays = values.arrays
        # Whoever puts other arrays there has not looked at whose memory it is.
        alias = NO_ALIASES if values.owners is arrays else aliases(arrays, state.written)
        if state.apart and alias is not NO_ALIASES:
            for one, two in state.apart:
                if alias.joins(one, two):
                    detail = one if one == two else f"{one} and {two} share memory"
                    return self.refusal(Reason.OVERLAP, detail)
        numbers = tuple([values.numbers[p] for p in state.ints])
        shapes = tuple([a.shape for a in arrays.values()])
        question = (alias, numbers, shapes, watched)
        answer = state.memo.get(question)
        if answer is None and state.idle:
            answer = self.lasting(state, question, values)
        if type(answer) is Work:  # is it worth compiling by now?
            answer = self.waits(state, answer)
        if answer is None:
            if state.rows:  # how long they are is read from their elements
                values.lists.read(state.written, values.arrays)
            answer = self.decide(state, values, alias, watched)
            state.remember(question, answer)
            if state.idle:
                self.outlast(state, question, values, answer)
            if type(answer) is Work:
                answer = self.waits(state, answer) or self.refusal(Reason.NOT_YET)
        if type(answer) is not Refusal:
            if values.lists is not NO_LISTS:
                values.lists.read(state.written, arrays)
            if state.same:
                values.lists.without_nan(state.same, values.numbers)
        if type(answer) is Interest:
            answer = self.informed(state, answer, question, values)
        if isinstance(answer, Refusal):
            return answer
        assert type(answer) is Choice
        variant = answer.variant
        assert variant.loaded is not None
        if variant.refusal is None and variant.loaded.program.slots:
            changed = exact(variant.loaded.program, values)
            if changed is not None:
                return self.refusal(Reason.MIXED_TYPE, changed)
        return variant.refusal or answer

    def waits(self, state: Known, work: Work) -> Refusal | None:
        """Decline a nest of so much interpreted work, or None once it should be compiled."""
        reason = self.waitings.reason(state, work)
        return None if reason is None else self.refusal(reason)

    def lasting(self, state: Known, question: Question, values: Values) -> Choice | Work | None:
        """What was chosen before for numbers that differ in nothing that counts."""
        found = state.lasting.get(_lasting(state, question, values))
        if not isinstance(found, Lasting):
            return found
        env = environment(state.ints, values)
        return found.choice if found.holds(state, env) else None

    def outlast(self, state: Known, question: Question, values: Values, answer: Answer) -> None:
        """Keep `answer` for other numbers, the second time that it is wanted."""
        key = _lasting(state, question, values)
        if type(answer) is Work:
            state.outlasting(key, answer)
        elif key not in state.lasting:
            state.outlasting(key, None)
        elif isinstance(answer, Choice) and answer.variant.state is state:
            env = environment(state.ints, values)
            facts = facts_of(state, question[0], env)
            assert facts is not None
            state.outlasting(key, lasting(state, answer, facts, env))

    def informed(
        self, state: Known, wanted: Interest, question: Any, values: Values
    ) -> Choice | Refusal:
        """The answer once it is known what index arrays hold; copies of them go into `values`."""
        alias, _, _, watched = question
        seen, new = wanted.look(values.arrays)
        answer = state.memo.get((question, seen))
        if type(answer) is Work:
            answer = self.waits(state, answer)
        if answer is None:
            answer = self.decide(state, values, alias, watched, seen)
            state.remember((question, seen), answer)
            if type(answer) is Work:
                answer = self.waits(state, answer) or self.refusal(Reason.NOT_YET)
        if isinstance(answer, Work | Interest):
            return self.refusal(Reason.NOT_YET)
        made = wanted.before
        if isinstance(answer, Choice):
            made = Outcome.of(answer.variant.plan, answer.variant.options.inside)
        wanted.learn(made, new)
        return answer

    def ran(self, state: Known, choice: Choice, seconds: float) -> None:
        """Learn from a run that took `seconds`."""
        if config.current().verbose >= 2:
            self.tell(choice, seconds)
        BUDGET.won_s += spared_s(choice, seconds) - seconds
        if self.record.run_s >= _LOOKING_S and not self.looked:
            self.looked = True
            if config.current().device == "auto":
                state.forget()  # by now a GPU would have been worth looking for
        contest, lonely = choice.contest, choice.alone
        if contest is not None:
            contest.took(seconds)
            near = lonely is not None and contest.near and contest.left
            if near and lonely is not None and self.affords(state) and lonely.begins(seconds):
                state.forget()
        elif lonely is not None and lonely.loses(seconds):
            state.forget()
        elif seconds > choice.doubt_s:
            state.slow_s += seconds - choice.doubt_s
            if state.slow_s > self.waiting.cost_s(state):
                state.pace, state.slow_s = state.pace * seconds / choice.expected_s, 0.0
                state.forget()

    def affords(self, state: Known) -> bool:
        """Whether another kernel may be tried out, for all that the nest has taken so far."""
        return self.record.run_s > self.waiting.cost_s(state)

    def tell(self, choice: Choice, seconds: float) -> None:
        """Say what was expected of a run and what it took, for every so many runs."""
        self.runs += 1
        if self.runs & (self.runs - 1):
            return  # all after 1, 2, 4, 8, …
        threads = choice.threads if choice.contest is None else choice.contest.now
        journal.say(
            2,
            f"{self.place}: run {self.runs} on {_count(threads, 'thread')}: "
            f"{_ms(seconds)}, expected {_ms(choice.expected_s)}; "
            f"by Python {_ms(choice.interpreted_s)} expected",
        )

    def decide(
        self,
        state: Known,
        values: Values,
        alias: Aliases,
        watched: Watch,
        seen: Seen | None = None,
    ) -> Answer:
        """What to run, a reason, or for a nest that is too small yet what it does.

        New sizes mostly need nothing new, and a thread for nothing would take longer than this:
        what has to be analysed or compiled is done `apart`.  `seen` is what index arrays hold;
        without, the answer may be that they are of interest.
        """
        known_s = self.waiting.before.known_s if state.unending else 0.0
        found = weighed(self.nest, state, values, alias, seen or (), known_s)
        if isinstance(found, Refusal):
            return found
        tiny = found.interpreted_s < self.waiting.least_s
        if not found.eager and (tiny or not self.waiting.enough(state, found.interpreted_s)):
            return Work(found.interpreted_s, self.waiting)
        spares = not found.eager and state.target is None and self.waitings.spares(state)
        try:
            with only_found(spares):
                return self.planned(state, values, (alias, watched, seen), found)
        except Missing as missing:
            others = self.waitings.unplanned(missing)
            if others is not None and not others.enough(state, found.interpreted_s):
                return Work(found.interpreted_s, others)
        with only_found(False):
            return self.planned(state, values, (alias, watched, seen), found)

    def planned(
        self,
        state: Known,
        values: Values,
        question: tuple[Aliases, Watch, Seen | None],
        found: Weighed,
    ) -> Answer:
        """`decide` for a call that is worth it; raises `Missing` where nothing is to be made."""
        alias, watched, seen = question
        env, facts, usual, work = found.env, found.facts, found.middle, found.work
        threads, all_worth, interpreted_s = found.threads, found.eager, found.interpreted_s
        known, on_device = machine(), state.target is not None
        before_s, before_used_s, kernels = clock(), used_s(), self.record.kernels
        settled = settle(state, facts, env)
        whole = state  # of which the other is a form
        sizes = {path: array.nbytes for path, array in values.arrays.items()}
        call = Call(env, usual, sizes, work, threads, all_worth, state.pace)
        pace = estimate.pace(state.outline, env)  # of the loops as they stand: no more than that
        blocks = rearranged(state, facts, settled, call)
        # Where both are there, a product is one of a row only: blocks go through less memory.
        products = with_products(state, *settled[:2], call) if blocks is None else None
        if blocks is not None:
            state, settled, call = blocks
            env, usual = dict(call.env), dict(call.middle)
        facts, held, inside = settled
        plan, handed = (products, {}) if products else best_plan(state, facts, held, call)
        call = call.handed(handed)
        if seen is None and state.indices:
            wanted = self.interest(state, values, alias, plan, (facts, held, inside), call)
            if wanted is not None:
                return wanted
        if products is None and not on_device:
            plan = in_blocks(state, plan, call)
        before, plan = plan, state.fusions.plan(facts, plan, env)
        joined = plan is not before
        if not all_worth and not on_device and threads > 1:
            plan = state.shortened(plan, short(plan, call))
        if on_device:
            from autopar.runtime.choice.items import forms_of  # of no use where there is none

            plan = state.flat(plan, forms_of(plan, call, state.target))
        launches = estimate.launches(plan.body, usual)
        # Without what comes from memory: nobody knows in which order, and short runs are tried out.
        together_s = launches_s(launches, known) + call.work_s / threads
        lonely = whole.lonely.setdefault(_size(call), Alone())
        small = threads == 1 or together_s > _WORTHWHILE * call.work_s or lonely.wanted
        single = not all_worth and not on_device
        alone = small and single
        anew = products is None and (not joined or bool(plan.temporaries or handed))
        lanes = side_by_side(state, facts, held, call) if alone and anew else None
        summing = waits(plan)
        # One region on one thread is as good as source order, and perhaps compiled already.
        serial = launches != 1 or summing or bool(plan.reductions or plan.temporaries or lanes)
        way: Any = id(plan)  # which the state keeps
        busy = False  # one thread, while it waits for sums, with what several could do
        if single and ((small and serial) or (summing and products is None)):
            why = plan.alone(threads) if alone else (*plan.explain, _MEANWHILE)
            one = plan
            if anew:
                one = lanes or state.plan(facts, held, Way.IN_PLACE) or state.source_order
            one = state.fusions.plan(facts, state.alone(one, why), env)
            busy = not alone and alone_wins(one, launches, call)
            if alone or busy:
                plan, handed, alone, way = one, {}, True, id(one)
        looks = estimate.pace(state.outline, env)
        if products is not None:  # what stands beside them is less than its loops were
            looks = estimate.pace(state.beside(plan), env)
        options = EmitOptions(
            inside,
            watch=watched,
            brief=looks.brief,
            lengthy=looks.lengthy,
            bounded=frozenset(path for path, _ in seen or ()),
            apart=alias == NO_ALIASES,
            relaxed=state.relaxed,
            singly=on_device and config.current().fp != "exact",
            offloaded=on_device,
        )
        key = facts, held, way
        variant = self.guarded(state, key, plan, options, call.env)
        if isinstance(variant, Refusal):
            return variant
        assert variant.program is not None
        renewed = frozenset[str]()
        if variant.program.may_alarm:
            renewed = state.renewed(alias, facts, inside)
        # A device changes no array before all is done, so that all can be run again.
        if watched is Watch.NOTICE and not on_device:
            variant = self.keeping(state, variant, renewed, call)
        others = self.waitings.further(whole, variant, _size(call)) if single else None
        if others is not None and not others.enough(state, interpreted_s):
            return Work(interpreted_s, others)
        self.load(state, variant)
        whole.served.add(_size(call))
        if self.record.kernels != kernels and variant.loaded is not None:
            took_s = min(
                clock() - before_s, used_s() - before_used_s
            )  # whatever else the machine does
            cost_s = self.waiting.cost_s(state)
            journal.say(2, f"{self.place}: kernels after {_ms(took_s)}, expected {_ms(cost_s)}")
            self.waiting.paid(state, took_s, variant.loaded.compiled)
            if config.current().verbose >= 2 and not on_device:
                program = variant.loaded.program
                look = functools.partial(pipeline.vectors, state.typed, variant.plan, program)
                journal.say(2, f"{self.place}: {apart(look)}")
        vague = self.leaves or pace.work == math.inf
        if pace.work == math.inf:
            interpreted_s = math.inf
        # Where Python is not that slow, a call may have cost more than it has won.
        watch = self.nest.loop.var == ONCE or found.listed
        may_take_s = pace.work * MACHINE.compiled_op_s
        if products is not None:
            may_take_s *= MACHINE.blas_share
        length = Length(may_take_s < math.inf) if may_take_s > MACHINE.patient_s else None
        used = 1 if alone else threads
        expected_s = expected_run_s(call, launches, used if variant.parallel else 1)
        if not on_device and not all_worth and variant.parallel:
            elsewhere = self.on_gpu(state, values, (alias, watched, seen), plan, call, expected_s)
            if elsewhere is not None:
                return elsewhere
        contest, doubt_s = None, math.inf
        tried_s = _TRIED_S if launches < _OFTEN else _OFTEN_TRIED_S
        if not all_worth and not on_device and variant.parallel and expected_s < tried_s:
            contest = self.contest(variant, used, threads, call, launches)
        elif lonely.wanted:
            pass  # it has been compared
        elif alone and launches and threads > 1 and not all_worth and not busy:
            # Beyond where both are equal: what runs on several has to be compiled first.
            doubt_s = 2 * launches_s(launches, known) / (1 - 1 / threads)
        return Choice(
            variant,
            used,
            renewed,
            length,
            (*extents(variant.plan, env), *(rooms(state.locals, env) if state.plain else ())),
            tuple(handed.items()),
            vague=interpreted_s if vague and not all_worth else 0.0,
            interpreted_s=interpreted_s,
            brief=interpreted_s < MACHINE.brief_s and not all_worth,
            watched=watch and not all_worth,
            expected_s=expected_s,
            swift=not all_worth and expected_s < launches * BRIEF_S,
            contest=contest,
            alone=lonely if lonely.wanted or (contest is not None and launches > 1) else None,
            doubt_s=doubt_s,
        )

    def on_gpu(
        self,
        state: Known,
        values: Values,
        question: tuple[Aliases, Watch, Seen | None],
        plan: Plan,
        call: Call,
        cores_s: float,
    ) -> Choice | None:
        """The same on a GPU, where one is clearly faster and the user lets us choose.

        Parameters
        ----------
        plan, cores_s
            What the cores would do, and for how long.
        """
        short = not self.looked and self.record.run_s + cores_s < _LOOKING_S
        if config.current().device != "auto" or state.barred or short or BACKGROUND.here:
            return None
        # Imported here: few programs run so long.
        from autopar.runtime.choice.gpu import offered, wins

        offer = apart(offered)
        if offer is None:
            state.barred = True
            return None
        launches = estimate.launches(plan.body, call.middle)
        if not wins(offer, plan, call, launches, state.written, cores_s):
            return None
        if state.elsewhere is None:
            state.elsewhere = Known(state.as_written, offer.target)
        alias, watched, seen = question
        answer = self.decide(state.elsewhere, values, alias, watched, seen)
        return answer if isinstance(answer, Choice) and answer.variant.parallel else None

    def contest(
        self, variant: Variant, used: int, threads: int, call: Call, launches: float
    ) -> Contest | None:
        """Where calls of that size find out on how many threads they run best."""
        if threads == 1 or _HOPELESS * call.work_s < launches * machine().launch_s:
            return None
        return variant.contests.setdefault(_size(call), Contest(used, threads))

    def guarded(
        self, state: Known, key: Any, plan: Plan, options: EmitOptions, env: interval.Env
    ) -> Variant | Refusal:
        """The variant whose integers are bounded at this call, careful where they are not."""
        inside_loops: interval.Inner = {}
        variant = self.variant(state, key, plan, options)
        if interval.failing(_claims(variant), env, inside_loops):
            variant = self.variant(state, key, plan, replace(options, careful=True))
        if variant.program is None:
            assert variant.refusal is not None
            return variant.refusal
        claim = interval.failing(variant.program.needs, env, inside_loops)
        return variant if claim is None else self.refusal(Reason.BIG_INTEGER, text(claim.expr))

    def keeping(
        self, state: Known, variant: Variant, renewed: frozenset[str], call: Call
    ) -> Variant:
        """`variant`, or one that names warnings as they come, which needs no copy of all arrays."""
        program = variant.program
        assert program is not None
        saved = [path for path in program.written if path not in renewed]
        saved_s = sum(call.bytes[path] for path in saved) * MACHINE.copy_byte_s
        copies_s = saved_s * call.threads
        elsewhere = self.nest.elsewhere or state.plain is not None
        if program.may_fail or not program.may_alarm or elsewhere:
            return variant
        share = MACHINE.later_share if program.later else MACHINE.undo_share
        if copies_s <= share * call.work_s:
            return variant
        options = replace(variant.options, watch=Watch.KEEP)
        found = self.variant(state, variant.key, variant.plan, options)
        worth = found.program is not None and _worth(found.program, copies_s, call.work_s)
        return found if worth else variant

    def interest(
        self,
        state: Known,
        values: Values,
        alias: Aliases,
        plan: Plan,
        settled: Settled,
        call: Call,
    ) -> Interest | None:
        """Whether to look at index arrays; `plan` and `settled` are what is found without."""
        threads, work_s = call.threads, call.work_s
        facts, held, inside = settled
        known = Outcome.of(plan, inside)
        paths = state.steady(alias)
        checks = state.through.keys() - inside
        if not paths or (known.parallel and not checks):
            return None
        gain_s = 0.0
        if not known.parallel and threads > 1 and work_s > 2 * MACHINE.wake_s:
            copied_s = copies_s(plan.reductions, call)
            if copied_s or call.eager or hopeful(state, facts, held, alias):
                gain_s += copied_s or work_s * (1 - 1 / threads)
        if checks:
            share = MACHINE.check_share * len(checks) / len(state.everything)
            gain_s += work_s * share / (threads if known.parallel else 1)
            if not self.draws:  # which is undone in any case
                saved = sum(values.arrays[path].nbytes for path in state.written)
                gain_s += saved * MACHINE.copy_byte_s / threads
        return interest(values.arrays, paths, known, gain_s, threads, call.eager)

    def variant(self, state: Known, key: Any, plan: Plan, options: EmitOptions) -> Variant:
        """The text of one way to run the nest."""
        found = state.variants.get((key, options))
        if found is None:
            found = apart(functools.partial(self.emitted, state, key, plan, options))
        return found

    def emitted(self, state: Known, key: Any, plan: Plan, options: EmitOptions) -> Variant:
        """`variant`, made now."""
        found = state.variants.get((key, options))
        if found is None:
            program = pipeline.emit(state.typed, plan, options)
            if isinstance(program, Refusal):
                found = Variant(plan, key, options, None, program, state)
            else:
                found = Variant(plan, key, options, program, None, state)
            state.variants[key, options] = found
        return found

    def load(self, state: Known, variant: Variant) -> None:
        """Machine code for `variant`, unless it has some or was refused."""
        if variant.program is not None and variant.loaded is None:
            apart(functools.partial(self.loaded, state, variant, variant.program))

    def loaded(self, state: Known, variant: Variant, program: Program) -> None:
        """`load`, done now."""
        if variant.loaded is not None:
            return
        before = clock()
        later = state.target is not None
        loaded = variant.loaded = pipeline.load(state.typed, variant.plan, program, later)
        seconds = clock() - before
        self.before.note()
        if loaded.compiled:
            self.record.compile_s += seconds
        if variant.parallel and BACKGROUND.here:
            pipeline.teams()  # to be on disk: nothing runs here, nor is measured while others work
        elif variant.parallel:
            together(config.current().threads)
        self.record.kernels += len(loaded.calls)
        loops = ", ".join(variant.plan.parallel_loops) if variant.parallel else ""
        journal.say(1, f"{self.place}: {f'parallel {loops}' if loops else 'sequential'}, compiled")
        source = "made" if loaded.compiled else "read from the cache"
        number = len(loaded.calls)
        kernels = "1 kernel" if number == 1 else f"{number} kernels"
        journal.say(2, f"{self.place}: {kernels} {source} in {seconds:.3f} s")

    def other(self, variant: Variant, status: int) -> Variant | None:
        """What to run where `variant` could not say what happened; None if it could."""
        options, plan, key, state = variant.options, variant.plan, variant.key, variant.state
        if status == Status.UNSURE:
            facts, held, _ = key
            plan = state.plan(facts, held, Way.IN_PLACE) or plan
            key = facts, held, id(plan)
        elif self.nest.elsewhere:
            return None  # nobody can tell in which module
        elif status == Status.ALARMED and options.watch is Watch.NOTICE:
            options = replace(options, watch=Watch.NAME)
            if state.plain is not None:  # in blocks nobody knows the line
                state = state.plain
                plan = in_order(state.source_order)
                loops = frozenset(loop.id for loop in state.loops)
                nothing: frozenset[int] = frozenset()
                options = replace(
                    options, inside=nothing, careful=True, brief=nothing, lengthy=loops
                )
                # What it says is of blocks.
                unknown = replace(key[0], unreadable=state.everything)
                key = unknown, nothing, "as written"
        else:
            return None
        with deciding, unnoticed(), only_found(False):
            found = self.variant(state, key, plan, options)
            self.load(state, found)
            return found if found.loaded is not None else None


def spared_s(choice: Choice, seconds: float) -> float:
    """What the interpreter may have taken for a call whose kernels took so many `seconds`.

    As far as anybody would spend on it.
    """
    known = choice.interpreted_s < math.inf
    return min(choice.interpreted_s if known else seconds * MACHINE.looking_share, _BELIEVED_S)


def _worth(keeps: Program, copies_s: float, work_s: float) -> bool:
    """Whether a program that keeps what its strips overwrite is cheaper than copies of all."""
    if keeps.may_fail or keeps.may_alarm:
        return False  # it needs the copies all the same
    return not keeps.outright or copies_s > MACHINE.naming_share * work_s


def together(threads: int) -> None:
    """Have a team of so many threads, and know what it takes on this machine.

    More than a team may have go without one.
    """
    if threads == 1 or threads > MOST_THREADS:
        return
    pool.ready(threads, pipeline.teams())
    team = pool.held(threads)
    if team is None:
        return  # there are no more threads to be had: what none of them take says nothing
    team.taken.release()
    measure_threads(
        lambda task, chunks: pool.run(task, chunks, threads, pool.Word()),
        team.nothing,
        threads,
    )


def _size(call: Call) -> int:
    """Calls of which size are held to be alike."""
    return int(math.log2(call.work + 1))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < math.inf else "an unknown time"


def _lasting(state: Known, question: Question, values: Values) -> Question:
    """`question` without the numbers on which the answer depends but little."""
    alias, _, shapes, watched = question
    return alias, tuple([values.numbers[p] for p in state.steady_ints]), shapes, watched


def _claims(variant: Variant) -> tuple[Claim, ...]:
    return variant.program.claims if variant.program is not None else ()
