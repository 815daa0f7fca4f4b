"""Whether kernels pay for a nest that is over in no time: tried out, not guessed.

What the interpreter would take is guessed within a factor of a few.  Of a nest that takes less time
than its question, that is not enough to tell which is faster.  So a few calls in a row are left to
the interpreter, and the time from one call to the next, with whatever the program does in between,
is compared with that of calls which ran as kernels.
"""

from __future__ import annotations

_CALLS = 8  # of each kind
_FIRST = 32  # calls before the first trial
_AGAIN = 4  # calls before the next, after the interpreter has won
_REST = 4096  # calls that are left to it then, and twice as many each time that it wins again
_LONGEST_REST = 16 * _REST
_GROWTH = 8  # how many times more of them before the next
_CLEARLY = 0.9  # of the time, for the interpreter to be preferred
DOUBT = 4
"""How many times longer than a call with kernels the guess must be to be beyond doubt."""


class Trial:
    """The trials of one site.

    Attributes
    ----------
    rest
        Calls that are left to the interpreter once it has won.
    out
        Whether calls are left to the interpreter, to see how long they take.
    skipped
        How many of these there have been.
    """

    __slots__ = ("began", "due", "kernels_s", "out", "ran", "rest", "skipped")

    def __init__(self) -> None:
        self.began = self.kernels_s = 0.0
        self.ran = self.skipped = 0
        self.due, self.rest = _FIRST, _REST
        self.out = False

    def compiled(self, now: float) -> int:
        """Note a call in doubt that ran as kernels; how many are to be left to the interpreter."""
        self.ran += 1
        if self.ran == self.due:
            self.began = now
        if self.ran < self.due + _CALLS:
            return 0
        self.kernels_s = (now - self.began) / _CALLS
        self.began, self.skipped, self.out = now, 0, True
        return _CALLS

    def certain(self) -> None:
        """Note a call beyond doubt: the time from one call in doubt to the next has it in it."""
        self.ran = 0

    def ended(self, now: float) -> int:
        """For how many calls to rest, if those left to the interpreter took clearly less time."""
        interpreted_s = (now - self.began) / _CALLS
        whole = self.skipped == _CALLS  # else one of them was another matter
        lost = whole and interpreted_s < _CLEARLY * self.kernels_s
        self.ran, self.out = 0, False
        if not lost:
            self.due, self.rest = max(_FIRST, self.due * _GROWTH), _REST
            return 0
        rest, self.due = self.rest, _AGAIN
        self.rest = min(2 * rest, _LONGEST_REST)
        return rest
