"""Whether anything would happen when objects end: what Python's collector need not come to.

At the end of a process an object may write what it has kept (a file), run code of the user's
(`__del__`, a generator's `finally`, a weak reference's callback), or give back what the system
cannot take back by itself.  Of types that nobody knows here, any of that is thought to be possible.
"""

from __future__ import annotations

import itertools
import operator
import sys
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from functools import partial
from types import FunctionType
from weakref import ReferenceType

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_ITERATORS: tuple[Any, ...] = ([], (), {}, {}.values(), {}.items(), set(), range(0), "", b"")
_ATOMS = (object, int, float, complex, bool, str, bytes, bytearray, memoryview, type(None))
_KINDS: tuple[type, ...] = (
    dict, list, tuple, set, frozenset, type, property, classmethod, staticmethod, slice, super,
    enumerate, zip, map, filter, reversed, BaseException, deque, defaultdict, OrderedDict, partial,
    operator.attrgetter, operator.itemgetter, operator.methodcaller,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CellType,
    types.ModuleType, types.SimpleNamespace, types.MappingProxyType, types.TracebackType,
    types.GenericAlias, types.UnionType, types.WrapperDescriptorType, types.MethodDescriptorType,
    types.ClassMethodDescriptorType, types.MemberDescriptorType, types.GetSetDescriptorType,
    types.MethodWrapperType, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_KNOWN = {
    *_ATOMS,
    *_KINDS,
    *(type(iter(one)) for one in _ITERATORS),
    *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
}
_LIBRARIES = ("numpy", "autopar", "ast")
"""Where an object does no more at its end than what it says, by `__del__`."""
_NAMED = {
    f"{module}.{name}"
    for module, names in {
        "_abc": ("_abc_data",),
        "_collections": ("_tuplegetter",),
        "_contextvars": ("Context", "ContextVar", "Token"),
        "_random": ("Random",),
        "_struct": ("Struct",),
        "_thread": ("RLock", "lock"),
        "builtins": ("hamt", "hamt_bitmap_node"),
        "functools": ("_lru_cache_wrapper",),
        "re": ("Match", "Pattern"),
    }.items()
    for name in names
}
"""Types of C's that can be found under no name, or with an import."""
_METHODS = types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType
_CALLBACKS = ("weakref", "_weakrefset", "functools", "enum")
"""Modules of Python's whose callbacks of weak references only keep account of them."""
_STREAMS = ("TextIOWrapper", "BufferedWriter", "BufferedReader", "FileIO")


def harmless(objects: Iterable[object]) -> bool:
    """Whether nothing that anybody sees would happen at the end of any of `objects`."""
    objects = list(objects)
    doubtful = {kind for kind in set(map(type, objects)) if not _is_harmless(kind)}
    if not doubtful:
        return True
    streams = _streams()
    return all(
        id(one) in streams or (type(one) is ReferenceType and _only_counts(one))
        for one in objects
        if type(one) in doubtful
    )


def _is_harmless(kind: type) -> bool:
    return all(map(_ends_in_silence, kind.__mro__))


def _ends_in_silence(kind: type) -> bool:
    """Whether what `kind` itself says of the end of its objects is nothing."""
    if kind in _KNOWN:
        return True
    own = vars(kind)
    if "__del__" in own:
        return False
    if f"{kind.__module__}.{kind.__qualname__}" in _NAMED:
        return True
    if issubclass(kind, BaseException) or str(kind.__module__).partition(".")[0] in _LIBRARIES:
        return True
    return not any(_is_made_by_c(value, kind) for value in own.values())


def _is_made_by_c(value: object, kind: type) -> bool:
    """Whether a method is C's for `kind` itself: a class of Python's has none, but others'."""
    if isinstance(value, types.BuiltinFunctionType):
        return value.__self__ is kind
    return isinstance(value, _METHODS) and value.__objclass__ is kind


def _only_counts(one: ReferenceType[Any]) -> bool:
    call = one.__callback__
    if call is None or type(call) is types.BuiltinFunctionType:
        return True
    return type(call) is FunctionType and call.__module__ in _CALLBACKS


def _streams() -> set[int]:
    """Those that Python has opened itself, and writes out in any case."""
    found: set[int] = set()
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        one: object = stream
        while one is not None and type(one).__name__ in _STREAMS:
            found.add(id(one))
            one = getattr(one, "buffer", None) or getattr(one, "raw", None)
    return found
