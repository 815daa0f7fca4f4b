"""A range that interpreter and nest go through together: see `nest.text.stretches`."""

from __future__ import annotations

from itertools import islice

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


IDLE = Stretch(())
"""Of a loop that is not asked."""
