"""What the values of one call say: the type key, the aliases, the parameters."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autopar.deps.data import Equation, Overlap
from autopar.nest import functions, kinds
from autopar.nest.functions import Function
from autopar.nest.ir import Nest
from autopar.nest.types import ArrayType, roles
from autopar.runtime.overlap import Layout, equations, is_simple
from autopar.verdict import Reason, Refusal, Refused, Span

_MAX_INT = 2**63 - 1
_C, _F, _ALIGNED, _WRITEABLE = 0x1, 0x2, 0x100, 0x400
_EXACT_WORK = 1000  # how hard NumPy may try to prove that two overlapping views share no element


@dataclass(frozen=True, slots=True)
class Values:
    """Resolved live-ins of one call, in the order of the nest's sorted paths."""

    arrays: dict[str, np.ndarray[Any, Any]]
    numbers: dict[str, Any]
    calls: dict[str, Any]


class Reader:
    """Resolves the live-in paths of one nest and makes the type key of a call."""

    def __init__(self, nest: Nest) -> None:
        arrays, calls, numbers = roles(nest)
        self.nest = nest
        self.arrays = tuple((p, self._resolver(p)) for p in sorted(arrays))
        self.calls = tuple((p, self._resolver(p)) for p in sorted(calls))
        self.numbers = tuple((p, self._resolver(p)) for p in sorted(numbers - arrays - calls))
        self.confused = sorted(arrays & (calls | numbers))

    def _resolver(self, path: str) -> Callable[[Sequence[Any]], Any]:
        root, *attributes = path.split(".")
        k = self.nest.roots.index(root)
        if not attributes:
            return lambda values: values[k]

        def resolve(values: Sequence[Any]) -> Any:
            found = values[k]
            for attribute in attributes:
                found = plain_attribute(found, attribute)
            return found

        return resolve

    def refuse(self, reason: Reason, detail: str) -> Refused:
        return Refused(Refusal(reason, Span(self.nest.file, self.nest.loop.line), detail))

    def read(self, roots: Sequence[Any]) -> tuple[tuple[Any, ...], Values]:
        """Type key and values; raises `Refused` for live-ins that are never taken."""
        key: list[Any] = []
        arrays: dict[str, Any] = {}
        numbers: dict[str, Any] = {}
        calls: dict[str, Any] = {}
        for path, resolve in self.arrays:
            array = resolve(roots)
            if type(array) is not np.ndarray:
                raise self.refuse(Reason.NOT_ARRAY, f"{path} is {_type_name(array)}")
            arrays[path] = array
            key += (array.dtype, array.ndim, array.flags.num)
        for path, resolve in self.numbers:
            number = resolve(roots)
            kind = type(number)
            if kind is int and not -_MAX_INT <= number <= _MAX_INT:
                raise self.refuse(Reason.BIG_INTEGER, path)
            numbers[path] = number
            key.append(kind)
        for path, resolve in self.calls:
            calls[path] = function = resolve(roots)
            key.append(id(function))
        return tuple(key), Values(arrays, numbers, calls)

    def types(
        self, values: Values
    ) -> tuple[dict[str, ArrayType], dict[str, str], dict[str, Function]]:
        """Types behind a new key; raises `Refused` for what is not supported."""
        for path in self.confused:
            raise self.refuse(Reason.WRONG_TYPE, f"{path} is used as an array and as a number")
        arrays = {path: self._array_type(path, a) for path, a in values.arrays.items()}
        numbers = {}
        for path, number in values.numbers.items():
            atom = kinds.atom_of(number)
            if atom is None:
                raise self.refuse(Reason.WRONG_TYPE, f"{path} is {_type_name(number)}")
            numbers[path] = atom
        calls = {}
        for path, found in values.calls.items():
            function = functions.known(found)
            if function is None:
                raise self.refuse(Reason.CALL, f"{path}(…)")
            if path in ("range", "len", "min", "max") and function.form != path:
                raise self.refuse(Reason.SHADOWED, path)
            calls[path] = function
        return arrays, numbers, calls

    def _array_type(self, path: str, array: np.ndarray[Any, Any]) -> ArrayType:
        name = array.dtype.name
        known = name in (*kinds.NUMBERS, "bool") and array.dtype.char == np.dtype(name).char
        if not known or not array.dtype.isnative or not array.ndim:
            raise self.refuse(
                Reason.WRONG_TYPE, f"{path} is a {array.ndim}-d array of {array.dtype.str}"
            )
        flags = array.flags.num
        layout = "C" if flags & _C else "F" if flags & _F else "A"
        return ArrayType(name, array.ndim, layout, bool(flags & _WRITEABLE), bool(flags & _ALIGNED))


