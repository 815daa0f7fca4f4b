"""Everything that a program can see of its values, in a form that compares by bits."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np

_NUMBERS = (bool, int, str, type(None))


class Frozen:
    """Makes of values what is equal only to what has the same types, bits and identities.

    Lists, dictionaries, arrays and objects are numbered as they are met; one that is met again is
    said to be the same, so values of one program must all go through one `Frozen`, by sorted names.
    """

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self.kept: list[Any] = []  # alive, or another object could get its place

    def of(self, value: Any) -> Any:
        if type(value) in _NUMBERS:
            # In hexadecimal, integers of any length have a text.
            return type(value).__name__, hex(value) if type(value) is int else repr(value)
        if isinstance(value, float | complex | np.generic):
            return type(value).__name__, np.asarray(value).dtype.str, bits(np.asarray(value))
        if isinstance(value, tuple):
            return type(value).__name__, tuple(map(self.of, value))
        if id(value) in self.known:
            return "the same as", self.known[id(value)]
        self.known[id(value)] = number = len(self.known)
        self.kept.append(value)
        return type(value).__name__, number, *self.parts(value)

    def parts(self, value: Any) -> tuple[Any, ...]:
        """What is in a thing that may be shared."""
        match value:
            case np.ndarray():
                layout = value.strides if value.size > 1 else ()
                base = self.known.get(id(value.base)) if value.base is not None else None
                return base, value.dtype.str, value.shape, layout, bits(value)
            case list():
                return (tuple(map(self.of, value)),)
            case dict():
                return (tuple((self.of(k), self.of(v)) for k, v in value.items()),)
            case set() | frozenset():
                return (sorted(map(repr, value)),)
            case random.Random():
                return (value.getstate(),)
            case np.random.Generator():
                return (repr(value.bit_generator.state),)
            case np.random.RandomState():
                return (repr(value.get_state(legacy=False)),)
            case _ if is_data("", value):
                names = sorted({*vars_of(value)})
                return tuple((name, self.of(getattr(value, name))) for name in names)
        return ()


def vars_of(value: Any) -> set[str]:
    """Names of the attributes that an object itself has."""
    slots = [name for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]
    return {*getattr(value, "__dict__", ()), *slots}


def is_data(name: str, value: Any) -> bool:
    return not (name.startswith("__") or callable(value) or isinstance(value, ModuleType))


def bits(array: np.ndarray[Any, Any]) -> bytes:
    """Bytes with every nan alike: which operand's nan survives is not defined by IEEE 754."""
    if array.dtype.kind not in "fc":
        return array.tobytes()
    parts = np.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
    return np.where(np.isnan(parts), np.nan, parts).tobytes()
