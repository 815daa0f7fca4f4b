"""Calls of a loop that a copy of the process has asked about in vain.

What a loop is declined for is mostly the same in each process, and to find that out may take longer
than the program: so it is left beside the mark of the site (`before`).  Calls with values of other
types, or with much larger ones, are another matter, and so is all of it once the user has changed a
file or a setting.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from autopar import config
from autopar.digest import digest
from autopar.records import dataclass
from autopar.runtime import process
from autopar.runtime.patience import size

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_RARELY = 20.0  # times what a question costs, that is to be lost before the next one
_GROWTH = 4  # as in `patience`: a call with so much larger values is another matter
_KINDS = 4  # of calls of one loop: what it sums up is a float at first, and then one of NumPy's
_DEEPEST = 4  # objects within objects
_FEW, _MOST = 16, 256  # things in an object that are looked at, and in all
_TOLD = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


@dataclass(frozen=True, slots=True)
class Vain:
    """What is known of such calls.

    Attributes
    ----------
    seconds
        Which it took to find out that there are no kernels.
    amount
        How much there was in the values.
    calls
        A hash of the types of values, and of all else that has a say in what is declined.
    """

    seconds: float
    amount: int
    calls: str


def waits_s(told: Sequence[Vain], values: Sequence[object]) -> float:
    """Seconds to be lost before a call with `values` is asked: 20 times the cost; 0: none."""
    calls, amount = _calls(values)
    for one in told:
        if calls == one.calls and amount <= _GROWTH * one.amount + _GROWTH:
            return _RARELY * one.seconds
    return 0.0


def in_vain(seconds: float, values: Sequence[object]) -> Vain:
    """After a question with `values` that took so long."""
    calls, amount = _calls(values)
    return Vain(seconds, amount, calls)


def text(newest: Vain, others: Sequence[Vain]) -> str:
    """What is known of calls of some kinds, to be read by `read`."""
    told = [newest, *(one for one in others if one.calls != newest.calls)][:_KINDS]
    return "\n".join(f"{one.seconds:.4f} {one.amount} {one.calls}" for one in told)


def read(text: str) -> list[Vain]:
    """What `text` wrote; raises `ValueError` where it did not."""
    found = []
    for line in text.splitlines():
        seconds, amount, calls = line.split()
        if not 0.0 <= float(seconds) < math.inf:
            raise ValueError(seconds)
        found.append(Vain(float(seconds), int(amount), calls))
    if not found:
        raise ValueError(text)
    return found


def _calls(values: Sequence[object]) -> tuple[str, int]:
    """See `Vain.calls` and `Vain.amount`."""
    glance = _Glance()
    looked = [glance.at(value, _DEEPEST) for value in values]
    parts = config.ways(), sorted(process.texts), [kinds for kinds, _ in looked]
    amount = max((found for _, found in looked), default=0)
    return digest(ascii(parts).encode()).hexdigest()[:32], amount


class _Glance:
    """A look at values that runs nothing of the user's; `left` is how many more it may take."""

    def __init__(self) -> None:
        self.left = _MOST

    def at(self, value: Any, deep: int) -> tuple[str, int]:
        """The types in `value`, and how much there is in it."""
        self.left -= 1
        kind = type(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if kind.__module__ == "numpy":
            return f"{name} {getattr(value, 'dtype', '')}", size(value)
        # Of its type: to ask an object itself might run what the user has written for that.
        if issubclass(kind, _TOLD) or not deep or self.left <= 0:
            return name, 0
        if kind is list or kind is tuple:
            first, amount = self.at(value[0], deep - 1) if value else ("", 0)
            return f"{name}[{first}]", len(value) * max(amount, 1)
        if kind is dict:
            inside = [self.at(one, deep - 1) for one in list(value.values())[:_FEW]]
            return _of(name, inside), max(len(value), sum(amount for _, amount in inside))
        if kind is int or not gc.is_tracked(value):
            return name, size(value) if deep == _DEEPEST else 0  # within others it may be a seed
        # What Python's collector sees of an object: to ask for its dictionary would make one.
        inside = [self.at(one, deep - 1) for one in gc.get_referents(value)[:_FEW]]
        return _of(name, inside), sum(amount for _, amount in inside)


def _of(name: str, inside: Sequence[tuple[str, int]]) -> str:
    return f"{name}({', '.join(sorted({kinds for kinds, _ in inside}))})"
