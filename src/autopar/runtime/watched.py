"""Loops of which nobody knows how long they take, and which the clock watches.

One over a range is asked when it begins, and in each of its iterations as long as it may turn out
to be long: one that is called again and again tells more by how much time goes by from call to
call.  Of a ``while`` no iteration says how many are to come, and a question in each would take a
third of the shortest ones.  So it says when it is over, and later calls know, or later processes.
"""

from __future__ import annotations

import itertools

from autopar.nest.hidden import AT
from autopar.runtime.before import LATELY
from autopar.runtime.patience import ALWAYS
from autopar.runtime.process import clock
from autopar.runtime.site import Site
from autopar.runtime.stretch import Resting, Stretch
from autopar.site_spec import SiteSpec

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_LONG_S = 1e-2
"""That a call takes which is noted: a pause of the machine's mostly takes less."""


def kind(spec: SiteSpec) -> type[Site]:
    """What asks about such a loop, or run."""
    if spec.watched:
        return Watched
    if spec.ends:
        return Ending
    return Between if AT in spec.roots else Site


class Ending(Site):
    """A question in front of a ``while``, which says when the interpreter is done with it.

    Attributes
    ----------
    open
        Whether the last call that was asked may still go on.
    long
        Whether the last one that said so took long.
    """

    __slots__ = ("long", "open")

    def __init__(self, spec: SiteSpec, parent: Site | None) -> None:
        super().__init__(spec, parent)
        self.open = self.long = False

    def run(self, values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """See `Site.run`."""
        result = super().run(values)
        self.open = result is None and self.active
        return result

    def over(self) -> None:
        """The interpreter is done with the loop."""
        self.open = False
        took_s = clock() - self.began
        long, self.long = self.long, took_s > _LONG_S
        if self.hunch is not None and (long or self.long):
            self.hunch.told(took_s if self.long else 0.0)
            call = LATELY.open[-1] if LATELY.open else None
            if call is not None and call.loss.before.spec is self.spec:
                call.guess_s = took_s


class Between(Site):
    """A question in the iterations of a loop with events in it.

    Attributes
    ----------
    now
        What the last run goes through; with several threads, perhaps that of another one.
    last
        When it was last said how many iterations are left alone, and how many had gone by then.
    """

    __slots__ = ("last", "now")

    def __init__(self, spec: SiteSpec, parent: Site | None) -> None:
        super().__init__(spec, parent)
        self.now, self.watching = Resting(()), False
        self.last = 0.0, 0

    def stretch(self, items: object) -> Stretch:
        """What the loop over `items` is gone through by."""
        self.now = Resting(items)
        return self.now

    def run(self, values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """See `Site.run`."""
        result = super().run(values)
        now = self.now
        if result is None and self.turn is ALWAYS and now.asked:
            now.go_on()
        return result

    def spare(self, until: float = 0.0) -> None:
        """See `Site.spare`: what is left alone are iterations, and then whole loops."""
        now = self.now
        if not now.asked:
            super().spare(until)
            return
        (since, before), self.last = self.last, (self.began, self.patience.met)
        each_s = (self.began - since) / max(self.patience.met - before, 1)
        count = self.patience.gone_by(self.began, each_s)
        if count:
            loops = now.rest(count) // now.length
            self.turn = itertools.repeat(False, loops) if loops else ALWAYS


class Watched(Site):
    """A question at the beginning of a loop, and perhaps in its iterations.

    Attributes
    ----------
    now
        What the last run goes through; with several threads, perhaps that of another one, which is
        then watched no more.
    """

    __slots__ = ("now",)

    def __init__(self, spec: SiteSpec, parent: Site | None) -> None:
        super().__init__(spec, parent)
        self.now, self.watching = Stretch(()), False

    def stretch(self, items: object) -> Stretch:
        """What the loop over `items` is gone through by."""
        made = self.now = Stretch(items)
        if self.watching:
            self.patience.left, self.turn = 0, ALWAYS  # what was left alone are iterations
        if not (made.plain and self.active):
            made.plain = False
        elif self.unknown is not None:
            self.unknown.begins()
        self.watching = self.watches()
        return made

    def run(self, values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """See `Site.run`."""
        result = super().run(values)
        self.watching = self.watches()
        if result is None and not self.watching:
            self.now.plain = False
        return result

    def watches(self) -> bool:
        """Whether to ask in further iterations of a loop that goes on in Python."""
        if self.trial is not None and self.trial.out:
            return False  # which is to tell how long a whole one takes
        return self.unknown is not None and self.unknown.watches()
