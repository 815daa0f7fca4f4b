"""How much time a process puts into kernels of which nobody knows whether they will pay.

A nest that has cost the interpreter as much as its kernels would is likely to cost as much again:
nobody knows.  Where one process in two ends just then, each has lost what it had.  So what is put
into kernels on spec is a part of the time gone by, and of what kernels have won: a program that
gains much can afford the rest of its nests at once, one that has hardly begun waits.

What a single call is sure to win needs no budget.
"""

from __future__ import annotations

from autopar.runtime.earlier import used_s

_SHARE = 1 / 3  # of the time that the process has computed
EAGERLY = 0.02
"""Of the cost of kernels, at the least, is to be won where these are likely to pay, or where it is
nothing beside what others have won."""
_PLENTY = 20.0  # times what a nest costs: nobody notices if it never pays


class Budget:
    """Seconds spent and won; races between threads only make a guess of it.

    Attributes
    ----------
    asked
        Whether a nest has been learned about.
    learned_s
        Seconds that went into what nests are, before anybody knew what kernels would cost.
    read, compiled
        Whether kernels have been read from disk, or compiled: the first ones need imports.
    """

    __slots__ = ("asked", "compiled", "learned_s", "read", "spent_s", "won_s")

    def __init__(self) -> None:
        self.asked = self.read = self.compiled = False
        self.learned_s = self.spent_s = self.won_s = 0.0

    @property
    def ours_s(self) -> float:
        """Seconds that the program did not run, since its nests were looked at."""
        return self.learned_s + self.spent_s

    def allows(self, cost_s: float) -> bool:
        """Whether so much of the processor's time may be spent now."""
        return self.spent_s + cost_s <= _SHARE * used_s() + max(self.won_s, 0.0)

    def plenty(self, cost_s: float) -> bool:
        """Whether so much is next to nothing, beside what kernels have won."""
        return self.won_s - self.spent_s >= _PLENTY * cost_s


BUDGET = Budget()
"""That of this process."""
