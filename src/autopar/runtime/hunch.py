"""Whether a loop may be worth a question at all, before anything has been imported for it.

The first question of a process imports what answers it and takes as long as some hundred thousand
operations of the interpreter's; a short script has no more than that.  The text of a loop says how
much it may do at the most with values of that size (`nest.text.reach`), and the clock how long it
can have taken so far.  As long as kernels would cost more than all of that, nobody is asked.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence

from autopar import config
from autopar.nest.hidden import CONSECUTIVE, TWICE, USUAL
from autopar.records import dataclass
from autopar.runtime import earlier
from autopar.runtime.background import BACKGROUND, PAUSE_S, WELL_WORTH
from autopar.runtime.before import LATELY, PROMISING, Before, Loss
from autopar.runtime.budget import BUDGET, EAGERLY
from autopar.runtime.extents import extent, is_numpys, length_along
from autopar.runtime.measured import machine
from autopar.runtime.peek import attribute
from autopar.runtime.process import clock
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec

_QUESTIONS = 0.02  # of the loop's time, that may go into looking at it
_LONGEST_PAUSE = 1024
_HUNCH_S = 2e-5  # which such a look takes
_BEHIND = 4  # times as long as its first half takes is lost with it: caches forget what comes next
_FREE_S = 1e-3  # of looks that anybody has
_MORE = 2  # times as much as any call so far may take is another matter
_LEAST_S = 1e-7  # from one call to the next
_UNKNOWN_TRIPS = 100  # of a loop of which nobody knows, as in `choice.estimate`
_INNER_TRIPS = 10  # of one that stands in another
_NEVER = 99  # subscripts, as in `nest.text.reach`
_LESS = 1.5  # than all parts of the text are operations
_AT_MOST = 2.0  # times as long as they take on average, operations on NumPy's numbers
_FUNCTION = 5  # sums that a call of one of NumPy's functions is worth


def wanted() -> bool:
    """Whether all questions are to be asked, for a report or for a test of autopar itself."""
    settings = config.current()
    told = settings.report or settings.report_json or settings.verbose or settings.debug
    return bool(told) or settings.verify or settings.fail_on_fallback


@dataclass(frozen=True, slots=True)
class _Extents:
    """What a call is handed.

    Attributes
    ----------
    held, sizes
        The values, and then attributes behind them; the size of each of these.
    wholes
        For each loop, elements of what it works on as a whole.
    """

    held: list[object]
    sizes: list[int]
    wholes: list[int]


class Hunch:
    """The calls of one site that nobody has been asked about.

    Attributes
    ----------
    account
        What a first question is weighed against.
    waited_s
        Seconds that they can have taken the interpreter at the most.
    last_s, since
        The same of the last of them, and of those like it that go unlooked at; when that was.
    calls, gone_s
        How many these are, and how long it was from one such call to the next.
    largest_s, took_s
        The most of `last_s`, and the least time from such a call to the next look at any loop: of
        several in a row, each may be looked at for a part of its own time only.
    """

    __slots__ = (
        "account", "attributes", "before", "calls", "gone_s", "indexed", "largest_s", "last_s",
        "loops", "objects", "since", "took_s", "uses", "waited_s", "written",
    )  # fmt: skip

    def __init__(self, spec: SiteSpec, account: earlier.Account = earlier.NOBODY) -> None:
        self.account = account
        self.loops, self.indexed, self.uses = spec.loops, spec.indexed, spec.uses
        self.attributes = spec.attributes
        self.objects = {place for place, _, _ in self.attributes}
        self.before = Before(spec)
        machine()  # read now: a fork waits for whoever makes this
        self.written = sum(operations for _, operations, *_ in spec.loops)
        self.waited_s = self.last_s = self.since = 0.0
        self.calls, self.gone_s = 0, math.inf
        self.largest_s, self.took_s = 0.0, math.inf

    def guess_s(self, values: tuple[object, ...]) -> tuple[float, float] | None:
        """Seconds that a call with `values` is likely to take the interpreter, and may take.

        None: nobody knows.
        """
        found = self.extents(values)
        if found is None:
            return None
        held, sizes, wholes = found.held, found.sizes, found.wholes
        listed = not any(map(is_numpys, held))
        known = machine()
        op_s = known.listed_op_s if listed else known.interpreted_op_s
        each_s = [_operation_s(elements, op_s) for elements in wholes]
        dearest_s = max(*each_s, known.interpreted_op_s)
        likely_s = most_s = 0.0
        # Of each loop: iterations in one of that around it, in all of them, and the most in all.
        rounds: list[tuple[float, float, float]] = []
        for k, (around, operations, calls, by, least, early) in enumerate(self.loops):
            unknown = _INNER_TRIPS if around else _UNKNOWN_TRIPS
            usual = least if least >= 0 else unknown
            far = [(1 + 2 * sizes[place] if axis == TWICE else sizes[place]) for place, axis in by]
            most = float(max([usual, _UNKNOWN_TRIPS * (least < 0), *far]))
            lengths = [
                length if axis < 0 else length_along(held[place], axis, length)
                for (place, axis), length in zip(by, far, strict=True)
            ]
            others, times, most_times = rounds[around] if rounds else (1.0, 1.0, 1.0)
            if least == CONSECUTIVE:  # in all iterations of the one around
                trips = max(max(lengths, default=0) / max(others, 1.0), 1.0)
            elif least == USUAL and len(by) >= len(values) > 1:
                trips = float(usual)  # any of them may have a say in it, or none
            else:
                trips = float(max([usual, *lengths]))
            if early and trips > unknown:
                trips = math.sqrt(trips * unknown)  # some are left soon, and some are not
            rounds.append((trips, trips * times, most * most_times))
            each = operations * each_s[k] / _LESS + calls * known.listed_op_s
            likely_s += each * trips * times
            most_s += (operations / _LESS + calls) * dearest_s * most * most_times
        return likely_s, _AT_MOST * most_s

    def extents(self, values: tuple[object, ...]) -> _Extents | None:
        """What the values of a call have in them; None: nobody knows."""
        held = list(values)
        sizes, wholes = [1] * len(values), [0] * len(self.loops)
        for place, subscripts in enumerate(self.indexed):
            if place in self.objects and subscripts == _NEVER:
                continue  # of which only attributes are used
            found = extent(values[place], subscripts)
            if found is None:
                return None
            sizes[place] = found[0]
            _as_a_whole(wholes, found[1], values[place], self.uses[place])
        uses = self.uses[len(values) :]
        for (place, names, subscripts), used in zip(self.attributes, uses, strict=True):
            value = values[place]
            for name in names:
                value = attribute(value, name)
            found = extent(value, subscripts)
            if found is None:
                return None  # or there is no such attribute that can be read without asking
            sizes[place] = max(sizes[place], found[0])
            sizes.append(found[0])
            held.append(value)
            _as_a_whole(wholes, found[1], value, used)
        return _Extents(held, sizes, wholes)

    def worth(self, values: tuple[object, ...]) -> bool | None:
        """Whether to ask, where that can be known; else this call counts as waited for."""
        global _latest
        now = clock()
        if LATELY.open:
            LATELY.ends(now, self.before)
        latest, _latest = _latest, None
        if latest is not None:
            latest.took_s = min(latest.took_s, now - latest.since)
        guess_s = self.guess_s(values)
        if guess_s is None:
            return None
        likely_s, most_s = (max(guess, self.before.known_s) for guess in guess_s)
        self.waited_s += min(self.last_s, now - self.since)
        if self.calls:
            self.gone_s = (now - self.since) / self.calls
        self.last_s, self.since, self.calls = most_s, now, 1
        self.before.meets(values, now)
        waited_s = self.before.owed_s + self.waited_s  # with what earlier processes have lost
        least_s = self._least_s()
        losing = self.before.losing(earlier.pays)
        enough = losing or waited_s + likely_s > least_s
        asks = likely_s > WELL_WORTH * least_s or (enough and not BACKGROUND.serve(self.before))
        # If it is losing, later processes will have something of it.
        if asks and (losing or self.account.affords(self.cost_s(), self.before.compiled)):
            return True
        if most_s > _MORE * self.largest_s:
            self.largest_s, self.took_s, self.gone_s = most_s, math.inf, math.inf
        _latest = self
        if not self.tiny and not self.before.compiled:
            loss = Loss(self.before, self.waited_s, self._promising_s, sure=False)
            LATELY.begins(loss, now, most_s)
        return False

    def told(self, took_s: float) -> None:
        """The last call, a ``while``, has taken so long; 0: not long."""
        self.before.took(took_s)
        if took_s > self.last_s:
            self.last_s = took_s
            if not self.before.compiled and not LATELY.open:
                loss = Loss(self.before, self.waited_s, self._promising_s, sure=False)
                LATELY.begins(loss, self.since, took_s)

    @property
    def tiny(self) -> bool:
        """Whether the last call is over before kernels could have been called."""
        return self.last_s < MACHINE.again_ops * machine().interpreted_op_s

    def pause(self) -> int:
        """How many more calls like this one to leave alone."""
        each_s = max(self.last_s, _HUNCH_S)
        missing_s = self._least_s() - self.before.owed_s - self.waited_s
        most = min(missing_s / each_s / 2, _LONGEST_PAUSE)  # not beyond where it may be worth it
        # Which is not before somebody else has made kernels, or it can afford its own.
        if missing_s <= 0 or BACKGROUND.serve(self.before):
            gone_s = max(min(each_s, self.gone_s), _LEAST_S)
            most = min(max(most, PAUSE_S / gone_s), _LONGEST_PAUSE)
        # A size among the values may be no length of a loop: calls take no longer than it is from
        # one to the next.
        share_s = _QUESTIONS * min(each_s, max(min(self.gone_s, self.took_s), _LEAST_S))
        excess = LOOKS.excess(self.since)
        # What a call may take is no reason to look at each, where all of them have taken little.
        most = max(most, min(excess * excess, _LONGEST_PAUSE) - 1)
        count = max(int(min(_HUNCH_S / share_s * excess, most)), 0)
        self.last_s += count * self.last_s
        self.calls += count
        return count

    def _least_s(self) -> float:
        """Seconds that calls must have taken for a question."""
        cost_s = self.cost_s()
        return cost_s * (EAGERLY if BUDGET.plenty(cost_s) else 1.0)

    def cost_s(self) -> float:
        """Seconds that imports and kernels are likely to take."""
        paid = "autopar.runtime.engine" in sys.modules or (self.before.asks_s and earlier.pays())
        own_s = max(self._kernels_s(), self.before.asks_s, self.before.waits_s)
        return (0.0 if paid else machine().start_s) + own_s

    def _kernels_s(self) -> float:
        known = machine()
        if self.before.compiled:
            return known.read_s + (0.0 if BUDGET.read else known.first_read_s)
        own_s = known.compile_op_s * self.written
        return own_s + (0.0 if BUDGET.compiled else known.first_compile_s)

    def _promising_s(self) -> float:
        return PROMISING * self._kernels_s()


def _operation_s(elements: int, op_s: float) -> float:
    """Seconds of an operation, which may be on whole arrays of so many elements."""
    if not elements:
        return op_s
    known = machine()
    return op_s + known.numpy_call_s + _FUNCTION * elements * known.numpy_element_s


class Looks:
    """What all looks of the process have taken; races between threads only make a guess of it."""

    __slots__ = ("first", "spent_s")

    def __init__(self) -> None:
        self.first = self.spent_s = 0.0

    def excess(self, since: float) -> float:
        """How many times more than their part of the time they take; one began at `since`."""
        now = clock()
        self.first = self.first or since
        self.spent_s += _BEHIND * (now - since)
        return max(1.0, self.spent_s / (_FREE_S + _QUESTIONS * (now - self.first)))


LOOKS = Looks()
"""Those of this process."""
_latest: Hunch | None = None  # whose call began last; races between threads only make a guess of it


def _as_a_whole(
    wholes: list[int], elements: int, value: object, uses: Sequence[Sequence[int]]
) -> None:
    """Note so many `elements` for the loops in which `value` is worked on as a whole.

    Parameters
    ----------
    wholes
        For each loop, how many elements an operation in it may have.
    uses
        See `nest.text.reach.Reach`.
    """
    if elements:
        axes = len(getattr(value, "shape", ()))
        for place in itertools.chain.from_iterable(uses[:axes]):
            wholes[place] = max(wholes[place], elements)
