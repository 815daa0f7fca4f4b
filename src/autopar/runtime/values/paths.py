"""What is behind the paths of a nest at one call: attributes, and what functions find in turn.

The nests that stand for one another at a call ask for much the same.  So what has been looked up
for one of them is told to the next, at this call: no attribute is read twice.
"""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from autopar.nest.hidden import KEYS, VALUES
from autopar.nest.ir import Nest
from autopar.runtime.peek import ABSENT, gone_through
from autopar.runtime.values.generators import Drawing, drawing, method_of
from autopar.runtime.values.helpers import MISSING, named, plain_function
from autopar.runtime.values.mirrors import Mirror
from autopar.runtime.values.plain import function_of, plain_attribute, type_name
from autopar.verdict import Reason, Refusal, Refused, Span

_ABSENT = object()
_FOREIGN = (math, cmath, np, np.linalg)


def _is_foreign(module: ModuleType) -> bool:
    """Whether no nest stands in `module`: its names stay what they are while one assigns its own.

    To ask NumPy for `numpy.random` would import it.
    """
    return module in _FOREIGN or module is sys.modules.get("numpy.random")


class Said:
    """What one call has said, of the paths that have been asked about.

    Attributes
    ----------
    roots
        The values that it hands over.
    known
        What is behind a path; behind one that ends in ``()``, what is called.
    callees
        What there is to say of a function, by path.
    mirrors
        Arrays that stand for lists, by their `id`.
    passed
        Who has recognised the call at a glance, one after the other, and what was seen; None for
        each to whom it was new.
    """

    __slots__ = ("callees", "known", "mirrors", "passed", "roots")

    def __init__(self, roots: tuple[Any, ...]) -> None:
        self.roots = roots
        self.known: dict[str, Any] = {}
        self.callees: dict[str, tuple[Any, Drawing | None, Any]] = {}
        self.mirrors: dict[int, Mirror] = {}
        self.passed: list[Any] = []

    def beside(self, *more: Any) -> Said:
        """The same, of a call that hands over `more` after these values."""
        found = Said((*self.roots, *more))
        found.known, found.callees, found.mirrors = self.known, self.callees, self.mirrors
        return found

    def callee(self, path: str, resolve: Resolver) -> tuple[Any, Drawing | None, Any]:
        """The function behind `path`, what it draws, and the plain function that it is."""
        found = self.callees.get(path)
        if found is None:
            function = resolve(self)
            draws = drawing(function)
            found = function, draws, plain_function(function) if draws is None else None
            self.callees[path] = found
        return found


Resolver = Callable[[Said], Any]
"""Finds what is behind a path; raises `Refused` where that would run code of the user's."""


class Paths:
    """Resolvers for the paths of one nest."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.scalars = frozenset(nest.scalars)

    def resolver(self, path: str, called: bool = False) -> Resolver:
        """How to find what is behind `path`, or what is `called` there."""
        root, *attributes = path.split(".")
        k = self.nest.roots.index(root)

        def at_root(said: Said) -> Any:
            return said.roots[k]

        found: Resolver = at_root
        # Through its module, an attribute may be a variable of the nest: nothing that others know.
        changing = self.scalars.intersection(attributes)
        so_far = root
        steps = iter(pairwise((*attributes, "<>" if called else "")))
        for attribute, following in steps:
            so_far = f"{so_far}.{attribute}"
            key = so_far
            if attribute in (KEYS, VALUES):
                found = self._of_dict(found, attribute)
            elif attribute.startswith("<"):
                so_far = key = f"{so_far}.{following}"
                found = self._in_function(found, attribute, following)
                next(steps, None)
            elif following.startswith("<") and following not in (KEYS, VALUES):
                key = f"{so_far}()"
                found = self._attribute(found, attribute, _called, attribute in changing)
            else:
                found = self._attribute(found, attribute, plain_attribute, attribute in changing)
            found = found if changing else _once(key, found)
        return found

    def _attribute(
        self, owner: Resolver, name: str, read: Callable[[Any, str], Any], changing: bool
    ) -> Resolver:
        def found(said: Said) -> Any:
            value = owner(said)
            if changing and isinstance(value, ModuleType) and not _is_foreign(value):
                raise self._refused(Reason.SYNTAX, f"{name} of a module")
            return read(value, name)

        return found

    def _of_dict(self, owner: Resolver, part: str) -> Resolver:
        """What a dictionary has."""

        def found(said: Said) -> Any:
            value = owner(said)
            parts = gone_through(value, part)
            if parts is ABSENT:
                raise self._refused(Reason.NOT_ARRAY, f"{part} of {type_name(value)}")
            return parts

        return found

    def _in_function(self, function: Resolver, scope: str, name: str) -> Resolver:
        """What `name` means in a function; see `nest.calls.inline`."""

        def found(said: Said) -> Any:
            value = named(function(said), scope, name)
            if value is MISSING:
                raise self._refused(Reason.UNBOUND, name)
            return value

        return found

    def _refused(self, reason: Reason, detail: str) -> Refused:
        return Refused(Refusal(reason, Span(self.nest.file, self.nest.loop.line), detail))


def dicts_gone_through(nest: Nest) -> list[str]:
    """Paths of the dictionaries whose keys or values `nest` goes through."""
    dots = (path.rpartition(".") for path in nest.paths)
    return sorted({owner for owner, _, part in dots if part in (KEYS, VALUES)})


def _once(key: str, resolve: Resolver) -> Resolver:
    """`resolve`, unless the call has been asked that before."""

    def found(said: Said) -> Any:
        value = said.known.get(key, _ABSENT)
        if value is _ABSENT:
            value = said.known[key] = resolve(said)
        return value

    return found


def _called(value: Any, name: str) -> Any:
    """``value.name`` for a call."""
    return method_of(value, name) or function_of(value, name)
