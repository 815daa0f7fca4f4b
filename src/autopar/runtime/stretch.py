"""A range that interpreter and nest go through together: see `nest.text.stretches`."""

from __future__ import annotations

from _collections import deque  # type: ignore[import-not-found]
from _thread import get_ident
from itertools import chain, islice
from operator import length_hint

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any


class Stretch:
    """What a loop with events in it goes through.

    Attributes
    ----------
    items
        In place of the range: from which iterations can be skipped.
    plain
        Whether it is a range, so that a nest may go on with it.
    stop
        Of the range.
    """

    __slots__ = ("items", "plain", "step", "stop")

    def __init__(self, items: Any) -> None:
        self.plain = type(items) is range
        self.items = items
        if self.plain:
            self.items, self.stop, self.step = iter(items), items.stop, items.step

    def skip(self, at: int, last: int) -> None:
        """The nest was at `at` when it began, and has come to `last`."""
        count = (last - at) // self.step
        next(islice(self.items, count, count), None)


class Resting(Stretch):
    """One of which some iterations may be gone through without a look at anything but `plain`.

    Each iteration that is asked is an iterator of its own, one of `parts`, which are gone through
    one after the other: so whoever is asked may say what comes next.  All of that is C's, and calls
    nothing that a profiler would hear of.

    Attributes
    ----------
    base
        The items themselves.
    left
        How many of these there are behind the iteration that was to be asked next.
    thread
        That which goes through them.
    """

    __slots__ = ("base", "left", "length", "parts", "thread")

    def __init__(self, items: Any) -> None:
        super().__init__(items)
        try:
            self.length = len(items) if self.plain else 0
        except OverflowError:
            self.plain = False  # nor can a nest count so far
        if self.plain:
            self.base, self.thread = self.items, get_ident()
            self.parts: deque[Any] = deque()
            self.items = chain.from_iterable(iter(self.parts.popleft, None))
            self.go_on()

    @property
    def asked(self) -> bool:
        """Whether the iteration at hand is one of those that are asked, and asks here.

        In another thread the loop may be just about to take what comes next.
        """
        mine = bool(self.plain) and self.thread == get_ident()
        return mine and length_hint(self.base) == self.left

    def go_on(self) -> None:
        """Have the next iteration asked."""
        self.left = length_hint(self.base) - 1
        self.parts.clear()
        self.parts.extend((islice(self.base, 1), self.base, None))

    def rest(self, count: int) -> int:
        """Go through so many iterations; how many of these there are not any more."""
        left = length_hint(self.base)
        self.plain = False
        if count >= left:
            return count - left
        self.left = left - count - 1
        again: Any = filter(None, map(setattr, (self,), ("plain",), (True,)))  # which is no item
        self.parts.clear()
        self.parts.extend((islice(self.base, count), again, islice(self.base, 1), self.base, None))
        return 0

    def skip(self, at: int, last: int) -> None:
        """See `Stretch.skip`."""
        asked, count = self.asked, (last - at) // self.step
        next(islice(self.base, count, count), None)
        if asked:
            self.go_on()


IDLE = Stretch(())
"""Of a loop that is not asked."""
