"""Attributes and elements whose reading runs no code of the user's."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from autopar.records import dataclass
from autopar.runtime.peek import ABSENT, attribute, in_mro
from autopar.runtime.values.dicts import GET_OF_DICT, gets
from autopar.verdict import Reason, Refusal, Refused, Span

# What a class may define without changing what its elements are or how they are read and written.
_HARMLESS = {"__dict__", "__doc__", "__init__", "__module__", "__new__", "__repr__", "__str__"}
_SPECIAL = frozenset(dir(np.ndarray)) - _HARMLESS | {"__getattr__"}
_MEMMAP = {name: vars(np.memmap)[name] for name in _SPECIAL.intersection(vars(np.memmap))}


def is_plain_array(kind: type) -> bool:
    """Whether elements of a `kind` are read and written as those of an ``ndarray``.

    Asked at each call, as classes can change.
    """
    if not issubclass(kind, np.ndarray):
        return False
    for base in kind.__mro__:
        if base is np.ndarray:
            return True
        if base is np.memmap:  # its own methods give an element as it is
            own = {name: vars(base)[name] for name in _SPECIAL.intersection(vars(base))}
            if own != _MEMMAP:
                return False
        elif not _SPECIAL.isdisjoint(vars(base)):
            return False
    return False


_NUMBERS = frozenset((bool, complex, float, int))
_SCALARS = frozenset(np.dtype(code).type for code in "?bBhHiIlLqQfdFD")
_PLAIN_LOOKUP: tuple[object, ...] = tuple(
    kind.__getattribute__ for kind in (object, types.ModuleType, type, types.SimpleNamespace)
)


def plain_attribute(value: Any, name: str) -> Any:
    """``value.name`` where looking it up runs no code of the user's.

    Raises
    ------
    Refused
        When the attribute is absent, or computed (a property, ``__getattr__``).
    """
    if name.startswith("["):
        return _item(value, name[2:-2])
    kind = type(value)
    if name in ("size", "ndim", "T") and (kind is np.ndarray or is_plain_array(kind)):
        return getattr(value, name)
    if name in ("real", "imag") and (kind in _NUMBERS or kind in _SCALARS):
        return getattr(value, name)
    if issubclass(kind, type):
        if kind.__getattribute__ in _PLAIN_LOOKUP:
            found, about = in_mro(value, name), type(in_mro(kind, name))
            if found is ABSENT:
                found = in_mro(kind, name)
            data = hasattr(about, "__set__") or hasattr(about, "__delete__")
            if found is not ABSENT and not data and not hasattr(type(found), "__get__"):
                return found
    else:
        found = attribute(value, name)
        if found is not ABSENT:
            return found
    raise Refused(Refusal(Reason.WRONG_TYPE, Span("", 0), f".{name} of {type_name(value)}"))


def _item(value: Any, key: str) -> Any:
    """``value[key]`` of a dictionary that is nobody's namespace."""
    if type(value) is not dict or "__builtins__" in value:
        raise Refused(Refusal(Reason.WRONG_TYPE, Span("", 0), f"['{key}'] of {type_name(value)}"))
    if key not in value:
        raise Refused(Refusal(Reason.UNBOUND, Span("", 0), f"['{key}'] of a dict"))
    return value[key]


@dataclass(frozen=True, slots=True)
class Method:
    """A function of an object's class, found through this very object.

    A bound method of Python's own says nothing of where it was found: kept in an attribute of
    another object, it is a method of the one and called by the name of the other.
    """

    function: types.FunctionType


def function_of(value: Any, name: str) -> Any:
    """``value.name`` for a call: as `plain_attribute`, or a plain `Method`."""
    kind = type(value)
    if issubclass(kind, type) and kind.__getattribute__ in _PLAIN_LOOKUP:
        found = in_mro(value, name) if in_mro(kind, name) is ABSENT else ABSENT
        if type(found) is types.FunctionType:
            return found
        if type(found) is staticmethod:
            return found.__func__
    if kind is types.ModuleType or issubclass(kind, type):
        return plain_attribute(value, name)
    if kind is np.ndarray and name in vars(np.ndarray):
        return vars(np.ndarray)[name]
    if name == "get" and gets(value):
        return GET_OF_DICT
    if kind.__getattribute__ in _PLAIN_LOOKUP:
        found = in_mro(kind, name)
        if attribute(value, name) is ABSENT:
            if type(found) is types.FunctionType:
                return Method(found)
            if type(found) is staticmethod:
                return found.__func__
    return plain_attribute(value, name)


def type_name(value: Any) -> str:
    """The type of `value` as a user would write it."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
