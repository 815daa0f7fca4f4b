"""Whether the calls of a nest are worth kernels by now."""

from __future__ import annotations

import functools

from autopar import kept, pipeline
from autopar.kept import Missing
from autopar.records import dataclass
from autopar.runtime.background import BACKGROUND, WELL_WORTH
from autopar.runtime.before import LATELY, PROMISING, Before, Loss
from autopar.runtime.budget import BUDGET, EAGERLY
from autopar.runtime.measured import machine, note
from autopar.runtime.patience import Patience
from autopar.runtime.process import clock
from autopar.verdict import Reason

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from autopar.runtime.choice.variants import Known, Variant

_QUESTIONS = 0.02  # of the interpreter's time, that may go into questions before there are kernels
_LONGEST_PAUSE = 1024  # calls that are not asked then
_DEAREST_S = 1e-3  # of a question: beyond, it has imported or learned something, once and for all
_SURELY = 1.25  # times the cost of kernels, that a guess must be to be believed
_FAIRLY = 5.0  # the same where a nest may do far less than it might
_FAR_MORE = 10.0  # times as long as was guessed, a nest with a `while` in it may take
_FEW = 8  # kernels and plans of a nest, for each of which calls wait by themselves


@dataclass(frozen=True, slots=True)
class Work:
    """A call that is left to the interpreter until `waiting` says that it is worth kernels.

    Attributes
    ----------
    seconds
        Which the interpreter is likely to take.
    """

    seconds: float
    waiting: Waiting


class Waiting:
    """What the calls of a nest without kernels have cost, and what kernels would.

    Parameters
    ----------
    before
        What earlier processes have made of its site, or of what its calls wait for.
    first
        Whether any kernels of the nest will do; else these are others, for calls of another size.
    patience
        Which calls of the site go unasked.
    least_s
        Seconds of a call below which kernels lose, however often it comes.
    leaves
        Whether a loop of the nest may end early.

    Attributes
    ----------
    waited_s
        Seconds that all calls have taken the interpreter, at the most.
    work_s, since, paused
        Of the last question: the same of its call, when it was, and how many calls like it were to
        go unasked.
    truth
        Part of what was guessed that calls have taken since then.
    missing_s
        Seconds that are still to be lost before kernels are made on spec.
    """

    def __init__(
        self, before: Before, patience: Patience, least_s: float, leaves: bool, first: bool = True
    ) -> None:
        self.before, self.patience, self.least_s, self.leaves = before, patience, least_s, leaves
        self.first = first
        self.waited_s = self.work_s = self.since = self.missing_s = 0.0
        self.truth, self.paused = 1.0, 0
        self.promised = before.promised  # by an earlier process, not by this one

    def reason(self, state: Known, work_s: float) -> Reason | None:
        """Why to leave so much work to the interpreter; None once kernels should be made."""
        if state.unending:
            work_s = max(work_s, self.before.known_s)
        if work_s < self.least_s:
            return Reason.TOO_SMALL
        self.waited_s += self.since_last_s()
        self.promised |= self.before.lost_s > self.promising_s(state)
        found = None if self.enough(state, work_s) else Reason.NOT_YET
        self.work_s, self.since, self.paused = work_s, clock(), 0
        cost_s = self.cost_s(state)
        self.missing_s = cost_s * (EAGERLY if self.likely(cost_s) else 1.0) - self.waited_s
        if not self.before.compiled:
            if self.before.lost_s + self.waited_s > self.promising_s(state):
                self.before.lost()
            if found is not None:
                least_s = functools.partial(self.promising_s, state)
                most_s = work_s * (_FAR_MORE if state.unending else 1.0)
                LATELY.begins(Loss(self.before, self.waited_s, least_s), self.since, most_s)
        return found

    def promising_s(self, state: Known) -> float:
        """Seconds that must be lost without kernels for the next process to make them at once."""
        return PROMISING * self.cost_s(state)

    def since_last_s(self) -> float:
        """Seconds that the calls since the last question have taken the interpreter.

        They cannot have taken longer than it is ago, whatever was guessed.
        """
        if not self.work_s:
            return 0.0
        gone_s = clock() - self.since
        guess_s = self.work_s * (1 + (self.patience.gone if self.paused else 0))
        self.truth = min(1.0, gone_s / guess_s)
        return min(gone_s, guess_s)

    def pause(self, question_s: float) -> int:
        """After how many calls like the last one, which waits, to ask again: that took so long."""
        if not self.work_s:
            return 0
        each_s = self.work_s * self.truth
        most: float = _LONGEST_PAUSE
        if self.missing_s > 0:  # not beyond the call at which it may be worth it
            most = min(most, self.missing_s / each_s / 2)
        self.paused = int(min(min(question_s, _DEAREST_S) / (_QUESTIONS * each_s), most))
        return self.paused

    def enough(self, state: Known, work_s: float) -> bool:
        """Whether a call of so much interpreted work is worth kernels, after all calls so far.

        What one call is sure to win may be spent at once.  What is to be won by calls that may
        never come must have been lost by others first, and be affordable.
        """
        if (self.first and state.ready) or BACKGROUND.here:
            return True  # most calls need nothing more
        cost_s, now_s = self.cost_s(state), work_s * self.truth
        sure = now_s >= (_FAIRLY if self.leaves or state.unending else _SURELY) * cost_s
        if BACKGROUND.serve(self.before):
            return sure and now_s >= WELL_WORTH * cost_s
        if self.likely(cost_s) and self.waited_s + now_s >= EAGERLY * cost_s:
            return True
        return sure or (self.waited_s + now_s >= cost_s and BUDGET.allows(cost_s))

    def likely(self, cost_s: float) -> bool:
        """Whether it does not take much to make kernels for `cost_s`."""
        return self.promised or BUDGET.plenty(cost_s)

    def cost_s(self, state: Known) -> float:
        """Seconds that it is likely to take to compile kernels of a nest, or to read them."""
        known = machine()
        if self.before.compiled:
            return known.read_s + (0.0 if BUDGET.read else known.first_read_s)
        own_s = known.compile_op_s * state.operations
        return own_s + (0.0 if BUDGET.compiled else known.first_compile_s)

    def paid(self, state: Known, seconds: float, compiled: bool) -> None:
        """To have kernels took so long, from the analysis to the code."""
        BUDGET.spent_s += seconds
        known = machine()
        if compiled:
            own_s = known.compile_op_s * state.operations
            expected_s = max(own_s + (0.0 if BUDGET.compiled else known.first_compile_s), 1e-6)
            note("compile_op_s", known.compile_op_s * seconds / expected_s)
            if not BUDGET.compiled:
                note("first_compile_s", known.first_compile_s * seconds / expected_s)
        elif BUDGET.read:
            note("read_s", seconds)
        else:
            note("first_read_s", seconds - known.read_s)
        BUDGET.read = True
        BUDGET.compiled |= compiled


