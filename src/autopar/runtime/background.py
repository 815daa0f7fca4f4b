"""Copies of the process that make kernels while the program goes on without them.

To learn what a loop is, and to compile it, takes a few tenths of a second, which is more than many
a program runs.  Nobody knows beforehand whether one does.  So a program that has lost some of that
in a loop is copied: the copy asks as the program would, with the values that are at hand, and what
comes of it is on disk.  The program goes on with the interpreter, and asks by itself when that
takes no more than to read; or it has ended by then, and the next one finds the kernels.

More of them are made than there are processors to spare, since a nest may be entered only once:
these wait until others have ended.

A copy runs nothing of the user's, and is to be noticed by nobody: `runtime.copied`.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from threading import active_count, current_thread, main_thread  # users' tests replace them
from time import process_time

from autopar import config
from autopar.records import dataclass
from autopar.runtime.aside import foreign
from autopar.runtime.before import LATELY, Before, Call
from autopar.runtime.budget import BUDGET
from autopar.runtime.process import clock

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from autopar.runtime.copied import Copy

PAUSE_S = 1e-2
"""Seconds between two questions, while a copy is at work."""
WELL_WORTH = 2.0
"""Times what kernels cost, that a call is likely to take, for nobody to wait for a copy."""
_SHARE = 0.2  # of what would promise kernels to the next process, lost, for a copy to be sent
_LIKELY = 2.0  # times that, what the call at hand may take, where somebody has looked at the nest
_STARVED_S = 1.0  # that processes have lost without one that was sent: none ever comes
_PATIENCE_S = 6.0  # after which nobody expects anything of a copy
_TRIES = 8  # in a row, while other threads are at work
_WRITES = 8  # tries of a copy to give way, while others do
_LOOK_S = 1e-3  # between two looks whether one has ended
_MOST, _MOST_SENT = 4, 64  # at a time, and in all: what has ended remains in the system's table
_WAITING = 3  # copies behind these, which wait until others have ended


@dataclass(frozen=True, slots=True)
class _Out:
    """A copy that is at work for a site, until `end` at the most."""

    before: Before
    copy: Copy
    end: float


class Background:
    """The copies of this process.

    Attributes
    ----------
    here
        Whether this is one of them.
    barred
        Whether there can be none.
    busy
        How often in a row other threads were at work when one was to be sent.
    """

    __slots__ = ("barred", "busy", "here", "looked", "most", "out", "sent")

    def __init__(self) -> None:
        self.here = False
        self.barred = sys.platform != "linux"
        self.most = min(max((os.cpu_count() or 1) - 1, 1), _MOST)
        self.out: list[_Out] = []
        self.looked, self.busy = 0.0, 0
        self.sent: set[str] = set()  # marks

    def serve(self, before: Before) -> bool:
        """Whether copies make the kernels of a site, so that nobody needs to wait for them."""
        if self.barred:
            return False
        if self.out:
            self.look()
        mark = before.mark
        if mark in self.sent:
            return any(one.before.mark == mark for one in self.out)
        if mark is None or before.compiled or before.waits_s or before.lost_s > _STARVED_S:
            return False
        settings = config.current()
        if not settings.background or settings.verify or settings.check:
            return False
        if settings.fail_on_fallback or settings.target is not None:
            return False
        return active_count() == 1 and current_thread() is main_thread()

    def look(self) -> None:
        """Whether some have ended."""
        now = clock()
        if now < self.looked + _LOOK_S:
            return
        self.looked = now
        for one in list(self.out):
            if now >= one.end or one.copy.ended:
                self.out.remove(one)
                one.before.look()

    def consider(self, began: float, ask: Callable[[], Sequence[object] | None]) -> None:
        """Send one, if the call that is left to the interpreter is one too many.

        Parameters
        ----------
        began
            When the question began that has led to this.
        ask
            Asks for kernels, as the program would if it did not leave the call to the interpreter:
            its values, if a call with such is declined for good.
        """
        call = LATELY.open[-1] if LATELY.open else None
        if call is None or call.since < began or not self.serve(call.loss.before):
            return
        loss = call.loss
        least_s = loss.least_s()
        lost = loss.before.lost_s + loss.lost_s > _SHARE * least_s
        likely = loss.sure and call.guess_s > _LIKELY * least_s
        if loss.before.promised or lost or likely:
            self.sends(loss.before, ask)

    def consider_again(
        self, call: Call, now: float, ask: Callable[[], Sequence[object] | None]
    ) -> None:
        """The same for a call that still goes on, around the question at hand.

        Not while others are at work: it may be asked about once more.
        """
        loss = call.loss
        lost_s = loss.before.lost_s + loss.lost_s + call.ran_s(now)
        lost = lost_s > _SHARE * loss.least_s()
        if lost and self.serve(loss.before) and not self.out:
            self.sends(loss.before, ask)

    def sends(self, before: Before, ask: Callable[[], Sequence[object] | None]) -> None:
        """Send one for a site, unless that has been done, or enough of them are at work."""
        if before.mark in self.sent or len(self.out) >= self.most + _WAITING:
            return
        try:
            self.send(before, ask)
        except OSError as error:  # such as where the program has opened as many files as it may
            if foreign(error):
                raise
            self.barred = True

    def send(self, before: Before, ask: Callable[[], Sequence[object] | None]) -> None:
        """Send a copy that asks for kernels, unless there can be none, or others are at work.

        Raises
        ------
        OSError
            No file can be opened to find that out.
        """
        # Imported here: many programs never come that far.
        from autopar.runtime.copied import Copy, idle, possible

        self.barred = not possible()
        if self.barred:
            return
        assert before.mark is not None
        with _ours_resting():
            free = idle()
            self.busy = 0 if free else self.busy + 1
            if free or self.busy == _TRIES:  # where others are always at work, nobody is to wait
                self.sent.add(before.mark)
            if not free:
                return
            ahead = [one.copy for one in self.out]
            copy = Copy(functools.partial(self.work, before, ask, ahead))
        self.barred = not copy.made or len(self.sent) >= _MOST_SENT
        if copy.made:
            self.out.append(_Out(before, copy, clock() + (1 + len(ahead)) * _PATIENCE_S))

    def work(
        self, before: Before, ask: Callable[[], Sequence[object] | None], ahead: Sequence[Copy]
    ) -> None:
        """What a copy is there for, once there is a processor for it that those `ahead` leave.

        To ask takes its time even where all is on disk, and the more, the more there is to be known
        of a nest.  So a child of the copy asks first, and then the copy asks to see what it takes.
        Programs that run one after the other, or side by side, send copies for the same loops: who
        comes second finds that out once the first is done.
        """
        from autopar.runtime.copied import by_itself, first_of, give_way, in_a_child

        give_way(_WRITES)
        assert before.mark is not None
        known = before.known
        if not first_of(ahead, self.most):
            return
        if by_itself(before.mark) and before.anew().known != known:
            return
        self.here = self.barred = True
        config.found_only()
        if in_a_child(functools.partial(_loads, before, ask)):
            import_module("autopar.runtime.engine")
            began = process_time()
            ask()
            before.note(process_time() - began)


def _ours_resting() -> AbstractContextManager[None]:
    """While our own threads may not run, if there are any: they look for work between two loops."""
    pool = sys.modules.get("autopar.runtime.run.pool")
    return nullcontext() if pool is None else pool.all_resting()


def _loads(before: Before, ask: Callable[[], Sequence[object] | None]) -> bool:
    """Whether there are kernels in the end, of the loop or of what stands for it."""
    BUDGET.read = False
    began = process_time()
    values = ask()
    if values is not None and not BUDGET.read:
        before.in_vain(process_time() - began, values)  # or each process finds that out by itself
    return BUDGET.read


BACKGROUND = Background()
"""Those of this process."""
