"""Whether to look at a loop of which nobody knows how much it does.

It calls functions of other modules, or methods, or goes through something whose size does not show:
its text says nothing of how long it takes.  What is learned about it may cost more than the whole
program: imports, and an analysis of all that it calls.  So the interpreter runs it, and the clock
says whether it is worth that by now.  A loop that is asked in each of its iterations tells after
some of them how long the rest will take, and is taken from there on (`nest.text.stretches`).
"""

from __future__ import annotations

import math
import sys

from autopar.nest.hidden import AT, STOP
from autopar.runtime import earlier
from autopar.runtime.background import BACKGROUND, PAUSE_S
from autopar.runtime.before import LATELY, Before, Loss
from autopar.runtime.budget import BUDGET
from autopar.runtime.measured import machine
from autopar.runtime.patience import size
from autopar.site_spec import SiteSpec

_LARGE, _VERY_LARGE = 1000, 100_000
"""A number or an array of that size: the loop may well be long, and be called just once.  The
latter where the next process has its kernels in any case."""
_FEW = 4  # iterations, of which one is too many to be lost
_COSTS = 2.0  # kernels of a usual nest: what it calls is to be written out first
_MOST_UNASKED = 255  # of its calls in a row
_SHORTEST_S = 1e-2  # from which iterations tell how long others take, whatever was asked in them
_FIRST_S = 1e9  # of an iteration, before one has been measured
_SHARE = 8  # of the calls that would come until then, one part is left alone
_RUNS = 3  # through a range, each of which is watched
_APART = 0.1  # times what kernels cost: calls so far apart may each be long
_STEP_S = 3e-5  # of one step on the way to kernels, for each node of the nest
_NODES = 3  # that an operation has, for which kernels are compiled


