"""Questions that have not paid in an earlier run of the very same command.

To ask what a loop is may take tenths of a second: imports, an analysis, kernels.  What is found
then may be that it cannot be taken, or that there is less to win.  The same command on the same
files mostly finds the same again.  So each process leaves, at its end, which sites have cost more
than they have won; the next one asks these only when the seconds are few beside those that have
gone by since it could have asked.  And it leaves which sites have won much: these need not
lose in Python first what their kernels cost, as long as nobody knows whether they will be called
often.  All of that are guesses; how long runs take that ask in one way or another says whether they
are good ones (`tries`).

Only time depends on it.  Who wants to hear why loops are left to Python, gets all questions asked;
what has won much is known there, too, and what these runs find is nothing for others to know.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
import time
from collections.abc import Callable, Sequence

from autopar import config
from autopar.config import Location
from autopar.digest import digest
from autopar.journal import records
from autopar.runtime import process, tries
from autopar.runtime.patience import size
from autopar.runtime.process import clock
from autopar.runtime.tries import Line, Lines, Runs
from autopar.site_spec import SiteSpec

_SHARE = 20  # of the time gone by, questions that have not paid may take the twentieth part
LEAST_S = 1e-3  # of questions that anybody cares about
_SURELY = 2.0  # how many times more than was guessed may be won
_MOST_LINES, _MOST_FILES = 512, 256
_NEWS = 1.5  # times the cost that it was
_PUT_OFF = 16.0  # times its cost, for which one is put off that wins nothing in the end each time
UNKNOWN_S = 0.05
"""Of a question of which another process has only found that it is dear: it may have made kernels.
What is known to take longer was measured where those need only be read."""
_MUCH_S = 0.1  # won by a site, which is then sure to win; it stays so with less, to write this once
_STILL = 0.25
_GAMBLED = 0.33  # of what questions can win, those of a run that win nothing may take
_READ = 0.6  # the same of a question that has only to read
_LOOKED_AT = 64  # calls whose sizes are noted
_SAMPLE = 16  # to ask for the processor's time takes a tenth of a call: later, once in so many
_LATE = 0.5  # of the time since it was met, after which its question shows little of what it wins
_BRIEF = 5  # times as long as its question, what a loop of unknown size may take and be put off
_SHORT = 12  # letters of a hash
_UNSEEN, _FIRMLY = 15, 255  # of the calls that wait in a row; where all of them do
_APART_S = 3e-4  # from one look at calls that wait to the next: it takes a hundredth of that
_GROWTH = 4  # as in `patience`: a call with so much larger values is another matter
_NUMBERS = frozenset((int, float, bool, complex, type(None)))
_NAMED = frozenset(("function", "builtin_function_or_method", "module", "type", "ufunc"))


class Account:
    """What the questions of one site cost and win.

    Attributes
    ----------
    name
        The same in all processes that run the same.
    due
        From when on it is asked, in seconds of `clock`.
    born
        When it was met first.
    cost_s
        What an earlier process has found a question to cost that did not pay.
    ledger
        Where it is kept; None: nowhere.
    asked, spent_s, won_s
        How often it was asked, the processor's time that took, and a guess of what the interpreter
        would have taken for what was run instead.
    looked
        Whether it was asked for more than what its calls may take: whether somebody has looked at
        what it is.
    dearest_s, waited_s
        The processor's time of the question that took longest, and how long it had been met then.
    since, unseen
        When it was last found to wait, and how many calls were to go unseen then.
    sizes
        The largest of its values so far.
    winner
        Whether an earlier process has won much.
    wakes
        Whether loops within it are asked as well, since it was declined for good reason.
    firm
        Whether nothing but time makes it due.
    opaque
        Whether there are values whose size nobody has looked at.
    left
        How many calls are not looked at, unless they take long.
    """

    __slots__ = (
        "asked", "born", "cost_s", "dearest_s", "due", "firm", "ledger", "left", "looked", "name",
        "opaque", "since", "sizes", "spent_s", "unseen", "waited_s", "wakes", "winner", "won_s",
    )  # fmt: skip

    def __init__(self, name: str = "", sizes: Sequence[int] = (), opaque: bool = False) -> None:
        self.name, self.sizes, self.opaque = name, sizes, opaque
        self.born = clock()
        self.ledger: Ledger | None = None
        self.cost_s = self.due = self.since = self.spent_s = self.won_s = 0.0
        self.dearest_s = self.waited_s = 0.0
        self.asked = 0
        self.left = 0 if name else -1
        self.unseen = 0
        self.firm = self.looked = self.wakes = self.winner = False

    def note(
        self, values: Sequence[object], spent_s: float, won_s: float, looked: bool = True
    ) -> None:
        """A question has taken `spent_s`, and `won_s` of the interpreter's time were spared."""
        self.looked |= looked
        if self.name and self.asked < _LOOKED_AT:
            self.sizes = [max(size(v), m) for v, m in zip(values, self.sizes, strict=True)]
        self.asked += 1
        count = 1
        if self.asked > _LOOKED_AT and not self.left:
            self.left = _SAMPLE - 1
            count = _SAMPLE if spent_s <= LEAST_S else 1  # those that take long are all noted
        if spent_s > self.dearest_s:
            self.dearest_s, self.waited_s = spent_s, clock() - spent_s - self.born
        self.spent_s += count * spent_s
        self.won_s += count * won_s
        if self.ledger is not None and not won_s:
            self.ledger.loses(count * spent_s)

    def waits(self, values: Sequence[object], now: float) -> bool:
        """Whether a call with `values` goes unasked."""
        if now < self.rests:
            return True
        if now >= self.due:
            return False
        if self.firm:
            return True
        pairs = zip(values, self.sizes, strict=True)
        if any(size(value) > _GROWTH * known + _GROWTH for value, known in pairs):
            self.due = 0.0
        return now < self.due

    @property
    def rests(self) -> float:
        """Until when it is not asked, since others have lost too much; 0: it may be."""
        if self.ledger is None or self.won_s or self.winner:
            return 0.0
        return self.ledger.rests

    def affords(self, cost_s: float, made: bool) -> bool:
        """Whether a first question, which may cost so much, is in proportion to the program.

        Where kernels have been `made` that need only be read, it is no gamble.
        """
        if self.ledger is None or self.winner:
            return True
        return self.ledger.affords(cost_s, _READ if made else _GAMBLED)

    def says_enough(self) -> bool:
        """Whether its questions say something of those in the next process.

        One call says little where the next may be larger and nobody sees it; but where the loop was
        declined for what it is, it mostly will be again.  And with all that came after it, it was
        over so soon that not much is lost where the next is larger, once: that is seen in the end.
        """
        if not self.asked:
            return False
        return not self.opaque or self.wakes or self.asked > 1 or self.brief(self.spent_s)

    @property
    def late(self) -> bool:
        """Whether it was asked so late that it could not have won what its question cost.

        Not where it was declined for what it is: that is the same at any time.
        """
        return not self.wakes and self.waited_s > _LATE * (clock() - self.born)

    def brief(self, cost_s: float) -> bool:
        """Whether not much time has gone by since it was met, beside what it costs to ask it."""
        return clock() - self.born < _BRIEF * cost_s

    def pause(self, now: float) -> int:
        """How many calls like this one, which waits, may wait unseen: they come as they did."""
        gone_s, self.since = now - self.since, now
        if gone_s >= now:
            return 0  # the first
        each_s = max(gone_s / (1 + self.unseen), 1e-7)
        most = _FIRMLY if self.firm else max(_UNSEEN, min(int(_APART_S / each_s), _FIRMLY))
        left_s = max(self.due, self.rests) - now
        self.unseen = max(0, min(int(left_s / each_s / 2), most))
        return self.unseen

    def wins(self, values: Sequence[object]) -> bool:
        """Whether a call with `values` is likely to be one of those that win much in all."""
        if not self.winner:
            return False
        pairs = zip(values, self.sizes, strict=True)
        return all(_GROWTH * size(value) + _GROWTH >= known for value, known in pairs)


