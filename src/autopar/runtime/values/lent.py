"""Copies of the user's random generators that kernels draw from.

A kernel never touches the user's generator.  It draws from one of NumPy's that has been given the
same state, and the state in which it leaves that one becomes the user's once the run is done: with
its lock taken, and only if nobody else has drawn meanwhile.  So a run that gives up has nothing to
undo.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autopar.kernel import Words
from autopar.runtime.values.generators import bitgen, copy, is_python, pieces, source_of

Second = tuple[int, float]
"""Whether the second number of a pair is kept, and the number."""
State = tuple[tuple[bytes, ...], Second]

_NONE_KEPT: Second = (0, 0.0)


class _Spare:
    """A generator of ours."""

    __slots__ = ("address", "generator", "pieces")

    def __init__(self, kind: Any) -> None:
        self.generator = kind(0)
        self.pieces = pieces(self.generator)
        self.address = bitgen(self.generator)


_free: dict[Any, list[_Spare]] = {}  # not in use, by type


class _Loan:
    """A generator of ours in place of the user's.

    Parameters
    ----------
    owner
        An object by which the nest draws from it.
    pairs
        Whether the second number of a pair counts.
    """

    __slots__ = ("before", "lock", "owner", "pairs", "pieces", "source", "spare", "words")

    def __init__(self, owner: Any, pairs: bool) -> None:
        # Kept: the owner may be given another one, and `pieces` do not keep it.
        self.source = source = source_of(owner)
        python = is_python(type(source))
        kind = np.random.MT19937 if python else type(source)
        self.owner, self.pairs = owner, pairs
        self.lock = None if python else source.lock
        self.pieces = pieces(source)
        try:
            self.spare = _free[kind].pop()
        except (KeyError, IndexError):
            self.spare = _Spare(kind)
        self.words = np.zeros(Words.COUNT, np.int64)
        self.words[Words.BITS] = self.spare.address
        self.before: State = ((), _NONE_KEPT)

    def begin(self, state: State) -> None:
        self.before = state
        copy(state[0], self.spare.pieces)
        if self.pairs:
            kept, other = state[1]
            self.words[Words.KEPT] = kept
            self.words[Words.OTHER : Words.OTHER + 1].view(np.float64)[0] = other

    @property
    def second(self) -> Second:
        """That of the user's generator; NumPy's way to it may need the lock."""
        return _second(self.owner) if self.pairs else _NONE_KEPT

    def set_second(self, second: Second) -> None:
        if self.pairs and self.second != second:
            _set_second(self.owner, second)

    @property
    def second_left(self) -> Second:
        """That of ours, after a run."""
        (other,) = self.words[Words.OTHER : Words.OTHER + 1].view(np.float64)
        return int(self.words[Words.KEPT]), float(other)


class Lent:
    """Generators of ours in place of the user's, for one call of a nest.

    Parameters
    ----------
    owners
        For each generator one of the objects by which the nest draws from it.
    pairs
        Numbers of those whose second number of a pair counts.

    Attributes
    ----------
    arrays
        What stands for them in the kernel; see `kernel.Words`.
    """

    def __init__(self, owners: Sequence[Any], pairs: frozenset[int]) -> None:
        self.loans = [_Loan(owner, number in pairs) for number, owner in enumerate(owners)]
        self.arrays = tuple([loan.words for loan in self.loans])
        locks = [loan.lock for loan in self.loans if loan.lock is not None]
        self.locks = sorted(locks, key=id)  # so that no two threads wait for one another

    def close(self) -> None:
        """What was lent may serve another call."""
        for loan in self.loans:
            _free.setdefault(type(loan.spare.generator), []).append(loan.spare)

    def states(self) -> list[State]:
        """Those of the user's generators."""
        with _Held(self.locks):
            found = self._states()
        return [(state, loan.second) for state, loan in zip(found, self.loans, strict=True)]

    def _states(self) -> list[tuple[bytes, ...]]:
        return [tuple(map(bytes, loan.pieces)) for loan in self.loans]

    def put(self, states: Sequence[State]) -> None:
        """Set those of the user's generators."""
        with _Held(self.locks):
            for loan, (state, _) in zip(self.loans, states, strict=True):
                copy(state, loan.pieces)
        for loan, (_, second) in zip(self.loans, states, strict=True):
            loan.set_second(second)

    def begin(self) -> None:
        """Let the copies start where the user's generators are."""
        for loan, state in zip(self.loans, self.states(), strict=True):
            loan.begin(state)

    def commit(self) -> bool:
        """Leave the user's generators where the copies are, unless somebody else has drawn."""
        loans = self.loans
        if [loan.second for loan in loans] != [loan.before[1] for loan in loans]:
            return False
        with _Held(self.locks):
            if self._states() != [loan.before[0] for loan in loans]:
                return False
            for loan in loans:
                copy(loan.spare.pieces, loan.pieces)
        for loan in loans:
            loan.set_second(loan.second_left)
        return True


class _Held:
    """With all of these locks."""

    __slots__ = ("locks",)

    def __init__(self, locks: Sequence[Any]) -> None:
        self.locks = locks

    def __enter__(self) -> None:
        for lock in self.locks:
            lock.acquire()

    def __exit__(self, *error: object) -> None:
        for lock in self.locks:
            lock.release()


def _second(owner: Any) -> Second:
    if is_python(type(owner)):
        found = vars(owner)["gauss_next"]
        return _NONE_KEPT if found is None else (1, found)
    state = owner.get_state(legacy=False)
    return int(state["has_gauss"]), float(state["gauss"])


def _set_second(owner: Any, second: Second) -> None:
    if is_python(type(owner)):
        vars(owner)["gauss_next"] = second[1] if second[0] else None
        return
    state = owner.get_state(legacy=False)
    state["has_gauss"], state["gauss"] = second
    owner.set_state(state)
