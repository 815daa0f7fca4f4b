"""How often a site that keeps declining is still asked.

A question costs some microseconds.  A loop of three iterations in a hot function must not pay them
each time, and neither must a loop over lists.  Skipping questions can only cost time, never change
an answer.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence

from autopar.runtime.process import clock

_FIRST = 8  # tiny calls in a row before the first one is skipped
_LONGEST = 256  # skipped in a row at the most
_LONGEST_LOST = 4096  # after calls that have cost time
_BRIEF_S = 2e-5  # from one call to the next, what they take included
_QUESTION_S = 2e-5  # a lost call counts for as many tiny ones as it has cost questions
_DEARLY_S = 5e-4  # at the most, where nothing is lost but the question
_GROWTH = 4  # a live-in so many times larger than any seen so far ends the skipping
_STUBBORN = 64  # declines in a row, for reasons of type or construct, that end all questions
_BLIND = 7  # calls in a row that are not even looked at, and of all so far
_BLINDLY = 4  # one in so many: the next one may be far larger
_LONG_BLIND = 255  # the same once so many calls have been tiny:
VERY_LONG = 1024
_BLIND_S = 4e-3  # for which nobody looks: as many calls as fit into it, or those if they are more
_LOOK_S, _LOOKS, _FREE_S = 4e-5, 0.01, 1e-3
"""What a look takes, with all that has to come from memory again; the part of the program's time
beyond which all looks, of all sites, are further apart; and what they may take in any case."""
_LONGEST_BLIND = 8.0  # times as far
_MOST_BLIND, _LONG_MOST_BLIND = 255, 8160  # and no more calls
_MOST_ALIKE = 1 << 14  # iterations of one loop
_FIRM_S, _MOST_FIRM = 0.05, 255 << 12  # where only time can make a difference
_UNDONE_S, _UNDONE_SHARE = 2e-3, 0.04  # what runs must take that are undone, and may of the time
_SHARE = 0.005  # of the time that questions may take where so many calls have been tiny
_MOST = 1 << 62  # nobody tells larger ones apart, nor can all of them be written out
_VAINLY = 25.0  # times as long as was lost, for which nothing more is
_FEW, _DEAR_S = 4, 2e-4  # declines in a row from which on it matters that one takes so long
_DEAREST_S = 2e-3  # beyond which a question has imported or analysed something, once and for all


def size(value: object) -> int:
    """A number that grows with the work that `value` may mean; 0 when nothing is known."""
    if type(value) is int:
        return min(abs(value), _MOST)
    if type(value) is list or type(value) is tuple:
        return len(value) * (len(value[0]) if value and type(value[0]) is list else 1)
    found = getattr(value, "size", 0) if type(value).__module__ == "numpy" else 0
    return found if type(found) is int else 0


Turn = Iterator[bool]
"""False for each of the next calls, which are not to be looked at; whoever finds none looks."""
ALWAYS: Turn = itertools.repeat(False, 0)
"""Every call is looked at."""


def _until(due: float, count: int, most: int) -> tuple[Turn, Iterator[int]]:
    """For `most` calls, but up to a time, which is looked at after each `count` of them.

    With that, how often it was looked at.

    All of it is C's: to take an item calls nothing that a profiler would hear of.
    """
    # A time for each look, always the same: that leaves in `looks` how many there were.
    looks = itertools.count()
    same = map(operator.mul, looks, itertools.repeat(0))
    dues = map(operator.add, same, itertools.repeat(due))
    early = itertools.takewhile(operator.not_, map(operator.ge, iter(clock, None), dues))
    some = map(itertools.repeat, early, itertools.repeat(count, most // count))
    return itertools.chain.from_iterable(some), looks


class Pace:
    """How far apart looks are: the more sites there are that go on with tiny calls, the further.

    Races between threads only make a guess of it.
    """

    __slots__ = ("count", "first")

    def __init__(self) -> None:
        self.count, self.first = 0, math.inf

    def blind_s(self, now: float) -> float:
        """Seconds until a site that has just been looked at is looked at again."""
        self.count += 1
        self.first = min(self.first, now)
        excess = self.count * _LOOK_S / (_FREE_S + _LOOKS * (now - self.first))
        # Squared, or many sites would stay far above that part; but large calls are to be met.
        return _BLIND_S * min(max(1.0, excess) ** 2, _LONGEST_BLIND)


PACE = Pace()
"""That of this process."""


class Spared:
    """Calls for which nothing is made, since it was in vain for those before.

    To make arrays of large lists and dictionaries may take longer than the loop; that there is too
    little work for it, is seen when they are there.
    """

    __slots__ = ("until",)

    def __init__(self) -> None:
        self.until = 0.0

    def spares(self, now: float) -> bool:
        """Whether nothing is to be made for a call that begins now."""
        return now < self.until

    def made(self, seconds: float, now: float) -> None:
        """What a call needs has taken so long to make, and that was in vain."""
        self.until = now + _VAINLY * seconds


class Patience:
    """Counts of one site; races between threads only make it ask once more or less.

    Attributes
    ----------
    gone
        Calls that have gone unasked since it was said that they might.
    met, first
        Calls so far that were not taken; at some time, and how many of them there were then.
    small
        Whether those that go unasked are too small to be, and not merely too early.
    """

    __slots__ = (
        "first", "gone", "largest", "left", "looks", "met", "refused", "resting", "small", "tiny",
    )  # fmt: skip

    def __init__(self, roots: int) -> None:
        self.largest = [0] * roots
        self.left = self.gone = self.tiny = self.refused = self.met = 0
        self.small, self.first = True, (0.0, 0)
        self.resting = 0.0  # until then, in seconds of the clock of `asked`
        self.looks: tuple[Iterator[int], int] | None = None  # of the last turn, and after how many

    def quiet(self, values: Sequence[object], now: float = math.inf) -> bool:
        """Whether this call may go unasked."""
        self._count()
        if self.left <= 0:
            if self.tiny < VERY_LONG or now >= self.resting:
                return False
            self.left = 1 + _LONG_BLIND
        for value, largest in zip(values, self.largest, strict=True):
            if size(value) > _GROWTH * largest + _GROWTH:
                self.left = 0  # this one is asked
                return False
        self.left -= 1
        self.gone += 1
        self.met += 1
        return True

    def brief(self, now: float) -> bool:
        """Whether calls follow one another so fast that no loop within can be worth a question."""
        first, met = self.first
        if not first:
            self.first = now, self.met
            return False
        return now - first < (self.met - met) * _BRIEF_S

    def turn(self, until: float = 0.0) -> Turn:
        """Calls that are not to be looked at: to skip one costs next to nothing.

        Parameters
        ----------
        until
            Before that, whatever is in the calls makes no difference.
        """
        so_far, blind = max(self.met, self.tiny), self.blind
        if blind <= 0:
            return ALWAYS
        if blind < _BLIND:
            self._skipped(blind)
            return itertools.repeat(False, blind)
        most = _LONG_MOST_BLIND if so_far >= VERY_LONG else _MOST_BLIND
        now = clock()
        end = now + PACE.blind_s(now)
        if until > end and blind == _LONG_BLIND:  # else calls take long
            end, most = min(until, now + _FIRM_S), _MOST_FIRM
        turn, looks = _until(end, blind, most)
        self.looks = looks, blind
        return turn

    @property
    def blind(self) -> int:
        """How many calls are not to be looked at before the clock is."""
        so_far = max(self.met, self.tiny)
        blind = min(self.left, _LONG_BLIND if so_far >= VERY_LONG else _BLIND)
        return max(min(blind, so_far // _BLINDLY), 0)

    def gone_by(self, now: float, each_s: float) -> int:
        """Note how many calls are not looked at, of which each takes so long: that is the answer.

        They are iterations of one loop, and much alike.
        """
        count = self.blind
        if count == _LONG_BLIND:
            count = max(count, min(int(PACE.blind_s(now) / max(each_s, 1e-9)), _MOST_ALIKE))
        self._skipped(count)
        return count

    def _count(self) -> None:
        """Note how many calls have not been looked at since the last one that was."""
        looks, self.looks = self.looks, None
        if looks is not None:
            times, count = looks
            self._skipped(max(next(times) - 1, 0) * count)  # the last look has found it late

    def _skipped(self, count: int) -> None:
        self.left = max(self.left - count, 0)
        self.gone += count
        self.met += count
        if self.small:
            self.tiny += count

    def too_small(self, values: Sequence[object], seconds: float = 0.0) -> None:
        """The call was too little work, which it has taken so long to find out."""
        dearly_s = min(seconds, _DEARLY_S) if self.tiny >= _FIRST else 0.0  # imports, at first
        self._rest(values, 1 + int(dearly_s / _QUESTION_S), _LONGEST)

    def asked(self, seconds: float, now: float) -> None:
        """A question that led to nothing took so long: others like it must not cost much more.

        What looks through many objects may take longer than the loop itself.
        """
        self.resting = now + min(seconds, _DEAREST_S) / _SHARE

    def lost(self, values: Sequence[object], seconds: float, might: float) -> None:
        """The call ran as kernels, which took so much longer than the interpreter would have.

        Parameters
        ----------
        might
            Seconds that a call which goes unasked may take at the most.  What is saved by not
            asking is to be no more than that: then the guess costs at most twice what is best.
        """
        longest = min(max(_LONGEST, might / seconds), _LONGEST_LOST)
        self._rest(values, 1 + int(seconds / _QUESTION_S), int(longest))

    def beaten(self, values: Sequence[object], count: int) -> None:
        """The interpreter has been measured to take less time: so many calls go unasked."""
        self.tiny = max(self.tiny, VERY_LONG)
        self.skip(values, count)
        self.small = True

    def skip(self, values: Sequence[object], count: int) -> None:
        """So many calls like this one may go unasked."""
        self.largest = [max(size(v), m) for v, m in zip(values, self.largest, strict=True)]
        self.left, self.gone, self.small = count, 0, False
        self.met += 1

    def _rest(self, values: Sequence[object], count: int, longest: int) -> None:
        self.tiny += count
        self.small = True
        self.largest = [max(size(v), m) for v, m in zip(values, self.largest, strict=True)]
        if self.tiny >= _FIRST:
            self.left, self.gone = min(self.tiny // 4, longest), 0

    def refuse(self) -> bool:
        """The call was declined for what its values are; True when that is enough."""
        self.refused += 1
        return self.refused >= _STUBBORN

    def dear(self, values: Sequence[object], began: float, now: float) -> None:
        """The same, where several in a row are: those that take long are to be seldom."""
        if self.refused >= _FEW and now - began > _DEAR_S:
            self.asked(now - began, now)
            self.tiny = max(self.tiny, VERY_LONG)
            self.skip(values, 0)

    def undone(self, values: Sequence[object], began: float, now: float) -> None:
        """Kernels have given up, where several in a row do: what that takes is to be a small part.

        They may have come far by then.
        """
        if self.refused >= _FEW and now - began > _UNDONE_S:
            self.resting = now + (now - began) / _UNDONE_SHARE
            self.tiny = max(self.tiny, VERY_LONG)
            self.skip(values, 0)

    def taken(self) -> None:
        """The call ran as kernels."""
        self.tiny = self.refused = 0
