"""Dictionaries, and what they do about keys that they have not."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from autopar.nest.values.new_keys import COUNTER, FLOATS, INTS, PLAIN
from autopar.runtime.peek import in_mro

DICTS = (dict, defaultdict, Counter)
GET_OF_DICT = vars(dict)["get"]

_MISSING = vars(Counter)["__missing__"]
_SPECIAL = ("__getitem__", "__setitem__", "__contains__", "__len__", "__iter__")


def kind_of(table: Any) -> str | None:
    """What `table` does about keys that it has not, as `nest.values.new_keys` names it.

    None where it is no dictionary of which that is known.
    """
    kind = type(table)
    if kind is dict:
        return PLAIN
    if kind is defaultdict:
        makes = table.default_factory
        return INTS if makes is int else FLOATS if makes is float else PLAIN
    if kind is Counter and vars(Counter)["__missing__"] is _MISSING:
        own = vars(dict)
        if all(in_mro(Counter, name) is own[name] for name in _SPECIAL):
            return COUNTER
    return None


def gets(table: Any) -> bool:
    """Whether its method ``get`` is that of a `dict`."""
    kind = type(table)
    if kind not in DICTS or in_mro(kind, "get") is not GET_OF_DICT:
        return False
    return kind is not Counter or "get" not in vars(table)
