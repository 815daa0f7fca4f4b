"""Attributes that a nest assigns: what must be true of their objects."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from autopar.nest.ir import Nest
from autopar.records import dataclass
from autopar.runtime.peek import ABSENT, attribute, has_dictionary, in_mro
from autopar.runtime.values.paths import Resolver, Said
from autopar.verdict import Reason, Refusal, Refused, Span

_ABSENT = object()
_PLAIN: Any = object.__setattr__
_GET: Any = object.__getattribute__


def assigned(names: Sequence[str]) -> tuple[str, ...]:
    """Those of `names` that are attributes."""
    return tuple(name for name in names if "." in name)


@dataclass(frozen=True, slots=True)
class Target:
    """An attribute that a nest assigns.

    Attributes
    ----------
    path
        Its name in the nest.
    owner
        Finds the object that has it.
    others
        Find the objects of which the nest uses an attribute of that name.
    """

    path: str
    owner: Resolver
    others: tuple[Resolver, ...]

    def refusal(self, said: Said, place: Span) -> Refusal | None:
        """Why assigning it once, when the nest is done, may not be the same."""
        owner = self.owner(said)
        name = self.path.rpartition(".")[2]
        if not settable(owner, name):
            return Refusal(Reason.WRONG_TYPE, place, f"{self.path}, which is assigned")
        if not own(owner, name) and _by_its_class(type(owner), name):  # it may not be at all so far
            detail = f"{self.path}, which is assigned and only its class has it so far"
            return Refusal(Reason.WRONG_TYPE, place, detail)
        if any(other(said) is owner for other in self.others):
            return Refusal(Reason.OVERLAP, place, f"{self.path} has another name as well")
        return None


def targets(nest: Nest, resolver: Callable[[str], Resolver]) -> tuple[Target, ...]:
    """The attributes that `nest` assigns.

    Raises
    ------
    Refused
        Where a function that has been written out reads one of them.
    """
    place = Span(nest.file, nest.loop.line)
    mine = assigned(nest.results)
    again = sorted(set(nest.paths) & set(nest.scalars) & set(mine))
    if again:
        raise Refused(Refusal(Reason.OVERLAP, place, f"{again[0]} has another name as well"))
    everything = {*mine, *assigned(nest.paths)}
    found = []
    for path in mine:
        owner, _, name = path.rpartition(".")
        others = {one for one, _, last in (p.rpartition(".") for p in everything) if last == name}
        found.append(
            Target(path, resolver(owner), tuple(resolver(o) for o in sorted(others - {owner})))
        )
    return tuple(found)


def settable(owner: Any, name: str) -> bool:
    """Whether ``owner.name = value`` stores the value and does nothing else."""
    kind: Any = type(owner)
    if issubclass(kind, type | types.ModuleType) or kind.__setattr__ is not _PLAIN:
        return False
    inherited = in_mro(kind, name)
    if type(inherited) is types.MemberDescriptorType:  # __slots__
        return True
    return has_dictionary(kind) and not hasattr(type(inherited), "__set__")


def own(thing: Any, name: str) -> bool:
    """Whether an attribute of an object of the user's is surely there, and its own."""
    inherited = in_mro(type(thing), name)
    if type(inherited) is types.MemberDescriptorType:
        return True
    if inherited is ABSENT:
        return attribute(thing, name) is not ABSENT
    if hasattr(type(inherited), "__get__"):
        return False
    found = attribute(thing, name)
    if found is not inherited:
        return found is not ABSENT
    # As a dataclass has its default.  Asking for the dictionary makes later accesses slower.
    return has_dictionary(type(thing)) and name in _GET(thing, "__dict__")


def _by_its_class(kind: type, name: str) -> bool:
    """Whether objects of a class that have no such attribute may answer for it all the same."""
    return any(in_mro(kind, one) is not ABSENT for one in (name, "__getattr__"))


class Kept:
    """Attributes as they are now, to be put back after a trial.

    Parameters
    ----------
    paths
        Of attributes of objects among `roots`.
    """

    def __init__(self, paths: Sequence[str], roots: dict[str, Any]) -> None:
        self.found: dict[str, tuple[Any, str, Any]] = {}
        for path in assigned(paths):
            root, *names, last = path.split(".")
            owner = roots[root]
            for name in names:
                owner = getattr(owner, name)
            self.found[path] = owner, last, getattr(owner, last, _ABSENT)

    @property
    def before(self) -> dict[str, Any]:
        """What the attributes were."""
        return {path: value for path, (_, _, value) in self.found.items() if value is not _ABSENT}

    def now(self) -> dict[str, Any]:
        """What the attributes are after the trial."""
        values = {path: getattr(o, name, _ABSENT) for path, (o, name, _) in self.found.items()}
        return {path: value for path, value in values.items() if value is not _ABSENT}

    def put_back(self) -> None:
        for owner, name, before in self.found.values():
            if before is not _ABSENT:
                setattr(owner, name, before)
            elif hasattr(owner, name):
                delattr(owner, name)
