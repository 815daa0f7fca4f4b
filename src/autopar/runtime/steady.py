"""Calls that are like the last ones, in one function: what a program that runs long mostly makes.

A call that has to be recognised, chosen for and accounted for goes through some ninety functions.
They take ten microseconds when one call follows the other.  But where the program does something
else in between, and the processor's caches hold that, they take as long as many a kernel.  So what
all these would find again is checked here at once, in the order in which it is likely to differ.
"""

from __future__ import annotations

import math
import warnings
import weakref
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from autopar import config, journal, pipeline
from autopar.cpu.likeness import table
from autopar.runtime.aside import aside, ours, unnoticed
from autopar.runtime.budget import BUDGET
from autopar.runtime.earlier import LEAST_S, used_s
from autopar.runtime.headroom import LEVELS, room
from autopar.runtime.patience import ALWAYS
from autopar.runtime.process import clock, deciding, traced
from autopar.runtime.run import alarms, pool
from autopar.runtime.run.repeat import Repeat, picker
from autopar.runtime.run.replay import NotReplayed, Replay
from autopar.runtime.trial import DOUBT
from autopar.runtime.values.again import FLOATS, Glance, Seen, about, owning

if TYPE_CHECKING:
    from autopar.kernel import Alarm
    from autopar.runtime.choice.variants import Choice, Known
    from autopar.runtime.recalled import Found
    from autopar.runtime.running import Runner
    from autopar.runtime.site import Site

Passed = tuple[Glance, Seen]
"""What looked at a call, and what it saw; a nest in which others are written out has several."""


_MOST_MISSED = 64  # a few microseconds each
_RESTED_S = 1e-3  # after which threads may sleep
_FIRST, _LATER = 8, 64  # calls that are taken step by step before machine code takes them
_TURNS = 15  # calls of which only what differs is noted, before everything is for one
_PAYS_S, _PAYS = 0.1, 5000  # of kernels, and calls: to load that pays, which nothing else needs


class Odd(Exception):
    """There is something about the calls that cannot be checked at once."""


def certain(choice: Choice) -> bool:
    """Whether kernels are not likely to lose: no call has to be compared with a guess."""
    return not choice.watched


