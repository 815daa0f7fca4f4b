"""A first look at what a run of statements works on: is there enough of it to be worth asking?

Assignments are everywhere, so what is asked of all of them must cost next to nothing: no import,
no analysis, and nothing of the user's that could run.
"""

from __future__ import annotations

import sys

from autopar import config
from autopar.runtime.peek import follow
from autopar.sched.machine import MACHINE
from autopar.site_spec import SiteSpec

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_NO_NUMBERS = (slice, list, tuple, type(None), type(...))
_LARGEST = 1 << 40  # of a number that may say how many there are


class Glance:
    """What the values of a call look like.

    Attributes
    ----------
    arrays
        Whether there was an array at the last call, or a sequence to go through.  One of which
        nothing but elements is used does not count.
    """

    __slots__ = ("arrays", "attributes", "depths", "items", "weight")

    def __init__(self, spec: SiteSpec) -> None:
        self.weight, self.items = spec.weight, spec.items
        split = [path.split(".") for path in spec.paths]
        self.attributes = tuple((spec.roots.index(root), names) for root, *names in split)
        self.depths = spec.depths
        self.arrays = False

    def worth(self, values: tuple[Any, ...]) -> bool:
        """Whether Python would take so long that it is worth asking for a kernel."""
        self.arrays = False
        kind = getattr(sys.modules.get("numpy"), "ndarray", None)
        if kind is None and not self.items:
            return False
        found = *values, *(follow(values[k], names) for k, names in self.attributes)
        pairs = [*zip(found, self.depths, strict=True)]
        sizes = [value.size for value, depth in pairs if type(value) is kind and value.ndim > depth]
        if not sizes and any(type(value) in _NO_NUMBERS for value in found):  # as a subscript
            sizes = [value.size for value in found if type(value) is kind]
        counts = [_count(value) for value in found] if self.items else []
        if not sizes and not any(counts):
            return False
        self.arrays = True
        settings = config.current()
        if settings.verify or settings.fail_on_fallback:
            return True
        each_s: float = MACHINE.numpy_call_s + max(sizes, default=0) * MACHINE.numpy_element_s
        items_s: float = max(counts, default=0) * MACHINE.item_of_python_s
        return self.weight * (each_s + items_s) > MACHINE.dispatch_s


def _count(value: Any) -> int:
    """How many items there are to go through, at a guess."""
    count = 0
    if type(value) is int:
        return value if 0 < value < _LARGEST else 0
    if type(value) in (list, tuple):
        count = len(value)
        if count and type(value[0]) in (list, tuple):
            count *= len(value[0])
    return count
