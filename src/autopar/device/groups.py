"""How many work items of a kernel go on together: tried at its first launches, kept on disk.

Results are the same for any number, since each work item has its own part of the loop.  Which is
fastest depends on registers, on the cache and on what a group reads alike, and no formula says it
for all devices; so each of a few is tried, as in [1]_, on launches that had to be done in any case.

References
----------
.. [1] Whaley, Petitet & Dongarra, *Automated empirical optimizations of software and the ATLAS
   project*, Parallel Computing 27, 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

SIZES = (64, 128, 256, 512)
LEAST = 1 << 16
"""Work items of launches that tell one number from another; fewer are over in no time."""
_TIMES = 2  # that each is tried
_BETTER = 0.95  # of the usual number's time, or that one stays
_MOST = 8  # launches that are told apart

Seconds = Callable[[], float | None]
"""What a launch took on the device; None until it is over."""


class Groups:
    """The numbers of work items that a kernel may be launched with, of which one turns out best.

    Parameters
    ----------
    usual
        What is taken where nothing else is known to be faster.
    most
        What the kernel can have.
    kept
        What an earlier process has found.
    keep
        Told what this one has found.

    Attributes
    ----------
    best
        The number to be taken, as far as is known.
    settled
        Whether that is so for good.
    """

    def __init__(
        self, usual: int, most: int, kept: int | None, keep: Callable[[int], None]
    ) -> None:
        usual = min(usual, most)
        self.sizes = [usual, *(size for size in SIZES if size <= most and size != usual)]
        known = kept in self.sizes  # or the file is damaged
        self.best = kept if known and kept is not None else usual
        self.settled = known or len(self.sizes) == 1
        self.keep = keep
        # By what a launch does, which must be the same for times to be compared.
        self.took: dict[Hashable, dict[int, list[float]]] = {}
        self.waiting: tuple[Hashable, int, Seconds] | None = None

    def turn(self, same: Hashable) -> int | None:
        """The number to try at a launch that does what others with `same` do; None: it is `best`.

        Of one that is tried, the caller says with `begun` what became of it.
        """
        self.look()
        if self.settled or self.waiting is not None:
            return None
        took = self.took.get(same)
        if took is None:
            if len(self.took) >= _MOST:
                return None
            took = self.took[same] = {size: [] for size in self.sizes}
        return min(self.sizes, key=lambda size: len(took[size]))

    def begun(self, same: Hashable, size: int, seconds: Seconds) -> None:
        """A launch that is timed is on its way."""
        self.waiting = same, size, seconds

    def look(self) -> None:
        """Note what the launch took that was on its way, if it is over."""
        waiting = self.waiting  # which another thread may note as well
        if waiting is None:
            return
        same, size, seconds = waiting
        found = seconds()
        if found is None:
            return
        self.waiting = None
        took = self.took.get(same)
        if took is not None:
            took[size].append(found)
            if all(len(times) >= _TIMES for times in took.values()):
                self.settle({size: min(times) for size, times in took.items()})

    def settle(self, took: Mapping[int, float]) -> None:
        """The fastest number from now on, and in processes after this one."""
        usual = self.sizes[0]
        fastest = min(took, key=took.__getitem__)
        self.best = fastest if took[fastest] < _BETTER * took[usual] else usual
        self.settled, self.took = True, {}
        self.keep(self.best)
