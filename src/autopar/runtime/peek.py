"""Attributes of objects, read without asking for the dictionary that they are in.

CPython keeps the attributes of an object in the object itself until somebody asks for its
``__dict__``; from then on they are in a dictionary, and each access takes longer, for good.
Nothing heavy is imported here.
"""

from __future__ import annotations

import _collections  # type: ignore[import-not-found]
import types

from autopar.nest.hidden import KEYS, VALUES

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

ABSENT = object()
"""Where there is no such attribute, or looking it up might run code of the user's."""

FIELD: Any = getattr(_collections, "_tuplegetter", None)
"""The type of what the class of a named tuple has for each field."""
OF_TUPLES: Any = tuple.__getattribute__

_METHODS = frozenset(("keys", "values", "items"))
_PARTS = (KEYS, VALUES)
_PLAIN: Any = object.__getattribute__
_MODULE: Any = types.ModuleType.__getattribute__
_NAMESPACE: Any = types.SimpleNamespace.__getattribute__
_DICTIONARIES = (types.GetSetDescriptorType, types.MemberDescriptorType)


def in_mro(kind: type, name: str) -> Any:
    """What a class, or one that it inherits from, has under `name`; else `ABSENT`."""
    for base in kind.__mro__:
        found = base.__dict__.get(name, ABSENT)
        if found is not ABSENT:
            return found
    return ABSENT


def has_dictionary(kind: type) -> bool:
    """Whether objects of a class have attributes of their own, kept in the usual way."""
    return type(in_mro(kind, "__dict__")) in _DICTIONARIES


def attribute(value: Any, name: str) -> Any:
    """``value.name`` of a plain object or module, or `ABSENT`.

    Neither ``__getattr__`` nor a descriptor of the user's is asked.
    """
    kind: Any = type(value)
    lookup = kind.__getattribute__
    if lookup is not _PLAIN and lookup is not _MODULE and lookup is not _NAMESPACE:
        named = lookup is OF_TUPLES and type(in_mro(kind, name)) is FIELD
        return _PLAIN(value, name) if named else ABSENT
    in_class = in_mro(kind, name)
    if in_class is not ABSENT:
        about = type(in_class)
        if about is not types.MemberDescriptorType and hasattr(about, "__get__"):
            data = hasattr(about, "__set__") or hasattr(about, "__delete__")
            return ABSENT if data else _shadowing(value, name, in_class)
    try:
        return _PLAIN(value, name)
    except AttributeError:
        return ABSENT


def follow(value: Any, names: list[str]) -> Any:
    """What is behind a path of attributes, or None."""
    for name in names:
        value = gone_through(value, name) if name in _PARTS else attribute(value, name)
        if value is ABSENT:
            return None
    return value


def gone_through(table: Any, part: str) -> Any:
    """What a dictionary has, as `nest.text.views` names it; `ABSENT` where it is none.

    It is asked as the user asks it, who may have other methods in their place.
    """
    kind = type(table)
    if kind is not dict:
        lookup = in_mro(kind, "__getattribute__")  # C's, or a function of the user's
        if not issubclass(kind, dict) or type(lookup) is not types.WrapperDescriptorType:
            return ABSENT
        if any(in_mro(kind, name) is not vars(dict)[name] for name in _METHODS):
            return ABSENT
        if has_dictionary(kind) and not _METHODS.isdisjoint(_PLAIN(table, "__dict__")):
            return ABSENT
    return tuple(dict.keys(table) if part == KEYS else dict.values(table))


def _shadowing(value: Any, name: str, in_class: Any) -> Any:
    """The attribute of an object whose class has a function of that name."""
    if type(in_class) is types.FunctionType:
        found = _PLAIN(value, name)
        bound = type(found) is types.MethodType and found.__func__ is in_class
        return ABSENT if bound and found.__self__ is value else found
    if type(in_class) is staticmethod:
        found = _PLAIN(value, name)
        return ABSENT if found is in_class.__func__ else found
    if not has_dictionary(type(value)):
        return ABSENT
    return value.__dict__.get(name, ABSENT)