class Waitings:
    """What the calls of a nest wait for: its first kernels, or those of their own size.

    Attributes
    ----------
    first
        Of the calls that any kernels of the nest serve.
    latest
        Of the call that was asked about last.
    others
        By the kernel, or the plan, that is missing.
    """

    def __init__(self, first: Waiting) -> None:
        self.first = self.latest = first
        self.others: dict[str, Waiting] = {}

    def reason(self, state: Known, work: Work) -> Reason | None:
        """Why to leave a call to the interpreter; None once its kernels should be made."""
        self.latest = work.waiting
        return work.waiting.reason(state, work.seconds)

    def pause(self, question_s: float) -> int:
        """How many calls of the site to leave alone, after a question that took so long.

        None where others of them have kernels: nobody sees which ones come.
        """
        return self.latest.pause(question_s) if self.latest.first else 0

    def spares(self, state: Known) -> bool:
        """Whether a plan that is not on disk may be left to a copy of the process.

        The first one takes a quarter of a second of imports, which nobody has expected who wants to
        read kernels.
        """
        if BACKGROUND.here or not (self.first.before.compiled or state.ready):
            return False
        return len(self.others) < _FEW and not kept.planned()

    def unplanned(self, missing: Missing) -> Waiting | None:
        """What a call waits for that has no plan; None where no copy would make it."""
        found = self._other(missing.name)
        return found if BACKGROUND.serve(found.before) else None

    def further(self, state: Known, variant: Variant, size: int) -> Waiting | None:
        """What calls of a new size wait for: kernels of their own, where the first ones are there.

        To have those may be a matter of milliseconds, and nobody has weighed what others cost.
        """
        first = self.first
        if BACKGROUND.here or variant.loaded is not None or size in state.served:
            return None
        if variant.program is None or not (first.before.compiled or state.ready):
            return None
        name = pipeline.missing(variant.state.typed, variant.plan, variant.program)
        if name is None:
            return None
        return self._other(name)

    def _other(self, name: str) -> Waiting:
        """What calls wait for that miss what is called so."""
        if name not in self.others:
            first, before = self.first, Before(self.first.before.spec, name)
            self.others[name] = Waiting(
                before, first.patience, first.least_s, first.leaves, first=False
            )
        return self.others[name]
