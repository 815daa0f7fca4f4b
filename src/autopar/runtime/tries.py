"""Which way a command is run fastest: asking as one of its runs has asked, or asking nothing.

What questions win is a guess, since nobody knows what the interpreter would have taken.  Where they
cost about as much as that, one run of the command asks nothing at all, and the clock says which is
better.  A run that happens to ask nothing to speak of says the same, which the first ones of a
short program do: where one that asks is slower even without the time that its questions take, no
more are asked.  Of the runs that ask, each puts off what did not pay in the one before
(`earlier`), which need not be better: after some of them the fastest is repeated.  Now and then
another way is taken once more, as files, or the machine, may have changed.

A run that asks nothing must not cost much more than others: nobody tries one where kernels have
done what may take the interpreter far longer, and one whose loops are handed values of other sizes
than before, or that goes on for longer, asks after all.  That is once it has lost as much as the
questions cost: the same work takes twice as long at times, where a machine is busy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from autopar.records import dataclass, replace

LEARNING = 5
"""Runs after which the fastest way is repeated."""
_FEWEST = 2  # runs that have asked, before one asks nothing
_AGAIN, _RARELY = 8, 64  # of later runs, one in so many takes the other way
_FAR = 1.5  # times as long as the usual one, what that may have taken not to be rare
LONGER = 1.5
"""Times as long as before, at least, what a run that asks nothing may take."""
_BETTER = 0.95  # of the time of those that ask, what one without must take to be repeated
_DOUBTFUL_S, _PART, _SURE = 0.05, 0.05, 4.0
"""Questions are in doubt that cost so much, and such a part of a run, and are not thought to win so
many times more."""
_COSTLESS = 0.1  # such a part of a run is none to speak of
_FASTER, _MOST = 100.0, 5.0
"""Times as fast as the interpreter that kernels may be; times as long as with them, what a run
without may take to be tried."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is known of a site: its cost, and attributes of its `earlier.Account`.

    That costs nothing which is neither off nor a winner: it has been asked late, once.
    """

    cost_s: float
    wakes: bool
    winner: bool
    sizes: tuple[int, ...]


Lines = Mapping[str, Line]
"""By the names of accounts."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a run goes about its questions.

    Attributes
    ----------
    lines
        What it knows of its sites.
    alone_s
        For so many seconds it asks nothing.
    """

    lines: Lines
    alone_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Runs:
    """What the runs of a command have shown.

    Attributes
    ----------
    number
        How many there were; of the first ones, without those that happened to ask nothing.
    doubt
        Whether what questions win may be less than they cost.
    alone_s, asked_s
        What it took without questions, or longer than that, and the fastest with some; 0 where
        nobody knows.
    rest_s
        What such a one took, at the least, without the questions that the next one does not ask.
    best, newest
        What that one knew, and what the last one found.
    met
        For each site that is asked from the start, what tells calls like its first from others.
    """

    number: int
    doubt: bool
    alone_s: float
    asked_s: float
    rest_s: float
    best: Lines
    newest: Lines
    met: Mapping[str, str]

    def way(self) -> Way:
        """The way of the next run."""
        usual_s = self.alone_s or self.asked_s
        questions_s = sum(line.cost_s for line in self.newest.values())
        alone = Way({}, max(LONGER * usual_s, usual_s + questions_s, self.asked_s))
        if self.number < LEARNING or not self.asked_s:
            untried = self.number >= _FEWEST and self.asked_s and not self.alone_s
            tried = self.number >= _FEWEST and self.alone_s
            vain = tried and self.rest_s > _BETTER * self.alone_s
            last = self.number == LEARNING - 1  # before it, a run may just have been slow
            return alone if self.doubt and (untried or vain or last) else Way(self.newest)
        usual, other = Way(self.best), alone
        ratio = (self.alone_s or self.asked_s) / self.asked_s
        slower = ratio < _BETTER  # than without, which somebody has measured
        if slower:
            usual, other, ratio = alone, Way(self.newest), 1 / ratio
        again = self.number % (_AGAIN if ratio < _FAR else _RARELY) == 0
        return other if (self.doubt or slower) and again else usual

    def alone(self, took_s: float = 0.0) -> Runs:
        """After a run that has asked nothing; 0: it has not come to an end, or not yet."""
        took_s = took_s or self.alone_s or LONGER * self.asked_s
        return replace(self, number=self.number + 1, alone_s=took_s)

    def others(self, met: Mapping[str, str]) -> bool:
        """Whether these are not the sites, and the calls, of the runs before."""
        return any(self.met.get(site, mark) != mark for site, mark in met.items())

    def asked(
        self,
        way: Way,
        took_s: float,
        spent_s: float,
        off_s: float,
        fair: bool,
        doubt: bool,
        newest: Lines,
        met: Mapping[str, str],
    ) -> Runs:
        """After a run that took `way`.

        Parameters
        ----------
        took_s
            0: it says nothing of others.
        spent_s
            By its questions; 0: it is as one without any.
        off_s
            By those of them that the next one does not ask.
        fair
            Whether the next one of that way would take as long.
        doubt, newest, met
            What it has found.
        """
        if not took_s:
            return replace(self, newest=newest)
        if self.others(met):
            self = NONE  # it is of no use to know how long they took
        runs = replace(self, newest=newest, met={**self.met, **met})
        if not spent_s:  # nothing has been tried
            alone_s = (self.alone_s + took_s) / 2 if self.alone_s else took_s
            number = self.number + (self.number >= LEARNING)
            if 0 < self.asked_s < _BETTER * alone_s:  # what was put off by then was worth it
                number = max(number, LEARNING)
            return replace(runs, alone_s=alone_s, number=number)
        if fair or self.number >= _FEWEST:  # else kernels may have been made late, which are read
            rest_s = max(took_s - off_s, 1e-4)
            runs = replace(runs, rest_s=min(self.rest_s or rest_s, rest_s))
        runs = replace(runs, number=self.number + 1, doubt=doubt)
        if not self.asked_s or (fair and took_s < self.asked_s):
            return replace(runs, asked_s=took_s, best=way.lines)
        if way.lines == self.best:  # as fast as that it may have been once
            return replace(runs, asked_s=(self.asked_s + took_s) / 2)
        return runs

    def text(self) -> str:
        """All of it, to be read by `read`."""
        seconds = f"{self.alone_s:.4f} {self.asked_s:.4f} {self.rest_s:.4f}"
        head = f"{self.number} {int(self.doubt)} {seconds}"
        lines = [("best", *one) for one in self.best.items()]
        lines += [("newest", *one) for one in self.newest.items()]
        met = (f"met {site} {mark}" for site, mark in self.met.items())
        return "\n".join((head, *(_line(which, name, line) for which, name, line in lines), *met))


def _line(which: str, name: str, line: Line) -> str:
    words = (f"{line.cost_s:.4f}", str(int(line.wakes)), str(int(line.winner)))
    return " ".join((which, name, *words, *map(str, line.sizes)))


NONE = Runs(0, False, 0.0, 0.0, 0.0, {}, {}, {})


def read(text: str) -> Runs:
    """What `Runs.text` wrote; raises `ValueError` where it did not."""
    head, *lines = text.splitlines() or [""]
    number, doubt, alone_s, asked_s, rest_s = head.split()
    found: dict[str, dict[str, Line]] = {"best": {}, "newest": {}}
    met: dict[str, str] = {}
    for which, *words in map(str.split, lines):
        if which == "met":
            site, mark = words
            met[site] = mark
            continue
        name, cost_s, wakes, winner, *sizes = words
        line = Line(_number(cost_s), wakes == "1", winner == "1", tuple(map(int, sizes)))
        if which not in found:
            raise ValueError(which)
        found[which][name] = line
    return Runs(
        int(_number(number)),
        doubt == "1",
        _number(alone_s),
        _number(asked_s),
        _number(rest_s),
        found["best"],
        found["newest"],
        met,
    )


def _number(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(text)
    return value


def doubtful(spent_s: float, won_s: float, took_s: float, kernels_s: float) -> bool:
    """Whether the questions of a run that took so long may be better left alone.

    Parameters
    ----------
    spent_s, won_s
        By questions, and a guess of what they won; without what kernels took.
    kernels_s
        Which may have done what the interpreter takes much longer for.
    """
    much = _FASTER * kernels_s > (_MOST - 1) * took_s
    return not much and spent_s > max(_DOUBTFUL_S, _PART * took_s) and won_s < _SURE * spent_s


def costless(spent_s: float, took_s: float, kernels_s: float) -> bool:
    """Whether a run of so many seconds is as one without questions; parameters as before."""
    return not kernels_s and spent_s <= _COSTLESS * took_s