class Steady:
    """The steady calls of one site.

    Parameters
    ----------
    passed
        All that has been looked at until the kernels were known.
    found
        These, and what index arrays held then.
    roots
        What a steady call hands over.
    errors
        What NumPy does of floating-point errors.

    Raises
    ------
    Odd
        Where more would have to be looked at.
    """

    __slots__ = (
        "abouts", "address", "attributes", "bases", "choice", "codes", "ended", "errors",
        "filters", "forgotten", "kinds", "likeness", "live", "mark", "missed", "numbers",
        "objects", "pick", "pick_arrays", "pick_live", "pick_numbers", "read", "repeat",
        "replays", "runner", "saved_s", "setting", "settings", "site", "state", "sure_s",
        "table", "turns", "unset", "until", "usual_s", "views",
    )  # fmt: skip

    def __init__(
        self,
        site: Site,
        passed: Sequence[Passed],
        roots: tuple[Any, ...],
        state: Known,
        found: Found,
        repeat: Repeat,
        runner: Runner,
        errors: dict[str, str],
    ) -> None:
        self.site, self.state, self.choice, self.repeat = site, state, found.choice, repeat
        self.read = found.read if found.looked else None
        self.runner, self.errors = runner, errors
        self.settings, self.forgotten = config.current(), state.forgotten
        self.setting, self.filters = alarms.setting(), list(warnings.filters)
        arrays: dict[int, Any] = {}  # by their places in `roots`
        numbers: dict[int, Any] = {}
        self.objects: list[tuple[int, object]] = []
        self.attributes: list[tuple[int, ModuleType, str, object]] = []
        self.codes: list[tuple[Any, object, object]] = []
        for glance, seen in passed:
            arrays.update(zip(glance.places_of_arrays, seen[1], strict=True))
            numbers.update(zip(glance.places_of_numbers, seen[2], strict=True))
            self.look(glance, seen[3], roots)
        if not arrays or min((*arrays, *numbers)) < 0:
            raise Odd
        self.pick = picker([*arrays, *numbers])
        self.kinds = list(map(type, self.pick(roots)))
        self.pick_arrays = picker([*arrays])
        self.abouts = list(map(about, self.pick_arrays(roots)))
        self.views = list(_views([*arrays], self.pick_arrays(roots)))
        self.bases = frozenset(base for _, _, _, base in self.views)
        self.missed, self.ended = 0, clock()
        fixed = [k for k, one in numbers.items() if type(one) not in FLOATS]
        self.pick_numbers = picker(fixed)
        self.numbers = self.pick_numbers(roots)
        kept = [(place, place in fixed) for place in numbers]
        self.table = table(roots, [*arrays], kept, self.objects, [*self.bases])
        self.address: int = self.table.ctypes.data
        self.likeness = pool.likeness()
        last = passed[-1][0]
        self.live = [*last.places_of_arrays, *last.places_of_numbers]
        self.pick_live = picker(self.live)
        self.replays: dict[int, Replay | None] = {}  # by threads; None: there can be none
        self.unset: tuple[Any, ...] = ()  # what calls leave that machine code takes
        self.lighten()
        self.until = _FIRST  # calls until there is to be one

    def alike(self, roots: tuple[Any, ...]) -> bool:
        """Whether `roots` are like those before, also where they have other objects for dtypes."""
        likeness = self.likeness
        if likeness is not None and likeness(self.address, roots):
            return True
        if list(map(type, self.pick(roots))) != self.kinds:
            return False
        arrays = self.pick_arrays(roots)
        if list(map(about, arrays)) != self.abouts or self.pick_numbers(roots) != self.numbers:
            return False
        known = set(map(id, arrays))
        if len(known) != len(self.abouts) or not self.bases.isdisjoint(known):
            return False
        return all(roots[place] is value for place, value in self.objects)

    def stir(self) -> None:
        """Have threads wake up that have fallen asleep since the last call.

        They take as long as it takes to look at one when nothing of all this is in a cache.
        """
        contest = self.choice.contest
        threads = self.choice.threads if contest is None else contest.now
        if threads > 1 and not self.repeat.loaded.multiplying:
            pool.stir(threads)

    def gone(self) -> bool:
        """Whether so many in a row were others that no more are compared; for each of these."""
        self.missed += 1
        return self.missed > _MOST_MISSED

    def look(self, glance: Glance, seen: Sequence[object], roots: tuple[Any, ...]) -> None:
        """Note what is called, of which `seen` was noted."""
        functions = iter(seen)
        for path, place, _ in glance.calls:
            function = next(functions)
            root, _, attribute = path.partition(".")
            if place >= 0:
                found = roots[place]
            else:
                place = glance.roots.index(root)
                module = roots[place]
                if type(module) is not ModuleType or "." in attribute:
                    raise Odd
                found = vars(module).get(attribute)
                self.attributes.append((place, module, attribute, found))
            if found is not function:
                # That of a function is its code, and then its globals.
                if type(found) is not FunctionType or found.__code__ is not function:
                    raise Odd
                self.codes.append((found, function, next(functions)))
            self.objects.append((place, roots[place]))

    def result(self, roots: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """What `Site.run` returns for `roots`; None, with all as before, for another call."""
        began = clock()
        if began - self.ended > _RESTED_S:
            self.ended = began
            try:
                self.stir()
            except MemoryError:  # the long way round says so
                return None
        site, runner, account = self.site, self.runner, self.site.account
        if account is None or not self.unchanged(roots):
            return None
        contest, trial = self.choice.contest, site.trial
        threads = self.choice.threads if contest is None else contest.now
        replay = self.replays.get(threads)
        light = replay is not None and account.left != 0 and runner.noted is self.mark
        if self.turns <= 0 or (trial is not None and trial.ran):
            light = False
        if not light and not room(LEVELS):
            return None
        used = 0.0 if account.left else used_s()
        site.began, before = began, clock()
        warned: Sequence[Alarm] | None = None
        try:
            if replay is not None:  # it looks at `roots` by itself
                warned = replay.run(roots)
            if warned is not None:
                results = self.unset
            elif light and not room(LEVELS):
                return None
            else:
                found = self.repeated(roots, threads)
                if found is None:
                    return None
                results, warned = found
        except MemoryError:
            return None
        self.missed, self.ended = 0, clock()
        seconds = self.ended - before
        if warned:
            alarms.ring(warned, site.spec.file, self.errors)
        site.turn = ALWAYS
        if light and seconds <= self.usual_s and self.ended - began <= self.sure_s:
            if contest is not None:
                contest.took(seconds)
            record = runner.record
            record.runs += 1
            record.run_s += seconds
            record.refusal = runner.remark
            BUDGET.won_s += self.saved_s - seconds
            account.left -= 1
            self.turns -= 1
            if seconds > LEAST_S:
                account.note(roots, seconds, self.saved_s)
            return results
        self.noted(roots, threads, seconds, used)
        return results

    def noted(self, roots: tuple[Any, ...], threads: int, seconds: float, used: float) -> None:
        """Note all that there is to a call whose kernels took so many seconds.

        Parameters
        ----------
        used
            What the process had used before, in seconds of the processor, if that is looked at.
        """
        site, account = self.site, self.site.account
        assert account is not None
        self.runner.done(self.state, self.choice, self.choice.variant, seconds)
        if not account.left:
            account.note(roots, used_s() - used, site.saved_s)
        else:
            account.left -= 1
            if seconds > LEAST_S:
                account.note(roots, seconds, site.saved_s)
        site.taken(roots)
        self.lighten()
        if threads not in self.replays:
            try:
                self.prepare(roots, threads)
            except Exception as error:  # this call has its results, and the next ones do without
                if not ours(error):
                    raise
                self.replays[threads] = None
                journal.trace(error)

    def unchanged(self, roots: tuple[Any, ...]) -> bool:
        """Whether all but `roots` is as before, and those of them that are views."""
        for place, view, strides, base in self.views:
            array = view()
            if array is None or array is not roots[place]:
                return False
            if array.strides != strides or id(array.base) != base:
                return False
        for _, module, name, value in self.attributes:
            if vars(module).get(name) is not value:
                return False
        for function, code, space in self.codes:
            if function.__code__ is not code or function.__globals__ is not space:
                return False
        site, variant, trial = self.site, self.choice.variant, self.site.trial
        if site.patience.left > 0 or (trial is not None and trial.out):
            return False
        if self.state.forgotten != self.forgotten or variant.instead is not None:
            return False
        if variant.refusal is not None or config.current() is not self.settings:
            return False
        return (
            alarms.setting() is self.setting and warnings.filters == self.filters and not traced()
        )

    def lighten(self) -> None:
        """Know what is to be noted of calls that are like the last one in that as well."""
        choice, runner, site = self.choice, self.runner, self.site
        self.turns = _TURNS
        self.mark = runner.noted if choice.alone is None else None
        self.saved_s = site.saved_s
        self.usual_s = choice.doubt_s if choice.contest is None else math.inf
        self.sure_s = choice.interpreted_s / DOUBT if choice.brief else math.inf

    def repeated(
        self, roots: tuple[Any, ...], threads: int
    ) -> tuple[tuple[Any, ...], Sequence[Alarm]] | None:
        """What a run leaves, and warns of; None, with all as before, where it takes another.

        Raises
        ------
        MemoryError
            When there is no room for it; nothing has run then.
        """
        if not self.alike(roots):
            return None
        live = self.pick_live(roots)
        if self.read is not None:
            read = self.read(live)
            if read is None:
                return None
            live = read
        launch = self.repeat.run(live, threads)
        if launch is None:
            return None
        warned = launch.alarms() if launch.rang else ()
        results = launch.results()
        launch.release()
        return results, warned

    def prepare(self, roots: tuple[Any, ...], threads: int) -> None:
        """Have calls like this one run in machine code from a later one on, where they can."""
        self.until -= 1
        if self.until:
            return
        self.until = _FIRST  # where there is to be another try
        if pool.function() is None:
            record = self.runner.record
            if record.run_s < _PAYS_S and record.runs < _PAYS:
                self.until = _LATER
                return
            aside(_load)
            self.likeness = pool.likeness()
        spare = self.repeat.loaded.spare
        if threads not in self.repeat.steps or not spare:
            return
        found, launch = None, spare.pop()
        try:
            if self.read is None and launch.serves(threads):
                found = Replay(self.repeat, launch, self.live, self.table, roots)
                self.unset = launch.unset
        except (NotReplayed, MemoryError):
            pass
        if found is None:
            spare.append(launch)
        self.replays[threads] = found


def _load() -> None:
    """Have machine code for what one thread does without others."""
    with deciding, unnoticed():
        pool.ready(1, pipeline.teams())


def _views(
    places: Sequence[int], arrays: Sequence[Any]
) -> Iterator[tuple[int, weakref.ref[Any], tuple[int, ...], int]]:
    """Those of `arrays` whose memory is that of another one: place, strides and the other's id.

    As long as these are the same, so is what they share with each other.  Nothing is kept alive.

    Raises
    ------
    Odd
        Where the other one is handed over as well, or is no array, which may share its memory too.
    """
    for place, array in zip(places, arrays, strict=True):
        if owning((array,)):
            continue
        base = array.base
        if type(base) is not np.ndarray or not base.flags.owndata or any(a is base for a in arrays):
            raise Odd
        yield place, weakref.ref(array), array.strides, id(base)
