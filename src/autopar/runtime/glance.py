"""A first look at what a run of statements works on: is it arrays, and are they large enough?

Assignments are everywhere, so what is asked of all of them must cost next to nothing: no import,
no analysis, and nothing of the user's that could run.
"""

from __future__ import annotations

import sys
from typing import Any

from autopar import config
from autopar.kernel import SiteSpec
from autopar.sched.machine import MACHINE

_PLAIN: Any = object.__getattribute__


class Glance:
    """What the values of a call look like.

    Attributes
    ----------
    arrays
        Whether there was an array at the last call.
    """

    __slots__ = ("arrays", "attributes", "weight")

    def __init__(self, spec: SiteSpec) -> None:
        self.weight = spec.weight
        split = [path.split(".") for path in spec.paths]
        self.attributes = tuple((spec.roots.index(root), names) for root, *names in split)
        self.arrays = False

    def worth(self, values: tuple[Any, ...]) -> bool:
        """Whether NumPy would take so long that it is worth asking for a kernel."""
        self.arrays = False
        numpy = sys.modules.get("numpy")
        kind = getattr(numpy, "ndarray", None)
        if kind is None:
            return False
        sizes = [value.size for value in values if type(value) is kind]
        for k, names in self.attributes:
            found = _attribute(values[k], names)
            if type(found) is kind:
                sizes.append(found.size)
        if not sizes:
            return False
        self.arrays = True
        settings = config.current()
        if settings.verify or settings.fail_on_fallback:
            return True
        each_s: float = MACHINE.numpy_call_s + max(sizes) * MACHINE.numpy_element_s
        return self.weight * each_s > MACHINE.dispatch_s


def _attribute(value: Any, names: list[str]) -> Any:
    """What is in the dictionaries of objects under these names, or None."""
    for name in names:
        kind: Any = type(value)
        if kind.__getattribute__ is not _PLAIN:
            return None
        try:
            value = _PLAIN(value, "__dict__").get(name)
        except AttributeError:
            return None
    return value
