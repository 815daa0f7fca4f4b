"""On how many threads a nest is fastest: tried out, where it is over too soon to be guessed.

What threads cost is the time until they have woken up, which depends on the machine and on who else
uses it; what they win is little where the nest waits for memory.  So calls of about the same size
are run on one number of threads and on half as many, or twice as many, in turn; whichever takes
clearly less time has the next calls, until it is tried again.

A nest that is one launch after the other on several threads may be one kernel on one thread, which
does more with what it has just read.  That is tried out where one thread is nearly as fast.
"""

from __future__ import annotations

_TRIES = 6  # of each
_COUNTED = 3  # the shortest of them: what takes longer was interrupted
_FIRST, _SOON, _LONGEST = 8, 2, 8192  # calls between two trials
_GROWTH = 4  # of them, while the winner stays the same
_CLEARLY = 0.9  # of the time
_FEW, _FAR = 2, 1.5  # of each are enough where one takes so many times longer
_NEAR = 1.5  # times as long on one thread, with all launches, for which one kernel may be faster
_OTHERS, _ALONE = 8, 4  # calls on several threads, and as one kernel, that are compared
_ENOUGH = 2  # of each, where the rival is not even as fast: each more would be a slow call


class Contest:
    """The trials of calls of about one size.

    Attributes
    ----------
    now
        On how many threads the next call runs.
    best, rival
        Who has won the last trial, and who is tried against it.
    most
        How many there are.
    near
        Whether one thread was nearly as fast as several in the last trial.
    """

    __slots__ = ("best", "left", "most", "near", "now", "rest", "rival", "times", "up")

    def __init__(self, threads: int, most: int) -> None:
        self.now = self.best = self.rival = threads
        self.most, self.near = most, False
        self.left, self.rest = _SOON, _FIRST
        self.up = threads == 1
        self.times: tuple[list[float], list[float]] = [], []

    def took(self, seconds: float) -> None:
        """A call on `now` threads took so long."""
        if self.left:
            self.left -= 1
            if not self.left:
                self.rival = self._next()
                self.times = [], []
            return
        of_best, of_rival = self.times
        (of_best if self.now == self.best else of_rival).append(seconds)
        settled = _far_apart(of_best, of_rival) or _behind(of_rival, of_best)
        if len(of_rival) < _TRIES and not settled:
            self.now = self.rival if len(of_rival) < len(of_best) else self.best
            return
        one = of_best if self.best == 1 else of_rival if self.rival == 1 else None
        self.near = one is not None and min(one) < _NEAR * min(*of_best, *of_rival)
        tries = min(len(of_best), len(of_rival))
        self._decide(_shortest(of_best[:tries]), _shortest(of_rival[:tries]))

    def _next(self) -> int:
        """Twice as many threads as the best number so far, or half as many."""
        if self.up and self.best < self.most:
            return min(2 * self.best, self.most)
        return max(self.best // 2, 1) if self.best > 1 else min(2, self.most)

    def _decide(self, best_s: float, rival_s: float) -> None:
        if rival_s < _CLEARLY * best_s:
            self.up = self.rival > self.best
            self.best, self.rest = self.rival, _FIRST
            self.left = _SOON if 1 < self.best < self.most else self.rest
        else:
            self.up = not self.up
            self.left, self.rest = self.rest, min(_GROWTH * self.rest, _LONGEST)
        self.now = self.best


class Alone:
    """Whether calls of about one size are fastest as one kernel on one thread.

    Attributes
    ----------
    wanted
        Whether they are to be run so: it is being tried out, or has won.
    """

    __slots__ = ("others", "own", "wanted")

    def __init__(self) -> None:
        self.wanted = False
        self.others: list[float] = []
        self.own: list[float] = []

    def begins(self, seconds: float) -> bool:
        """Whether a trial begins; a call like many others on several threads took `seconds`."""
        if len(self.others) < _OTHERS:
            self.others.append(seconds)
            self.wanted = len(self.others) == _OTHERS
            return self.wanted
        return False

    def loses(self, seconds: float) -> bool:
        """Whether the trial ends here and several threads are as fast; a call took `seconds`."""
        if len(self.own) == _ALONE:
            return False
        self.own.append(seconds)
        if len(self.own) == _ALONE:
            self.wanted = min(self.own) < _CLEARLY * min(self.others)
        return not self.wanted


def _far_apart(one: list[float], other: list[float]) -> bool:
    """Whether there is no doubt which takes longer."""
    if min(len(one), len(other)) < _FEW:
        return False
    return not 1 / _FAR < min(one) / min(other) < _FAR


def _behind(rival: list[float], best: list[float]) -> bool:
    """Whether a rival that would have to be clearly ahead is not ahead at all."""
    return min(len(rival), len(best)) >= _ENOUGH and min(rival) >= min(best)


def _shortest(times: list[float]) -> float:
    return sum(sorted(times)[:_COUNTED])
