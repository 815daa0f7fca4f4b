"""One loop or run of the user's: the object that is asked before the interpreter runs it.

Imported with every rewritten module, so nothing heavy is imported here.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable

from autopar import config, journal
from autopar.nest.hidden import AT
from autopar.records import replace
from autopar.runtime import earlier
from autopar.runtime.aside import aside, ours, unnoticed
from autopar.runtime.background import BACKGROUND
from autopar.runtime.before import LATELY, Before, Call
from autopar.runtime.glance import Glance
from autopar.runtime.headroom import LEVELS, brief_room, memory, room
from autopar.runtime.patience import ALWAYS, VERY_LONG, Patience, Turn
from autopar.runtime.process import UNSET, clock, deciding, replaced, traced
from autopar.runtime.stretch import IDLE, Stretch
from autopar.runtime.trial import Trial
from autopar.site_spec import SiteSpec
from autopar.verdict import Reason, Refusal, Span

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from autopar.runtime.early import Early
    from autopar.runtime.engine import Engine
    from autopar.runtime.hunch import Hunch
    from autopar.runtime.objects import Objects
    from autopar.runtime.steady import Steady
    from autopar.runtime.unknown import Unknown

    T = TypeVar("T")

# Reasons of the moment: the next call may be another matter.
_PASSING = (Reason.TRACED, Reason.STACK, Reason.ERROR_STATE, Reason.UNBOUND, Reason.NOT_YET)

# What the text is, and the types and sizes of values: the next call is mostly the same.
_FOR_GOOD = (
    Reason.SYNTAX, Reason.CALL, Reason.DRAW, Reason.NOT_RANGE, Reason.NOT_ARRAY, Reason.WRONG_TYPE,
    Reason.WRONG_RANK, Reason.MIXED_TYPE, Reason.TOO_SMALL,
)  # fmt: skip

# What a kernel has met, whose run is undone then.
_UNDONE = (Reason.FAILED_INSIDE, Reason.WARNING)

# Of statements in no loop, nobody needs to hear these.
_NOT_THE_LOOP = (Reason.NO_MEMORY, Reason.INTERNAL, Reason.SHADOWED)
_NO_NEWS = (Reason.TOO_SMALL, Reason.NOT_YET, Reason.NOT_ARRAY, Reason.TRACED, Reason.UNBOUND)


class FallbackError(RuntimeError):
    """A nest was left to the interpreter while AUTOPAR_FAIL_ON_FALLBACK is set."""


def joins() -> bool:
    """Whether loops that stand next to one another are asked together from the first call on.

    On a device their arrays stay there in between.  The cores share the memory in any case, and
    there each loop has the plan that is best for it.
    """
    return config.current().target is not None


_MADE: set[str] = set()
"""Methods of `Site` by which something has been made."""


class Site:
    """A question in front of a loop.

    Attributes
    ----------
    active
        False when asking is pointless, so that the rewritten code skips the question.
    around
        That of all loops with which this one is asked first, if there is one.
    began
        When the last question was asked.
    account
        What its questions cost and win, from the first on.
    steady
        What runs the calls that are like those before.
    outermost
        Whether there is no loop of the user's around it that is asked first.
    saved_s
        Seconds that the interpreter is likely to have taken for the last call.
    lost_s
        Seconds by which the last call took longer than the interpreter is likely to have.
    doubtful
        Whether the interpreter might have been faster in the last call, for all that is known.
    pause
        How many calls like the last one are not worth a question yet.
    might_s
        Seconds that the interpreter would take if the nest did all that it might.
    turn
        The next calls that are not to be looked at: rewritten code takes one each time.
    unknown
        What decides on questions where nobody knows how much the loop does.
    unset
        Stands in a result for a name that the nest did not assign.
    watching, idle
        Whether what a loop goes through is always a `stretch`, where it is asked in its iterations;
        and what stands for one that is not asked this time.
    winner
        Whether an earlier run of the same command has won much with such calls.
    """

    __slots__ = (
        "account", "active", "around", "began", "children", "doubtful", "early", "engine", "glance",
        "hunch", "idle", "lost_s", "might_s", "outermost", "patience", "pause", "reason", "record",
        "saved_s", "spec", "steady", "trial", "turn", "unknown", "unset", "watching", "winner",
    )  # fmt: skip

    def __init__(self, spec: SiteSpec, parent: Site | None) -> None:
        self.spec = spec
        self.unset, self.idle, self.watching = UNSET, IDLE, True
        self.engine: Engine | Objects | None = None
        self.early: Early | None = None
        self.hunch: Hunch | None = None
        self.unknown: Unknown | None = None
        self.steady: Steady | None = None
        self.children: list[Site] = []
        self.patience = Patience(len(spec.roots))
        self.trial: Trial | None = None
        self.doubtful = self.winner = False
        self.pause = 0
        self.turn: Turn = ALWAYS
        self.reason: Reason | None = None
        self.account: earlier.Account | None = None
        self.began = self.lost_s = self.might_s = self.saved_s = 0.0
        # An inner loop is asked only once the loop around it has been declined.
        self.around = parent if parent is not None and parent.spec.members else None
        self.outermost: bool = parent is None or (self.around is not None and parent.outermost)
        self.active = self.outermost and self.is_on() and (self.around is None or not joins())
        self.record: journal.LoopRecord | None = None
        self.glance = Glance(spec) if spec.weight else None
        if self.outermost and self.glance is None and not spec.members:
            self.record = journal.loop(spec.file, spec.line, spec.function)
        if parent is not None:
            parent.children.append(self)
            same = parent.spec.line == spec.line and self.around is None
            if same and self.glance is None:
                self.record = parent.record  # part of the same loop

    def run(self, values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """Run the nest on `values` (of ``spec.roots``), or decline.

        Returns
        -------
        tuple or None
            Final values of ``spec.live_out``; None when the interpreter must run the loop.
        """
        steady = self.steady
        if steady is not None and values is not None and brief_room():
            result = steady.result(values)
            if result is not None:
                return result
            if steady.gone():
                self.steady = None
        if not room(LEVELS):
            return self.crowded()
        if values is None:
            return self.unbound()
        self.turn = ALWAYS
        trial, patience = self.trial, self.patience
        self.began = now = clock()
        if (patience.left > 0 or patience.tiny >= VERY_LONG) and patience.quiet(values, now):
            if trial is not None and trial.out:
                trial.skipped += 1
            else:
                self.spare()
            return None
        if trial is not None and trial.out:
            rest = trial.ended(clock())
            if rest:
                self.patience.beaten(values, rest)
                self.spare()
                return None
        if self.glance is not None and not self.glance.worth(values):
            if self.glance.arrays:
                self.patience.too_small(values)
                self.spare()
            elif self.patience.refuse():
                self.active = False
            return None
        if self.guessed and self.engine is None and not self.is_worth(values):
            return None  # as the last time: there is nothing to be noted
        account = self.account
        if account is None:
            account = self.account = earlier.account(self.spec, values)
            if account.due and not account.firm:
                before = Before(self.spec)
                if before.weighed(earlier.pays, account.cost_s):
                    account.due = 0.0
        if (account.due or account.rests) and account.waits(values, self.began):
            return self.waited(account, values)
        if account.left:  # of the calls that are like those before: they are not looked at
            account.left -= 1
            result = self.ask(values)
            took_s = clock() - now
            if took_s > earlier.LEAST_S:
                won_s = 0.0 if result is None else self.saved_s
                account.note(values, took_s, won_s, self.looked)
        else:
            used_s = earlier.used_s()
            result = self.ask(values)
            won_s = 0.0 if result is None else self.saved_s
            account.note(values, earlier.used_s() - used_s, won_s, self.looked)
        if result is not None:
            if self.record is not None and self.glance is not None and not self.spec.members:
                journal.add(self.record)
            lost_s, self.lost_s = self.lost_s, 0.0
            if lost_s > 0:
                now = clock()
                self.patience.asked(now - self.began, now)
                self.patience.lost(values, lost_s, self.might_s)
                self.spare()
            else:
                self.taken(values)
        elif self.reason is Reason.TOO_SMALL:
            now = clock()
            self.patience.asked(now - self.began, now)
            self.patience.too_small(values, now - self.began)
            self.spare()
        elif self.reason is Reason.NOT_YET:
            self.consider(values)
            if self.pause:
                self.rest(values)
        elif self.reason not in _PASSING:
            if account.cost_s and not account.due and self.reason not in _NOT_THE_LOOP:
                Before(self.spec).loses(0.0)  # nothing is to be had, whatever it takes
            if self.patience.refuse():
                self.active = False
            elif self.reason in _FOR_GOOD:
                self.patience.dear(values, self.began, clock())
            elif self.reason in _UNDONE and not config.current().verify:  # which is asked each time
                self.patience.undone(values, self.began, clock())
        return result

    def spare(self, until: float = 0.0) -> None:
        """Leave calls alone that are not to be looked at; see `Patience.turn`."""
        self.turn = self.patience.turn(until)

    def taken(self, values: tuple[Any, ...]) -> None:
        """Note a call that ran as kernels; where these may not have paid, it counts in a trial."""
        self.patience.taken()
        if self.doubtful:
            trial = self.trial = self.trial or Trial()
            count = trial.compiled(clock())
            if count:
                self.patience.skip(values, count)
        elif self.trial is not None:
            self.trial.certain()

    def unbound(self) -> tuple[Any, ...] | None:
        """Decline a call in which a name has no value yet."""
        detail = ""
        if self.record is None or Reason.UNBOUND not in self.record.said:
            frame = sys._getframe(1)
            while frame.f_code.co_filename != self.spec.file and frame.f_back is not None:
                frame = frame.f_back
            known = {*vars(builtins), *frame.f_globals, *frame.f_locals}
            detail = ", ".join(name for name in self.spec.roots if name not in known)
        return self.decline(Refusal(Reason.UNBOUND, Span(self.spec.file, self.spec.line), detail))

    def crowded(self) -> tuple[Any, ...] | None:
        """Decline a call near the end of the stack, where even to say so may be too much."""
        try:
            return self.decline(Refusal(Reason.STACK, Span(self.spec.file, self.spec.line), ""))
        except RecursionError:
            return None

    def cramped(self) -> tuple[Any, ...] | None:
        """Decline all calls of a process that may have little more memory than it has."""
        place = Span(self.spec.file, self.spec.line)
        return self.decline(Refusal(Reason.NO_MEMORY, place, "see ulimit -v"), forever=True)

    def let_go(self) -> None:
        """Ask no more, and hold nothing of what it has learned."""
        self.active = False
        self.engine = self.early = self.hunch = self.unknown = self.steady = None
        self.children.clear()

    def rest(self, values: tuple[Any, ...]) -> None:
        """Leave the next calls alone that are not worth a question."""
        self.patience.skip(values, self.pause)
        self.pause = 0
        self.spare()

    def waited(self, account: earlier.Account, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Decline a call that is not to be asked yet, after what an earlier run has found."""
        self.handed_on(account.wakes or account.rests > 0)  # to be asked when it is over
        count = account.pause(self.began)
        if count and account.firm:
            self.patience.beaten(values, count)
        elif count:
            self.patience.skip(values, count)
        else:
            self.patience.too_small(values)
        self.spare(account.due if account.firm else 0.0)
        self.reason = Reason.NOT_YET
        self.put_off(Reason.NOT_YET, "asking did not pay in an earlier run")
        return None

    def ask(self, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """`run` without sparing the question."""
        if traced():
            return self.decline(Refusal(Reason.TRACED, Span(self.spec.file, self.spec.line), ""))
        engine = self.engine
        if engine is None:
            name = replaced()
            if name is not None:
                where = Span(self.spec.file, self.spec.line)
                return self.decline(Refusal(Reason.SHADOWED, where, name))
            if not self.spec.nest:
                if not (self.guessed or self.wins(values) or self.is_worth(values)):
                    return None
                if not memory():
                    return self.cramped()
                objects = aside(lambda: self.started(self.start_objects))
                return None if objects is None else objects.call(values)
            if not self.wins(values):  # which would be worth imports
                if not self.guessed and not self.is_worth(values):
                    return None
                refusal = None if "numpy" in sys.modules else self.before_numpy(values)
                if refusal is not None:
                    return self.decline(refusal)
            if not memory():
                return self.cramped()
            engine = aside(lambda: self.started(self.start))
            if engine is None:
                return None
        elif self.unknown is not None:
            self.unknown.look(values, self.began)
        return engine.call(values)

    def wins(self, values: tuple[Any, ...]) -> bool:
        """Whether such calls have won much in an earlier run of the same command."""
        if not self.winner and self.account is not None:
            self.winner = self.account.wins(values)
        return self.winner

    @property
    def looked(self) -> bool:
        """Whether anybody has looked at what the loop is, and not only at what its calls take."""
        return self.engine is not None or self.early is not None

    @property
    def guessed(self) -> bool:
        """Whether anybody has guessed before what its calls may take."""
        return self.hunch is not None or self.unknown is not None

    def is_worth(self, values: tuple[Any, ...]) -> bool:
        """Whether there may be enough work to start with; declines the call otherwise."""
        hunch, worth = self.hunch, None
        if not self.guessed and replaced() is not None:
            return True  # `ask` declines it
        if self.spec.loops and AT not in self.spec.roots:  # else the clock tells, in time
            if hunch is None:
                hunch = self.hunch = self.look_by(self.start_hunch)
            if hunch is None:
                return self.reason is not Reason.INTERNAL  # unless that has failed
            worth = hunch.worth(values)
        if worth is None:  # nobody knows how much it does
            return self.is_unknown_worth(values)
        if worth:
            return True
        assert hunch is not None
        tiny = hunch.tiny
        self.put_off(Reason.TOO_SMALL if tiny else Reason.NOT_YET)
        if tiny:
            self.patience.too_small(values)
            self.spare()
        else:
            self.left_alone(values, hunch)
            self.pause = hunch.pause()
            self.rest(values)
        return False

    def is_unknown_worth(self, values: tuple[Any, ...]) -> bool:
        """The same for a loop of which nobody knows how much it does."""
        if self.unknown is None:
            self.unknown = self.look_by(self.start_unknown)
        unknown = self.unknown
        if unknown is None:
            return self.reason is not Reason.INTERNAL  # unless that has failed
        if unknown.worth(values, self.began):
            return True
        self.put_off(Reason.NOT_YET)
        self.left_alone(values, unknown)
        self.pause = unknown.pause(self.began)
        self.rest(values)
        return False

    def left_alone(self, values: tuple[Any, ...], guess: Hunch | Unknown) -> None:
        """A call goes unasked: others may ask instead, or the loops within."""
        self.consider(values)
        self.handed_on(guess.before.waits_s > 0)

    def consider(self, values: tuple[Any, ...]) -> None:
        """Have a copy of the process ask, if this call was one too many."""
        around = list(LATELY.open)
        if around and around[-1].since >= self.began:
            own = around.pop()
            own.ask = None if AT in self.spec.roots else self.inquire_around
        BACKGROUND.consider(self.began, functools.partial(self.inquire, values))
        for call in around:
            if call.ask is not None:
                BACKGROUND.consider_again(call, self.began, functools.partial(call.ask, call))

    def inquire_around(self, call: Call) -> tuple[Any, ...] | None:
        """Ask as a copy does about a call of this site that still goes on.

        It reads the variables as they are by now: in the process itself that would be noticed.
        """
        frame = call.frame()
        if frame is None:
            return None
        space = {**vars(builtins), **frame.f_globals, **frame.f_locals}
        if not all(name in space for name in self.spec.roots):
            return None
        return self.inquire(tuple(space[name] for name in self.spec.roots))

    def inquire(self, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Ask as a copy does: `values`, if the loop is declined for what it is."""
        self.forget()
        declined = self.ask(values) is None and self.reason in _FOR_GOOD
        # Without NumPy no more is known than what there is, and how much of it.
        looked = "numpy" in sys.modules or self.reason in (Reason.NOT_ARRAY, Reason.TOO_SMALL)
        return values if declined and looked else None

    def forget(self) -> None:
        """Why the last call was declined is of no interest any more."""
        self.reason = None

    def put_off(self, reason: Reason, detail: str = "") -> None:
        """Decline a call of which nothing is known but what it may take."""
        if self.record is None or self.record.refusal is None:
            self.decline(Refusal(reason, Span(self.spec.file, self.spec.line), detail))
        else:
            self.record.fallbacks += 1
            self.passed_on(self.record.refusal)

    def started(self, start: Callable[[], T]) -> T | None:
        """``start()``, or None where that fails, as near the end of the stack of a user's thread.

        No signal handler runs where it does: whatever is raised is ours.
        """
        try:
            return start()
        except Exception as error:
            if not ours(error):  # without a thread to be had, all is done on this one
                raise
            detail = f"{type(error).__name__}, see AUTOPAR_DEBUG=1"
            place = Span(self.spec.file, self.spec.line)
            self.decline(Refusal(Reason.INTERNAL, place, detail), forever=True)
            journal.trace(error)
        return None

    def before_numpy(self, values: tuple[Any, ...]) -> Refusal | None:
        """Without NumPy there are no arrays, and importing it takes longer than most loops."""
        if self.early is None:
            self.early = aside(lambda: self.started(self.start_early))
        if self.early is None:
            assert self.record is not None
            return self.record.refusal
        refusal = self.early.refusal(values, self.guessed)
        if refusal is not None and refusal.reason is Reason.NOT_YET:
            self.pause = self.early.pause()
        return refusal

    def start_early(self) -> Early:
        with deciding, unnoticed():
            from autopar.runtime.early import Early

            return Early(self.spec)

    def look_by(self, start: Callable[[], T]) -> T | None:
        """`started`, on a thread of its own the first time, when it imports and reads."""
        if start.__name__ in _MADE:
            return self.started(start)
        made = aside(lambda: self.started(start))
        _MADE.add(start.__name__)
        return made

    def start_hunch(self) -> Hunch | None:
        """What guesses how much work there is; none where somebody wants to hear of each loop."""
        with deciding, unnoticed():
            from autopar.runtime.hunch import Hunch, wanted

            return None if wanted() else Hunch(self.spec, self.account or earlier.NOBODY)

    def start_unknown(self) -> Unknown | None:
        """What has the clock say whether there is enough work; none where all are to be asked."""
        with deciding, unnoticed():
            from autopar.runtime.hunch import wanted
            from autopar.runtime.unknown import Unknown

            account = self.account or earlier.NOBODY
            return None if wanted() else Unknown(self.spec, self.began, account)

    def start(self) -> Engine:
        with deciding, unnoticed():
            from autopar.runtime.engine import Engine

            if self.record is None:
                self.record = self.own_record()
            if not isinstance(self.engine, Engine):
                self.engine = Engine(self)
            return self.engine

    def start_objects(self) -> Objects:
        """The same for a loop whose methods are to be written out."""
        with deciding, unnoticed():
            from autopar.runtime.objects import Objects

            if self.record is None:
                self.record = self.own_record()
            found = self.engine = Objects(self)
            return found

    def decline(self, refusal: Refusal, forever: bool = False) -> tuple[Any, ...] | None:
        """Note why the interpreter runs the loop; `forever` when no later call can differ.

        The answer is None, what `run` returns then.
        """
        record = self.record
        if record is None:
            record = self.record = self.own_record()
        if self.glance is not None and refusal.reason not in _NO_NEWS:
            journal.add(record)
        record.fallbacks += 1
        self.reason = refusal.reason
        small = refusal.reason in (Reason.TOO_SMALL, Reason.NOT_YET)
        if refusal.reason not in record.said:
            record.said.add(refusal.reason)
            if self.spec.members:
                journal.say_once(2, f"neighbouring loops are asked one by one: {refusal}")
            else:
                journal.say_once(2 if small else 1, f"left to Python: {refusal}")
        if not small or record.refusal is None:
            record.refusal = refusal
        if small:
            self.passed_on(refusal)
            return None
        if self.account is not None:
            self.account.wakes = True
        for child in self.children:
            child.wake()
        if forever:
            self.active = False
        if config.current().fail_on_fallback and self.spec.nest and self.expected:
            raise FallbackError(str(refusal))
        return None

    def stretch(self, items: object) -> Stretch:
        """What a loop over `items`, with events in it, is gone through by."""
        return Stretch(items)

    def own_record(self) -> journal.LoopRecord:
        """What there is to say of it; shown only if of interest where nobody expects it."""
        place = self.spec.file, self.spec.line, self.spec.function
        return journal.loop(*place) if self.expected else journal.LoopRecord(*place)

    def passed_on(self, refusal: Refusal) -> None:
        """Note that the interpreter runs neighbouring loops, none of which is asked by itself."""
        for line, _ in self.spec.members:
            part = journal.loop(self.spec.file, line, self.spec.function)
            part.fallbacks += 1
            if part.refusal is None and part.together is None:
                part.refusal = replace(refusal, span=Span(self.spec.file, line))

    @property
    def expected(self) -> bool:
        """Whether the user expects to hear of it: it is a loop, and not several together."""
        return self.glance is None and not self.spec.members

    def wake(self) -> None:
        """The loop around this one has been declined: ask here from now on."""
        if self.engine is None and self.is_on():
            self.active = True
        if self.spec.members and not self.active:
            for child in self.children:
                child.wake()

    def handed_on(self, wakes: bool) -> None:
        """A call goes unasked; the loops within it `wakes`, where it takes long enough for that."""
        brief = self.patience.brief(self.began)
        for child in self.children:
            if brief:
                child.doze()
            elif wakes:
                child.wake()

    def doze(self) -> None:
        """The loop around this one is left alone, and takes no time that is worth a question."""
        if self.engine is None:
            self.active = False
            for child in self.children:
                child.doze()

    def is_on(self) -> bool:
        """Whether loops of that kind are asked at all."""
        settings = config.current()
        on = settings.enabled and settings.device != "off"
        return on and (not self.spec.members or joins())

    def join(self) -> None:
        """Ask for all loops of which this is one together, since one has run on a GPU by now."""
        group = self.around
        if group is not None and group.engine is None and config.current().enabled:
            group.active = True

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.spec, None)