NOBODY = Account()
"""That of all sites in a process that keeps no accounts."""


class Ledger:
    """The accounts of a process, and what earlier ones have left.

    Attributes
    ----------
    runs, way
        What these have shown, and the way of this one; `before` is what that is to know.
    lost_s
        By questions that have won nothing.
    rests
        Until when nothing more is asked, since that was too much; 0: it was not.
    strange
        Whether there are sites, or first calls of them, that earlier processes have not met.
    told
        Whether somebody wants to hear of every loop: nothing is put off, and nothing is left.
    """

    def __init__(self, folder: Location, told: bool = False) -> None:
        self.told = told
        self.process = os.getpid()
        # The user may have changed the list, or done away with it.
        words = [word for word in getattr(sys, "argv", ()) if type(word) is str]
        name = _digest(config.ways(), words, os.getcwd())
        self.file = os.path.join(folder, name)
        self.accounts: dict[str, Account] = {}
        self.met: dict[str, str] = {}
        self.lost_s = self.rests = 0.0
        self.strange = False
        self.began = clock()
        self.runs = self.read()
        self.way = tries.Way(self.runs.newest) if told else self.runs.way()
        self.before = self.way.lines
        if self.way.alone_s and not self.runs.alone_s:
            self.write(self.runs.alone())  # nobody knows whether this one will see its end

    def read(self) -> Runs:
        """What earlier processes have left."""
        try:
            return tries.read(config.read_whole(self.file).decode("ascii"))
        except (OSError, ValueError):
            return tries.NONE

    def account(self, spec: SiteSpec, values: Sequence[object]) -> Account:
        """That of a site, at its first call with `values`."""
        kinds = [(type(value).__module__, type(value).__qualname__) for value in values]
        sizes = [size(value) for value in values]
        types = [str(getattr(value, "dtype", "")) for value in values if _is_array(value)]
        name = _digest(
            spec.file, spec.line, spec.text, spec.nest, kinds, sizes, types, process.texts
        )
        found = self.accounts.get(name)
        if found is None:
            opaque = not all(map(_is_seen, values))
            found = self.accounts[name] = Account(name, sizes, opaque)
            found.ledger = None if self.told else self
            if not (spec.inner or spec.flat):  # others are woken at one time or another
                site = _digest(spec.file, spec.line, spec.text, spec.nest)[:_SHORT]
                self.met.setdefault(site, name[:_SHORT])
                self.strange |= self.runs.met.get(site) != name[:_SHORT]
                if self.way.alone_s and self.runs.others({site: name[:_SHORT]}):
                    self.ask()
            if self.way.alone_s:
                found.due, found.firm = self.began + self.way.alone_s, True
                found.wakes = True  # to be asked when it is over
                return found
            line = self.before.get(name)
            if line is not None and len(line.sizes) == len(sizes):
                found.winner, found.sizes = line.winner, line.sizes
                found.wakes = line.wakes and not self.told
                if line.cost_s and not self.told:
                    found.cost_s, found.due = line.cost_s, clock() + _SHARE * line.cost_s
        return found

    def loses(self, seconds: float) -> None:
        """Questions have lost so much more.

        They can win no more than the program takes without.  After a part of that, it asks only
        once it goes on for longer, but for loops of which kernels are known to win; what the next
        loops cost, the next run finds out, which leaves these alone.
        """
        self.lost_s += seconds
        if not self.affords(0.0, _GAMBLED) and not self.rests:
            self.rests = clock() + tries.LONGER * self.most_s

    def affords(self, cost_s: float, share: float) -> bool:
        """Whether questions that cost so much may be asked, beside what others have lost.

        They may take this `share` of what they can win.
        """
        most_s = self.most_s
        return not most_s or self.lost_s + cost_s <= share * most_s or clock() > self.over

    @property
    def most_s(self) -> float:
        """What questions can win at the most, as far as all is as before; 0: nobody knows."""
        return 0.0 if self.strange else self.runs.alone_s

    @property
    def over(self) -> float:
        """From when on the program goes on for longer than it took without questions."""
        return self.began + tries.LONGER * self.most_s

    def ask(self) -> None:
        """Ask after all."""
        self.way = tries.Way(self.runs.newest)
        self.before = self.way.lines
        for one in list(self.accounts.values()):
            one.due, one.firm = 0.0, False

    def pays(self) -> bool:
        """Whether imports are paid for: something wins much, in this process or in an earlier."""
        wins = any(line.winner for line in self.before.values())
        return wins or any(one.won_s > _MUCH_S for one in list(self.accounts.values()))

    def lines(self, seen_s: float = 0.0) -> Lines:
        """What this process has found of its sites, for the next one.

        Parameters
        ----------
        seen_s
            What all questions have won, by the clock; 0: nobody knows.  Kernels may be faster than
            anybody takes for granted: then sites are not put off that were guessed to lose.  No
            more than that is made of it, for what it is compared with may have been a slow run.
        """
        accounts = list(self.accounts.values())  # other threads may still meet loops
        asked = {one.name: one for one in accounts if one.says_enough()}
        found = {name: line for name, line in self.before.items() if name not in asked}
        for one in accounts:
            line = found.get(one.name)
            if line and one.opaque and not (one.asked or one.wakes or one.brief(line.cost_s)):
                del found[one.name]  # this one was larger: to leave it alone was wrong
        first = _is_first()
        spent_s = sum(one.spent_s for one in asked.values())
        guessed_s = sum(one.won_s for one in asked.values())
        likely_s = self.likely(guessed_s)
        share = likely_s / guessed_s if guessed_s else 1.0
        seen_s = max(likely_s, self.likely(seen_s))
        by_clock = seen_s / guessed_s if guessed_s else 1.0
        # Where nothing is won in all, whoever is asked first pays for what all of them import.
        vain = spent_s >= LEAST_S and (seen_s == 0.0 if first else seen_s < spent_s)
        least_s = min(spent_s, UNKNOWN_S) if vain else 0.0
        guesses_s = sum(one.spent_s for one in asked.values() if not one.looked)
        for name, one in asked.items():
            won_s = share * one.won_s
            much_s = (_STILL if one.winner else 1.0) * _MUCH_S
            if not vain and won_s > (much_s if first else max(much_s, _SURELY * one.spent_s)):
                found[name] = Line(0.0, False, True, tuple(one.sizes))
                continue
            if first and won_s:
                continue  # to read what was made may be cheap enough
            if one.late and name not in self.before:  # once: the next one may ask from the start
                found[name] = Line(0.0, False, False, tuple(one.sizes))
                continue
            own_s = min(one.spent_s, UNKNOWN_S) if first else one.spent_s
            # Those that were only looked at for what they may take pay for that.
            cost_s = max(own_s, least_s if one.looked else min(least_s, guesses_s))
            if cost_s >= LEAST_S and (vain or _SURELY * by_clock * one.won_s < cost_s):
                # What others have imported before, a later process may have to import.  Who was put
                # off, and has won nothing after that, is put off for longer.
                known = self.before.get(name)
                again_s = 0.0 if known is None else known.cost_s
                most_s = max(cost_s, again_s, min(2 * again_s, _PUT_OFF * cost_s))
                found[name] = Line(most_s, one.wakes, False, tuple(one.sizes))
        return dict(list(found.items())[-_MOST_LINES:])

    def likely(self, won_s: float) -> float:
        """Of what questions are thought to have won, what they may have: no more than all."""
        return min(won_s, self.most_s or won_s)

    def after(self) -> Runs:
        """What there is to leave after this process."""
        took_s = clock() - self.began
        if process.failed or getattr(sys, "last_type", None) is not None:
            took_s = 0.0  # who knows when it has ended
        accounts = list(self.accounts.values())
        if self.way.alone_s:
            asked = any(one.asked for one in accounts)  # for it took longer than that
            return self.runs.alone(self.way.alone_s if asked else took_s)
        # Kernels are run by questions, too; how many threads there were, nobody remembers.
        threads = config.current().threads
        ran = [(one.run_s, threads if one.status == "parallel" else 1) for one in records()]
        kernels_s = sum(run_s for run_s, _ in ran)
        spent_s = sum(a.spent_s for a in accounts) - sum(run_s * count for run_s, count in ran)
        won_s = self.likely(sum(a.won_s for a in accounts)) - kernels_s
        doubt = tries.doubtful(spent_s, won_s, took_s, kernels_s)
        more = _has_sent() and self.runs.number < tries.LEARNING  # kernels, for the next one
        doubt = doubt and not more
        fair = not (more or _is_first()) or self.runs.number >= tries.LEARNING
        seen_s = self.most_s - (took_s - spent_s - kernels_s) if took_s and self.most_s else 0.0
        newest = self.lines(seen_s)
        if tries.costless(spent_s, took_s, kernels_s):
            spent_s = 0.0
        off_s = spent_s
        if fair:  # what else was asked costs the next one as much
            off_s = min(off_s, sum(a.spent_s for a in accounts if _is_off(newest.get(a.name))))
        return self.runs.asked(self.way, took_s, spent_s, off_s, fair, doubt, newest, self.met)

    def leave(self) -> None:
        """Write it; nobody misses it where that cannot be."""
        if os.getpid() != self.process:
            return  # a forked child has the accounts of its parent
        found, runs = self.after(), self.runs
        near = _near(found.asked_s, runs.asked_s) and _near(found.alone_s, runs.alone_s)
        old = found.number > tries.LEARNING or found.number == runs.number
        same = old and near and found.met == runs.met and not (found.doubt or runs.doubt)
        if not same or _is_news(found.newest, self.before):
            self.write(found)

    def write(self, found: Runs) -> None:
        """What there is to know from now on; without a place for it, nothing is."""
        with contextlib.suppress(OSError):
            config.make_room(os.path.dirname(self.file), _MOST_FILES)
            config.write_whole(self.file, found.text().encode())


