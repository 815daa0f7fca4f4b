"""Which parameters of a call become numbers in its analysis, and how often."""

from __future__ import annotations

from collections.abc import Mapping

_MOST_TUPLES = 16  # analyses with different numbers, for one type key
_MOST_IN_VAIN = 4  # of them, as long as none has found more than the one without

Numbers = tuple[tuple[str, int], ...]


class Ration:
    """Says when an analysis for certain numbers may be made.

    ``a[i * m + j]`` is affine once `m` is a number, and the call knows it.  But the analysis is
    then right for this number only, and a number that is new at each call must not cost an
    analysis each time.
    """

    def __init__(self) -> None:
        self._helped: dict[Numbers, bool] = {}

    def numbers(self, names: tuple[str, ...], env: Mapping[str, tuple[int, int]]) -> Numbers:
        """Values of `names`; none where they are known to be of no use, or had too often."""
        found = tuple((name, int(env[name][0])) for name in names if name in env)
        if found in self._helped:
            return found if self._helped[found] else ()
        most = _MOST_TUPLES if any(self._helped.values()) else _MOST_IN_VAIN
        return found if len(self._helped) < most else ()

    def note(self, numbers: Numbers, helped: bool) -> None:
        """What came of `numbers`."""
        self._helped[numbers] = self._helped.get(numbers, False) or helped
