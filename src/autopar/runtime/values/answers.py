"""What the values of a call answer to a nest's questions, running no code of the user's."""

from __future__ import annotations

import enum
from typing import Any

from autopar.runtime.peek import in_mro

PLAIN = frozenset((str, bytes, int, float, complex, bool, type(None)))
"""Types whose values are compared by what they are."""
_IDENTITY = vars(object)["__eq__"]


def answer(op: str, one: Any, two: Any) -> bool | None:
    """``one is two`` or ``one == two``, or None where that may be anything."""
    if op == "is":
        return one is two
    kinds = type(one), type(two)
    if all(kind in PLAIN or in_mro(kind, "__eq__") is _IDENTITY for kind in kinds):
        return bool(one == two)
    return None


def is_member(value: Any) -> bool:
    """Whether `value` is a member of an enumeration that is equal to itself alone."""
    kind = type(value)
    return isinstance(kind, enum.EnumMeta) and in_mro(kind, "__eq__") is _IDENTITY