_PLAIN_LOOKUP: tuple[object, ...] = tuple(
    kind.__getattribute__ for kind in (object, types.ModuleType, type, types.SimpleNamespace)
)
_ABSENT = object()


def plain_attribute(value: Any, name: str) -> Any:
    """``value.name`` where looking it up runs no code of the user's.

    Raises
    ------
    Refused
        When the attribute is absent, or computed (a property, ``__getattr__``).
    """
    kind = type(value)
    if kind is np.ndarray and name in ("size", "ndim"):
        return getattr(value, name)
    if kind.__getattribute__ in _PLAIN_LOOKUP:
        in_class = _in_mro(kind, name)
        if isinstance(in_class, types.MemberDescriptorType):  # __slots__
            in_class = getattr(value, name, _ABSENT)
            own: Any = {}
        else:
            computed = hasattr(type(in_class), "__set__")
            own = {} if computed else getattr(value, "__dict__", {})
        if name in own:
            return own[name]
        if isinstance(value, type):
            in_class = _in_mro(value, name)
        if in_class is not _ABSENT and not hasattr(type(in_class), "__get__"):
            return in_class
    raise Refused(Refusal(Reason.WRONG_TYPE, Span("", 0), f".{name} of {_type_name(value)}"))


def _in_mro(kind: type, name: str) -> Any:
    return next((k.__dict__[name] for k in kind.__mro__ if name in k.__dict__), _ABSENT)


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


@dataclass(frozen=True, slots=True)
class Aliases:
    """Array paths that are one and the same view, and those that overlap in another way."""

    same: tuple[tuple[str, ...], ...] = ()
    tangled: frozenset[Overlap] = frozenset()


NO_ALIASES = Aliases()


def aliases(arrays: dict[str, np.ndarray[Any, Any]], written: Sequence[str]) -> Aliases:
    """How the arrays share memory; only pairs with a written one matter."""
    tangled: set[Overlap] = set()
    same: dict[str, set[str]] = {}
    for first in written:
        a = arrays[first]
        alone = a.flags.forc or is_simple(a.shape, a.strides, a.itemsize)
        if not alone:
            tangled.add(Overlap(first, first, _where(a, a) or ()))
        for second, b in arrays.items():
            if second == first or (second in written and second < first):
                continue
            if a is not b and not np.may_share_memory(a, b):
                continue
            # Two names for elements that share memory among themselves are no better than two views.
            if alone and (a is b or _identical(a, b)):
                same.setdefault(first, {first}).add(second)
            elif _share(a, b):
                where = _where(a, b)
                if where is not None:
                    tangled.add(_sorted(Overlap(first, second, where)))
    if not same and not tangled:
        return NO_ALIASES
    return Aliases(_classes(same), frozenset(tangled))


def _classes(same: dict[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    merged: list[set[str]] = []
    for group in same.values():
        touching = [g for g in merged if g & group]
        merged = [g for g in merged if not g & group]
        merged.append(group.union(*touching))
    return tuple(sorted(tuple(sorted(g)) for g in merged))


def _identical(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype and _at(a) == _at(b)


def _at(a: np.ndarray[Any, Any]) -> int:
    address: int = a.__array_interface__["data"][0]
    return address


def _where(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> tuple[Equation, ...] | None:
    first, second = (Layout(x.shape, x.strides, x.itemsize) for x in (a, b))
    return equations(first, second, _at(b) - _at(a))


def _sorted(overlap: Overlap) -> Overlap:
    if overlap.first <= overlap.second:
        return overlap
    turned = tuple(equation.turned() for equation in overlap.where)
    return Overlap(overlap.second, overlap.first, turned)


def _share(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(a, b, max_work=_EXACT_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