class Unknown:
    """The questions of one site.

    Attributes
    ----------
    account
        What a first one is weighed against.
    places
        Of the iteration at hand and of the end of the range among its values; None: it has none.
    first, calls
        When it was asked first, in seconds that the program itself has run, and how many calls
        there have been since.
    last, each_s, since
        Iteration and time of the last question of this run through the range, and the least time of
        an iteration in it so far; 0 before the first question, infinite before the second. When
        that was.
    may_s
        Seconds that may be spent on learning what it is.
    learned_s
        What `BUDGET` had when it was asked first.
    inner
        Whether it stands in another loop, and so is called more than once.
    runs
        How often the range has been begun.
    """

    __slots__ = (
        "account", "before", "calls", "each_s", "first", "inner", "last", "learned_s", "may_s",
        "places", "runs", "since", "step_s",
    )  # fmt: skip

    def __init__(
        self,
        spec: SiteSpec,
        now: float,
        account: earlier.Account = earlier.NOBODY,
    ) -> None:
        self.account = account
        roots = spec.roots
        self.places = (roots.index(AT), roots.index(STOP)) if AT in roots else None
        self.before, self.inner = Before(spec), spec.inner
        self.first, self.calls, self.runs = now - BUDGET.ours_s, 0, 0
        self.last = 0, 0.0
        self.each_s = self.since = self.may_s = 0.0
        self.learned_s = BUDGET.learned_s
        self.step_s = _STEP_S
        machine()  # read now: a fork waits for whoever makes this

    def worth(self, values: tuple[object, ...], now: float) -> bool:
        """Whether to ask at a call with `values`."""
        if LATELY.open:
            LATELY.ends(now, self.before)
        self.look(values, now)
        self.before.meets(values, now)
        serves = BACKGROUND.serve(self.before)
        least = _VERY_LARGE if serves else _LARGE
        large = max(map(size, values), default=0) >= least
        once = large and not self.inner and not self.many(values) and not self.before.waits_s
        losing = self.before.losing(earlier.pays)
        if once or (losing and not serves):
            self.may_s = math.inf
        cost_s = self.cost_s()
        asks = self.may_s == math.inf or (self.may_s >= cost_s and not serves)
        # If it is losing, later processes will have something of it.
        if asks and (losing or self.account.affords(cost_s, self.before.compiled)):
            return True
        loss = Loss(self.before, self.ran_s(now), self.cost_s, sure=False)
        LATELY.begins(loss, now, cost_s)
        return False

    def look(self, values: tuple[object, ...], now: float) -> None:
        """Note a call with `values`."""
        waited_s = self.before.owed_s + self.ran_s(now)
        self.may_s = max(self.may_s, waited_s, self.left_s(values, now))

    @property
    def spent_s(self) -> float:
        """Seconds that have been spent on learning since then, on others that may be part of it."""
        return BUDGET.learned_s - self.learned_s

    def ran_s(self, now: float) -> float:
        """Seconds that the program itself has run since the first call."""
        return now - BUDGET.ours_s - self.first

    def left_s(self, values: tuple[object, ...], now: float) -> float:
        """Seconds that the rest of the range is likely to take; 0 where nobody knows."""
        ends = self.range(values)
        if ends is None:
            return 0.0
        at, stop = ends
        now -= BUDGET.ours_s
        (last, since), self.last = self.last, (at, now)
        gone, left = at - last, stop - at
        if not self.each_s or gone * left <= 0:
            self.each_s, self.since = math.inf, now  # it goes through the range anew
            return 0.0
        if self.each_s == math.inf:  # the first one may have had to import, or to be asked within
            self.each_s = _FIRST_S
            return max(now - since - self.cost_s(), 0.0) * left / gone
        self.each_s = min(self.each_s, (now - since) / abs(gone))
        return self.each_s * abs(left) if now - self.since > _SHORTEST_S else 0.0

    def begins(self) -> None:
        """The range is gone through once more."""
        self.runs += 1
        self.each_s = 0.0

    def watches(self) -> bool:
        """Whether to ask in its iterations: the first times, or where calls are far apart."""
        return self.runs < _RUNS or self.last[1] - self.first > self.runs * _APART * self.cost_s()

    def range(self, values: tuple[object, ...]) -> tuple[int, int] | None:
        """The iteration at hand and the end of the range, if it is asked in each iteration."""
        if self.places is None:
            return None
        at, stop = (values[place] for place in self.places)
        return (at, stop) if type(at) is int and type(stop) is int else None

    def many(self, values: tuple[object, ...]) -> bool:
        """Whether it is a range of which the first iterations may be lost, or have been."""
        ends = self.range(values)
        return ends is not None and (abs(ends[1] - ends[0]) >= _FEW or self.each_s < math.inf)

    def pause(self, now: float) -> int:
        """How many more calls to leave alone, of those that come until it may be worth it."""
        missing_s = (max(self.cost_s(), self.spent_s) - self.may_s) / _SHARE
        if missing_s <= 0 or BACKGROUND.serve(self.before):
            missing_s = max(missing_s, PAUSE_S)
        # Of a range that is not watched any more, one iteration is asked, and no other.
        calls = self.runs if self.runs and not self.watches() else self.calls
        count = calls * missing_s / max(self.ran_s(now), 1e-6)
        found = max(int(min(count, _MOST_UNASKED)), 0)
        self.calls += 1 + found
        return found

    def cost_s(self) -> float:
        """Seconds that a question is likely to take, with kernels in the end."""
        known = machine()
        start_s = 0.0 if "autopar.runtime.engine" in sys.modules else known.start_s
        start_s += self.before.waits_s
        if self.before.compiled:
            reading_s = known.read_s + (0.0 if BUDGET.read else known.first_read_s)
            return start_s + max(reading_s, self.before.asks_s)
        first_s = 0.0 if BUDGET.compiled else known.first_compile_s
        return start_s + _COSTS * (known.compile_s + first_s)

    def affords(self, nodes: int) -> bool:
        """Whether to take one more step with a nest of so many nodes, and to have its kernels.

        Each function that is written out may show how much more there is to be done.
        """
        kernels_s = 0.0 if self.before.compiled else machine().compile_op_s / _NODES
        return BACKGROUND.here or self.spent_s + nodes * (self.step_s + kernels_s) <= self.may_s

    def took(self, nodes: int, seconds: float) -> None:
        """Such a step took so long."""
        self.step_s = min(self.step_s, seconds / nodes)  # what is on disk takes less
