"""Sites whose kernels an earlier process has made: they need not wait until compiling pays.

A site that has been worth a compilation mostly is again, and then its kernels are on disk, and to
read them takes less.  One that has lost as much as a compilation takes, in a process that could not
know how long it would go on, is likely to do so again, and need not wait either; what one process
loses is added to what those before it have.  Guesses, by a small file for each such site: what is
wrong about them costs a compilation.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import math
import os
import sys
from collections.abc import Callable, Sequence

from autopar import config
from autopar.digest import digest
from autopar.records import dataclass, replace
from autopar.runtime.earlier import UNKNOWN_S
from autopar.runtime.patience import size
from autopar.runtime.process import clock, users_frame
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from types import FrameType

    from autopar.runtime.vain import Vain

_MOST_SMALL = 256  # sites with losses that are looked at again
PROMISING = 0.5
"""Part of the cost of kernels, lost without them: two processes have lost all of it."""
_FAR_MORE = 10.0  # than a question costs
_DEAR_S = 0.1  # that a question may take without being weighed against each process
_SAME_S, _LONG_SAME_S = 5e-3, 0.1
"""That objects are taken to have the same in them: at first, and where they have had for long."""
_DEEPEST, _MOST_OPEN = 64, 8  # frames that are looked at, and calls within one another
_SLOWEST = 10  # processes that lose kernels' cost between them; less is not worth writing down


_made: dict[str | None, float] = {}
"""By marks of sites whose kernels other processes have made meanwhile, their `Before.asks_s`."""
_took: dict[str | None, float] = {}
"""By marks of sites, seconds that the last call has taken of which nobody knows it beforehand."""
_vain: dict[str | None, Sequence[Vain]] = {}
"""By marks of sites that other processes have meanwhile asked in vain, what they say."""


@functools.cache
def _folder(cache_dir: str) -> str:
    """Where the marks are; looked at once, for nothing that lies there is run."""
    return config.cache_folder("marks")


class Before:
    """What is on disk of one site, or of a kernel that only some of its calls need.

    Parameters
    ----------
    kernel
        What that is called.

    Attributes
    ----------
    waits_s
        Seconds to be lost before a call like the last one is asked about, where that was in vain in
        another process; else 0.
    """

    def __init__(self, spec: SiteSpec, kernel: str = "") -> None:
        self.spec, self.kernel = spec, kernel
        self.waits_s = 0.0
        # Types, size, how long they are taken to be the same, and until when.
        self._met: tuple[object, int, float, float] = None, 0, 0.0, 0.0

    @functools.cached_property
    def mark(self) -> str | None:
        """The file that says so; None where nothing can be kept."""
        try:
            folder = _folder(os.fspath(config.current().cache_dir))
        except (OSError, config.ConfigError):
            return None  # the first who wants to keep a kernel says why
        text = self.spec.nest or self.spec.text.encode("utf-8", "surrogatepass")
        named = f"{self.spec.file}\0{self.kernel}".encode("utf-8", "surrogatepass") + text
        return os.path.join(folder, digest(named).hexdigest()[:32])

    @functools.cached_property
    def _found(self) -> float | None:
        """What the mark says; None: there is none."""
        if self.mark is None:
            return None
        try:
            return _seconds(config.read_whole(self.mark) or b"0")
        except OSError:
            return None
        except ValueError:
            return 0.0

    @property
    def compiled(self) -> bool:
        """Whether kernels were made in an earlier process, or in another one meanwhile."""
        return self._found is not None or self.mark in _made

    @property
    def asks_s(self) -> float:
        """Seconds that the first question takes where kernels are there; 0 where nobody knows.

        Without imports that any question needs.
        """
        return self._found or _made.get(self.mark, 0.0)

    def look(self) -> None:
        """Find out whether another process has made some by now."""
        fresh = self.anew()
        if fresh._found is not None:
            _made[self.mark] = fresh._found
        elif fresh._told:
            _vain[self.mark] = fresh._told

    @property
    def known(self) -> tuple[object, ...]:
        """What other processes have said of it, as far as this one knows."""
        return self._found, self._told

    def anew(self) -> Before:
        """The same, of which nothing is known so far."""
        return Before(self.spec, self.kernel)

    @functools.cached_property
    def _told(self) -> Sequence[Vain]:
        """What earlier processes say of calls that they have asked about in vain."""
        if self.mark is None:
            return ()
        try:
            text = config.read_whole(f"{self.mark}.vain").decode("ascii")
            from autopar.runtime.vain import read  # most programs never come that far

            return read(text)
        except (OSError, ValueError):
            return ()

    def meets(self, values: Sequence[object], now: float) -> None:
        """A call with `values` is looked at: see `waits_s`.

        To look into objects takes longer than all else, so it is done now and then.
        """
        told = _vain.get(self.mark) or self._told
        if not told or self.compiled:
            self.waits_s = 0.0
            return
        kinds, largest = tuple(map(type, values)), max(map(size, values), default=0)
        known, most, same_s, until = self._met
        if kinds == known and largest <= most and now < until:
            return
        from autopar.runtime.vain import waits_s

        before, self.waits_s = self.waits_s, waits_s(told, values)
        same_s = min(2 * same_s, _LONG_SAME_S) if self.waits_s == before else 0.0
        same_s = max(same_s, _SAME_S)
        self._met = kinds, largest, same_s, now + same_s

    def in_vain(self, cost_s: float, values: Sequence[object]) -> None:
        """A question has taken so long, and the loop was declined for what it is."""
        from autopar.runtime.vain import in_vain, text

        if self.mark is not None:
            others = self.anew()._told  # of this process as well
            with contextlib.suppress(OSError):
                told = text(in_vain(cost_s, values), others)
                config.write_whole(f"{self.mark}.vain", told.encode())

    @functools.cached_property
    def promise(self) -> str | None:
        """The file that says that kernels would have been worth it."""
        return None if self.mark is None else f"{self.mark}.promise"

    @functools.cached_property
    def promised(self) -> bool:
        """Whether an earlier process has lost as much without kernels as they cost."""
        return self.promise is not None and os.path.exists(self.promise)

    @functools.cached_property
    def lost_s(self) -> float:
        """Seconds that earlier processes have lost, as long as that is too little for a promise."""
        if self.mark is None:
            return 0.0
        try:
            return _seconds(config.read_whole(f"{self.mark}.lost"))
        except (OSError, ValueError):
            return 0.0

    def took(self, seconds: float) -> None:
        """The interpreter has taken so long for a ``while``; 0: not long."""
        _took[self.mark] = seconds

    @property
    def known_s(self) -> float:
        """Seconds that a ``while`` is likely to take, whatever is guessed; 0 where nobody knows.

        Without a call that is over, those that earlier processes have lost.
        """
        found = _took.get(self.mark)
        return found if found is not None else self.lost_s if self.spec.ends else 0.0

    @property
    def owed_s(self) -> float:
        """The same, unless it costs much each time to have kernels, or to find out about none."""
        return 0.0 if self.asks_s > _DEAR_S or self.waits_s else self.lost_s

    def losing(self, pays: Callable[[], bool]) -> bool:
        """Whether kernels are promised, or will be if questions are paid for by other nests."""
        if self.asks_s > _DEAR_S or self.waits_s:
            return False  # which is lost each time
        return self.promised or (self.lost_s > 0 and pays())

    def weighed(self, pays: Callable[[], bool], cost_s: float) -> bool:
        """Whether more is known of what questions cost and win than that `cost_s` was lost by one.

        Or that far more is lost without any: a loop that each process enters once would wait in all
        of them.
        """
        better = self.asks_s > 0 and cost_s <= UNKNOWN_S
        return better or self.losing(pays) or self.owed_s > _FAR_MORE * cost_s

    def lost(self) -> None:
        """This one has lost as much, with those before it."""
        if self.promise is not None and not self.promised:
            self.promised = True
            with contextlib.suppress(OSError):
                config.write_whole(self.promise, b"")
                if not self.spec.ends:  # of which it tells what a call takes
                    os.unlink(f"{self.mark}.lost")

    def loses(self, seconds: float) -> None:
        """This one has lost so much, which is not enough; nothing: and neither have others."""
        if self.mark is not None and (seconds or self.lost_s):
            total_s = self.lost_s + seconds if seconds else 0.0
            with contextlib.suppress(OSError):
                config.write_whole(f"{self.mark}.lost", f"{total_s:.4f}".encode())

    def note(self, asks_s: float = 0.0) -> None:
        """Kernels have been made in this one; see `asks_s`."""
        if self.mark is not None and (asks_s or not self.compiled):
            with contextlib.suppress(OSError):
                config.write_whole(self.mark, f"{asks_s:.4f}".encode() if asks_s else b"")


def _seconds(text: bytes) -> float:
    """What a file says; raises `ValueError` where that is no time."""
    found = float(text)
    if not 0.0 <= found < math.inf:
        raise ValueError(text)
    return found


@dataclass(frozen=True, slots=True)
class Loss:
    """Seconds that a nest has lost without kernels, and from when on these are promised.

    Attributes
    ----------
    sure
        Whether somebody has looked at the nest, and not only at the sizes of what it is handed.
    """

    before: Before
    lost_s: float
    least_s: Callable[[], float]
    sure: bool = True

    def promised(self) -> bool:
        """Leave the promise if that is due; whether it is."""
        due = self.sure and self.before.lost_s + self.lost_s > self.least_s()
        if due:
            self.before.lost()
        return due

    def leave(self) -> None:
        """The same at the end of the process; the next ones add to what is not enough yet."""
        least_s = max(self.least_s() / _SLOWEST, MACHINE.read_s)  # else to read them pays no more
        if self.promised():
            return
        if self.lost_s > least_s:
            self.before.loses(self.lost_s)
        elif self.sure:
            self.before.loses(0.0)


class Call:
    """A call that is left to the interpreter and may still go on.

    Attributes
    ----------
    loss
        Of the calls before.
    since, guess_s
        When it began, and seconds that it is likely to take.
    place
        The `id` of the frame that it is in, and its code: nobody's objects live longer for it.
    ask
        Asks about it as a copy does, while it goes on; None: nobody can.
    """

    __slots__ = ("ask", "guess_s", "loss", "place", "since")

    def __init__(self, loss: Loss, since: float, guess_s: float) -> None:
        self.loss, self.since, self.guess_s = loss, since, guess_s
        frame = users_frame(loss.before.spec.file)
        self.place = id(frame), None if frame is None else frame.f_code
        self.ask: Callable[[Call], Sequence[object] | None] | None = None

    def frame(self) -> FrameType | None:
        """The frame that it is in, if it goes on there.

        The loop at hand is not the one that is asked about just now, which begins anew.
        """
        number, code = self.place
        found: FrameType | None = sys._getframe(1)
        for _ in range(_DEEPEST):
            if found is None:
                return None
            if id(found) == number and found.f_code is code:
                spec = self.loss.before.spec
                return found if spec.line < found.f_lineno <= spec.last else None
            found = found.f_back
        return None

    def ran_s(self, now: float) -> float:
        """How long it can have taken at the most, if it is over by now."""
        return min(now - self.since, self.guess_s)


class Lately:
    """The nest that waits for kernels and was the last to be left to the interpreter.

    How long that call takes is not known before the next question of any nest that does not stand
    in it, or the end of the process.  A nest that each process runs once would never get kernels
    otherwise.

    Attributes
    ----------
    open
        Calls that may still go on, each in the one before it.
    small
        By site, losses that were too small; what kernels cost is better known in the end.
    """

    __slots__ = ("open", "small")

    def __init__(self) -> None:
        self.open: list[Call] = []
        self.small: dict[Before, Loss] = {}

    def begins(self, loss: Loss, now: float, guess_s: float) -> None:
        """A call is left to the interpreter."""
        self.open.append(Call(loss, now, guess_s))

    def ends(self, now: float, asked: Before | None = None) -> None:
        """What does not go on around the question at hand, by the site `asked`, is over."""
        before, self.open = self.open, []
        for call in before:
            goes_on = call.loss.before is not asked and len(self.open) < _MOST_OPEN
            if goes_on and call.frame() is not None:
                self.open.append(call)
            else:
                self.over(call, now)

    def over(self, call: Call, now: float) -> None:
        """It has not taken longer than it is ago that it began."""
        loss = call.loss
        loss = replace(loss, lost_s=loss.lost_s + call.ran_s(now))
        if not loss.promised() and len(self.small) < _MOST_SMALL:
            self.small[loss.before] = loss

    def leave(self) -> None:
        """What remains to be done when the process ends."""
        now = clock()
        while self.open:
            self.over(self.open.pop(), now)
        for loss in self.small.values():
            loss.leave()


LATELY = Lately()
"""That of this process; races between threads only make a guess of it."""

atexit.register(LATELY.leave)
