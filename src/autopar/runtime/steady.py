"""Calls that are like the last ones, in one function: what a program that runs long mostly makes.

A call that has to be recognised, chosen for and accounted for goes through some ninety functions.
They take ten microseconds when one call follows the other.  But where the program does something
else in between, and the processor's caches hold that, they take as long as many a kernel.  So what
all these would find again is checked here at once, in the order in which it is likely to differ.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from autopar import config
from autopar.cpu.likeness import table
from autopar.runtime.earlier import LEAST_S, used_s
from autopar.runtime.patience import ALWAYS
from autopar.runtime.process import clock, traced
from autopar.runtime.run import alarms, pool
from autopar.runtime.run.repeat import Repeat, picker
from autopar.runtime.values.again import FLOATS, Glance, Seen, about, owning

if TYPE_CHECKING:
    from autopar.runtime.choice.variants import Choice, Known
    from autopar.runtime.recalled import Found
    from autopar.runtime.running import Runner
    from autopar.runtime.site import Site

Passed = tuple[Glance, Seen]
"""What looked at a call, and what it saw; a nest in which others are written out has several."""


_MOST_MISSED = 64  # a few microseconds each
_RESTED_S = 1e-3  # after which threads may sleep


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
        "filters", "forgotten", "kinds", "likeness", "missed", "numbers", "objects", "pick",
        "pick_arrays", "pick_live", "pick_numbers", "read", "repeat", "runner", "setting",
        "settings", "site", "state", "table", "views",
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
        self.pick_live = picker([*last.places_of_arrays, *last.places_of_numbers])

    def alike(self, roots: tuple[Any, ...]) -> bool:
        """Whether `roots` are like those before, also where they have other objects for dtypes."""
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
        likeness = self.likeness
        if (likeness is None or not likeness(self.address, roots)) and not self.alike(roots):
            return None
        for place, view, strides, base in self.views:
            array = roots[place]
            if array.strides != strides or id(array.base) != base or view() is not array:
                return None
        for _, module, name, value in self.attributes:
            if vars(module).get(name) is not value:
                return None
        for function, code, space in self.codes:
            if function.__code__ is not code or function.__globals__ is not space:
                return None
        site, choice, variant = self.site, self.choice, self.choice.variant
        account, trial = site.account, site.trial
        if account is None or site.patience.left > 0:
            return None
        if trial is not None and trial.out:
            return None
        if self.state.forgotten != self.forgotten or variant.instead is not None:
            return None
        if variant.refusal is not None or config.current() is not self.settings:
            return None
        if alarms.setting() is not self.setting or warnings.filters != self.filters or traced():
            return None
        live = self.pick_live(roots)
        if self.read is not None:
            read = self.read(live)
            if read is None:
                return None
            live = read
        contest = choice.contest
        looked_at = not account.left
        used = used_s() if looked_at else 0.0
        site.began, before = began, clock()
        try:
            threads = choice.threads if contest is None else contest.now
            launch = self.repeat.run(live, threads)
        except MemoryError:
            return None
        if launch is None:
            return None
        self.missed, self.ended = 0, clock()
        seconds = self.ended - before
        if launch.rang:
            alarms.ring(launch.alarms(), site.spec.file, self.errors)
        results = launch.results()
        launch.release()
        self.runner.done(self.state, choice, variant, seconds)
        if looked_at:
            account.note(roots, used_s() - used, site.saved_s)
        else:
            account.left -= 1
            if seconds > LEAST_S:
                account.note(roots, seconds, site.saved_s)
        site.taken(roots)
        site.turn = ALWAYS
        return results


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
