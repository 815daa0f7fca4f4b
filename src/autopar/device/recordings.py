"""Launches of a whole run, recorded once and started together when the same run comes again.

To launch a kernel takes the host ten microseconds and more, and two hundred where copies of large
arrays have just taken Python's own data out of the processor's caches.  That is longer than small
kernels take: a loop of launches waits for Python, and hundreds of them recorded as one do not.
What a run launches is the same as at an earlier one if its kernels, its numbers and the places of
its blocks are.

References
----------
NVIDIA, "CUDA C++ Programming Guide", section "CUDA Graphs".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from autopar.records import dataclass

MOST = 4096
"""Launches that one recording holds."""
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Recording:
    """What a run has launched.

    Attributes
    ----------
    owner
        What must not be gone as long as the name of the run is in use.
    launches
        As its device has recorded them; None after the first such run, which may be the only one.
    """

    owner: object
    launches: Any = None


class Recordings(ABC):
    """Those of one device, of the runs that came last."""

    def __init__(self) -> None:
        self.known: OrderedDict[Hashable, Recording] = OrderedDict()

    def recalled(self, name: Hashable) -> Recording | None:
        """What an earlier run of that name has left, if it was one of the last."""
        found = self.known.get(name)
        if found is not None:
            self.note(name, found)
        return found

    def note(self, name: Hashable, recording: Recording) -> None:
        """A run of that name has been there."""
        self.known.pop(name, None)
        self.known[name] = recording
        while len(self.known) > _KEPT:
            self.known.popitem(last=False)

    @abstractmethod
    def place(self, buffer: Any) -> int:
        """Where a block is."""

    @abstractmethod
    def record(self, work: Callable[[], int]) -> tuple[int, Any]:
        """What `work` answers, and all that it launches as one thing, of which nothing has run."""

    @abstractmethod
    def replay(self, launches: Any) -> None:
        """Start what `record` has made, behind all that was started before."""
