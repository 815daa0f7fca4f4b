"""Whether anything would happen when objects end: what Python's collector need not come to.

At the end of a process an object may write what it has kept (a file), run code of the user's
(`__del__`, a generator's `finally`, a weak reference's callback), or give back what the system
cannot take back by itself.  Of types that nobody knows here, any of that is thought to be possible.

Nothing of the user's is called to find out: types are told by identity, and of a class only what
Python itself keeps of it is looked at.
"""

from __future__ import annotations

import gc
import itertools
import operator
import sys
import types
from _weakref import ReferenceType
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType

from autopar.records import BUILTINS

__builtins__ = BUILTINS  # a program may replace Python's

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from typing import Any

_ITERATORS: tuple[Any, ...] = ([], (), {}, {}.values(), {}.items(), set(), range(0), "", b"")
_KINDS: tuple[type, ...] = (
    object, int, float, complex, bool, str, bytes, bytearray, memoryview, type(None),
    type(NotImplemented), type(...), range,
    dict, list, tuple, set, frozenset, type, property, classmethod, staticmethod, slice, super,
    enumerate, zip, map, filter, reversed, deque, defaultdict, OrderedDict, partial,
    operator.attrgetter, operator.itemgetter, operator.methodcaller,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CellType,
    types.CodeType, types.ModuleType, types.SimpleNamespace, types.MappingProxyType,
    types.TracebackType, types.GenericAlias, types.UnionType, types.WrapperDescriptorType,
    types.MethodDescriptorType, types.ClassMethodDescriptorType, types.MemberDescriptorType,
    types.GetSetDescriptorType, types.MethodWrapperType,
    type({}.keys()), type({}.values()), type({}.items()), type(iter(int, 1)),
)  # fmt: skip
_KNOWN = frozenset(
    id(kind)
    for kind in (
        *_KINDS,
        *(type(iter(one)) for one in _ITERATORS),
        *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
    )
)
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
        "Token": ("MISSING",),
        "builtins": ("hamt", "hamt_bitmap_node", "stderrprinter"),
        "functools": ("_lru_cache_wrapper",),
        "re": ("Match", "Pattern"),
    }.items()
    for name in names
}
"""Types of C's that can be found under no name, or with an import."""
_CYTHONS = ("_common_types_metatype", "cython_function_or_method")
"""Types of Cython's, where functions are concerned."""
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_METHODS = frozenset(
    map(
        id,
        (
            types.WrapperDescriptorType,
            types.MethodDescriptorType,
            types.ClassMethodDescriptorType,
        ),
    )
)
_COUNTERS = ("weakref", "_weakrefset", "functools", "enum")
"""Modules of Python's whose callbacks of weak references only keep account of them."""
_mro, _dict, _module, _name = (
    type.__dict__[f"__{name}__"].__get__ for name in ("mro", "dict", "module", "qualname")
)


Destructor = Callable[[object], "int | None"]
"""Where the function is that is called at the end of a capsule; None: nothing is."""


def destructor() -> Destructor | None:
    """Python's own, where NumPy has imported what calls it; to be asked for before the user can."""
    ctypes = sys.modules.get("ctypes")
    if ctypes is None:
        return None
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)
    found: Destructor = kind(("PyCapsule_GetDestructor", ctypes.pythonapi))
    return found


def harmless(objects: Sequence[object], destructor: Destructor | None = None) -> bool:
    """Whether nothing that anybody sees would happen at the end of `objects`, and what they hold.

    Python keeps no account of some of the latter.
    """
    return not _doubtful([*objects, *gc.get_referents(*objects)], destructor)


def harmless_but(objects: Sequence[object], streams: Iterable[object]) -> bool:
    """The same of `objects` themselves, but for `streams`, which Python writes out in any case."""
    opened = _opened(streams)
    return all(id(one) in opened for one in _doubtful(objects, None))


def _doubtful(objects: Sequence[object], destructor: Destructor | None) -> list[object]:
    """Those at whose end something may happen; as far as possible without a line for each."""
    kinds = list(map(type, objects))
    keys = list(map(id, kinds))
    found = {key for key, kind in dict(zip(keys, kinds, strict=True)).items() if not _known(kind)}
    if not found:
        return []
    doubtful = itertools.compress(objects, map(found.__contains__, keys))
    return [one for one in doubtful if not _only_holds(one, destructor)]


def _known(kind: type) -> bool:
    bases: tuple[type, ...] = _mro(kind)
    raised = any(base is BaseException for base in bases)
    return all(_ends_in_silence(base, raised) for base in bases)


def _ends_in_silence(kind: type, raised: bool) -> bool:
    """Whether what `kind` itself says of the end of its objects is nothing."""
    if id(kind) in _KNOWN:
        return True
    own = _dict(kind)
    if "__del__" in own:
        return False
    try:
        module = _module(kind)
    except AttributeError:
        return False  # made by a text that is in no module
    if type(module) is not str:  # where it says what that of their objects is
        return type(module) in _DESCRIPTORS and _name(kind) in _CYTHONS
    if "n_sequence_fields" in own and issubclass(kind, tuple):
        return True  # such as `sys.flags`
    if f"{module}.{_name(kind)}" in _NAMED:
        return True
    if raised or module.partition(".")[0] in _LIBRARIES:
        return True
    # A class of Python's: what C has made has methods of C's.
    return not any(_is_made_by_c(value, kind) for value in own.values())


def _is_made_by_c(value: Any, kind: type) -> bool:
    """Whether a method is C's for `kind` itself: a class of Python's has none, but others'."""
    if type(value) is types.BuiltinFunctionType:
        return value.__self__ is kind
    return id(type(value)) in _METHODS and value.__objclass__ is kind


def _only_holds(one: object, destructor: Destructor | None) -> bool:
    """Whether an object of a type that may do something at its end does not."""
    if type(one) is ReferenceType:
        return _only_counts(one.__callback__)
    kind = type(one)
    if destructor is None or _name(kind) != "PyCapsule" or "__del__" in _dict(kind):
        return False
    try:
        return destructor(one) is None
    except ValueError:
        return False  # of another type that is called so


def _only_counts(call: Any) -> bool:
    """Whether what is called at the end of another object is nothing, or keeps account of it."""
    if call is None:
        return True
    if type(call) is types.BuiltinFunctionType:
        return call.__name__ == "_destroy"  # of a class with abstract methods
    if type(call) is not FunctionType or call.__closure__ is not None:
        return False  # or it calls what it holds
    module = call.__globals__.get("__name__")
    return type(module) is str and module in _COUNTERS


def _opened(streams: Iterable[object]) -> set[int]:
    """The files of `streams`, and those that these are made of, by their `id`."""
    found: set[int] = set()
    for stream in streams:
        one = stream
        while one is not None and type(one).__module__ == "_io":
            found.add(id(one))
            one = getattr(one, "buffer", None) or getattr(one, "raw", None)
    return found