@functools.cache
def _ledger() -> Ledger | None:
    """That of this process; None where each loop is to be asked as if it were the first time."""
    settings = config.current()
    if not config.whole_command or settings.verify or settings.fail_on_fallback or settings.debug:
        return None
    told = bool(settings.report or settings.report_json or settings.verbose)
    try:
        made = Ledger(config.cache_folder("earlier"), told)
    except (OSError, config.ConfigError):
        return None  # nor where the working directory has been removed
    if not told:
        atexit.register(made.leave)
    return made


def account(spec: SiteSpec, values: Sequence[object]) -> Account:
    """The account of a site; one for all where nobody keeps any."""
    ledger = _ledger()
    return NOBODY if ledger is None else ledger.account(spec, values)


def pays() -> bool:
    """Whether something in this process is sure to pay for what all of them import."""
    ledger = _ledger()
    return ledger is not None and ledger.pays()


def _near(one: float, other: float) -> bool:
    """Whether it is not worth a word that it was the other; 0: nobody knows."""
    return other / _NEWS < one < other * _NEWS if one and other else one == other


def _is_off(line: Line | None) -> bool:
    """Whether a site is not asked from the start."""
    return line is not None and line.cost_s > 0


def _is_news(lines: Lines, before: Lines) -> bool:
    return lines.keys() != before.keys() or any(
        line.cost_s > _NEWS * before[name].cost_s or line.winner != before[name].winner
        for name, line in lines.items()
    )


used_s: Callable[[], float] = time.process_time
"""The processor's time, on which a busy machine has no influence."""


def _is_first() -> bool:
    """Whether this process has made what those after it will read."""
    kept = sys.modules.get("autopar.kept")
    return bool(getattr(kept, "made", None))  # at the end it may be in the middle of its import


def _has_sent() -> bool:
    """Whether copies of this process make what those after it will read."""
    background = sys.modules.get("autopar.runtime.background")
    return background is not None and bool(background.BACKGROUND.sent)


def _is_array(value: object) -> bool:
    return type(value).__module__ == "numpy"


def _is_seen(value: object) -> bool:
    """Whether `size` says of `value` how much work it may mean, or it means none."""
    kind = type(value)
    if value is process.UNSET:
        return True
    if kind is list or kind is tuple:  # what others do when they are asked is the user's
        first = value[0] if value else 0  # type: ignore[index]
        return type(first) in _NUMBERS or type(first) in (list, tuple)
    return kind in _NUMBERS or kind is range or kind.__name__ in _NAMED or _is_array(value)


def _digest(*parts: object) -> str:
    found = digest()
    for part in parts:
        found.update(part if isinstance(part, bytes) else ascii(part).encode() + b"\0")
    return found.hexdigest()[:32]
