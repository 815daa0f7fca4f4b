"""The user's objects behind a loop that calls their methods: what was seen of them."""

from __future__ import annotations

import builtins
import types
from collections.abc import Sequence
from typing import Any

from autopar.nest.hidden import CLOSURE, GLOBALS
from autopar.records import dataclass
from autopar.runtime.peek import ABSENT, in_mro
from autopar.runtime.values.attributes import own, settable
from autopar.runtime.values.helpers import MISSING, named
from autopar.runtime.values.plain import Method, function_of, plain_attribute
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST = 32  # objects in a list
_HEAP = 1 << 9  # the flag of classes that are made by a `class` statement
_NATIVE = (types.BuiltinFunctionType, types.ModuleType, type)

Source = tuple[Any, ...]
"""Where a value is found: ``("root", i)``, ``("attr", object, name)``, ``("item", list, i)``,
``("global", function, scope, name)``, ``("column", source, k, width)`` for the items of tuples, and
``("native", name)``."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a class of the user's."""

    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """A list or tuple of such objects."""

    items: tuple[Thing, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A text, or None."""

    value: str | None


@dataclass(frozen=True, slots=True)
class Code:
    """A function of the user's, which the nest can name as what is at `source`."""

    function: types.FunctionType
    source: Source


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of an object, or a function of its class that is handed none."""

    owner: Thing | None
    function: types.FunctionType


@dataclass(frozen=True, slots=True)
class Other:
    """What the nest is handed as it is: a number, a list of numbers, a module."""

    source: Source
    value: Any

    @property
    def native(self) -> bool:
        """Whether it is known by its identity."""
        return isinstance(self.value, _NATIVE)


Meaning = Thing | Group | Said | Code | Other


class Changed(Exception):
    """Something is not as it was seen."""


class Scene:
    """Objects by number, with what must be true of them.

    Parameters
    ----------
    roots
        The values of a call.
    """

    def __init__(self, roots: Sequence[Any]) -> None:
        self.roots = roots
        self.things: list[Any] = []
        self.groups: list[Any] = []
        self.checks: dict[tuple[Any, ...], None] = {}
        self.numbers: dict[int, int] = {}
        self.known: dict[Source, Meaning] = {}

    def check(self, *fact: Any) -> None:
        """See to it at each call."""
        self.checks[fact] = None

    def meaning(self, source: Source) -> Meaning:
        """What is at `source`; raises `Refused`."""
        found = self.known.get(source)
        if found is None:
            found = self.known[source] = self._meaning(source)
        return found

    def _meaning(self, source: Source) -> Meaning:
        value = look(source, self.roots, self.things, self.groups)
        if value is None or type(value) is str:
            self.check("said", source, value)
            return Said(value)
        if type(value) is types.FunctionType:
            self.check("same", source, Identity(value))
            return Code(value, source)
        if is_thing(value):
            return self.thing(source, value)
        if type(value) in (list, tuple) and value and is_thing(value[0]):
            if len(value) > _MOST or not all(map(is_thing, value)):
                raise _refused(f"a list of {len(value)} objects")
            number = len(self.groups)
            self.check("group", source, number, type(value), len(value))
            self.groups.append(value)
            pairs = [(("item", number, k), one) for k, one in enumerate(value)]
            return Group(tuple(self.thing(at, one) for at, one in pairs))
        found = Other(source, value)
        if found.native:
            self.check("same", source, Identity(value))
        return found

    def thing(self, source: Source, value: Any) -> Thing:
        """The object `value`, which is at `source`."""
        number = self.numbers.setdefault(id(value), len(self.things))
        self.check("thing", source, number, type(value))
        if number == len(self.things):
            self.things.append(value)
        return Thing(number)

    def native(self, name: str) -> Other:
        """A builtin that the text does not mention."""
        found = self.meaning(("native", name))
        assert isinstance(found, Other)
        return found

    def attribute(self, owner: Thing, name: str) -> Meaning:
        """``owner.name``; raises `Refused`."""
        return self.meaning(("attr", owner.number, name))

    def method(self, owner: Thing, name: str) -> Bound | None:
        """``owner.name`` for a call, where it is a function of its class; raises `Refused`."""
        value = self.things[owner.number]
        if in_mro(type(value), name) is ABSENT:
            return None
        found = function_of(value, name)
        if isinstance(found, Method):
            self.check("method", owner.number, name, found.function)
            return Bound(owner, found.function)
        if type(found) is types.FunctionType and type(in_mro(type(value), name)) is staticmethod:
            self.check("static", owner.number, name, found)
            return Bound(None, found)
        return None

    def assigned(self, owner: Thing, name: str) -> None:
        """See to it that ``owner.name = value`` stores the value alone; raises `Refused`."""
        if not settable(self.things[owner.number], name):
            raise _refused(f".{name}, which is assigned")
        self.check("settable", owner.number, name)

    def ordered(self, keys: Sequence[tuple[int, str]]) -> None:
        """See to it that no more than one of these attributes is new; raises `Refused`."""
        new = []
        for number, name in keys:
            if own(self.things[number], name):
                self.check("own", number, name)
            else:
                new.append((number, name))
        if len({number for number, _ in new}) < len(new):
            raise _refused(f".{new[-1][1]}, which is new as others are")

    def called(self, function: types.FunctionType) -> None:
        """See to it that a function does what its text says."""
        code, defaults = function.__code__, function.__defaults__
        self.check("code", Identity(function), code, Identity(defaults))

    def outside(self, function: types.FunctionType, name: str) -> Source:
        """Where a name of a function is found that is not its own."""
        scope = CLOSURE if name in function.__code__.co_freevars else GLOBALS
        return "global", Identity(function), scope, name


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """A value that is equal to itself alone."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def is_thing(value: Any) -> bool:
    """Whether `value` is an object of the user's that keeps attributes in the usual way."""
    kind: Any = type(value)
    if not kind.__flags__ & _HEAP or kind.__getattribute__ is not object.__getattribute__:
        return False
    if in_mro(kind, "__getattr__") is not ABSENT or isinstance(value, type):
        return False
    return all(base is object or base.__flags__ & _HEAP for base in kind.__mro__)


def look(source: Source, roots: Sequence[Any], things: list[Any], groups: list[Any]) -> Any:
    """What is at `source`; raises `Refused`."""
    match source:
        case "root", int(k):
            return roots[k]
        case "attr", int(k), str(name):
            return plain_attribute(things[k], name)
        case "item", int(k), int(place):
            return groups[k][place]
        case "column", where, int(k), int(width):
            rows = look(where, roots, things, groups)
            if type(rows) not in (list, tuple):
                raise _refused("a list of tuples that are not alike")
            rows = tuple(rows)  # another thread may change a list meanwhile
            if not {*map(type, rows)} <= {tuple} or not {*map(len, rows)} <= {width}:
                raise _refused("a list of tuples that are not alike")
            return [row[k] for row in rows]
        case "native", str(name):
            return getattr(builtins, name)
    _, function, scope, name = source
    found = named(function.value, scope, name)
    if found is MISSING:
        raise Refused(Refusal(Reason.UNBOUND, Span("", 0), name))
    return found


def things_now(checks: Sequence[tuple[Any, ...]], roots: Sequence[Any]) -> list[Any]:
    """The objects of another call, where all is as it was seen.

    Raises
    ------
    Changed, Refused
        Where it is not.
    """
    things: list[Any] = []
    groups: list[Any] = []
    for fact in checks:
        match fact:
            case "thing", source, number, kind:
                value = look(source, roots, things, groups)
                if type(value) is not kind:
                    raise Changed
                if number == len(things):
                    things.append(value)
                elif things[number] is not value:
                    raise Changed
            case "group", source, _, kind, count:
                value = look(source, roots, things, groups)
                if type(value) is not kind or len(value) != count:
                    raise Changed
                groups.append(value)
            case "said", source, said:
                value = look(source, roots, things, groups)
                if type(value) is not type(said) or value != said:
                    raise Changed
            case "same", source, one:
                if look(source, roots, things, groups) is not one.value:
                    raise Changed
            case "method", number, name, function:
                found = function_of(things[number], name)
                if type(found) is not Method or found.function is not function:
                    raise Changed
            case "static", number, name, function:
                if function_of(things[number], name) is not function:
                    raise Changed
            case "settable", number, name:
                if not settable(things[number], name):
                    raise Changed
            case "own", number, name:
                if not own(things[number], name):
                    raise Changed
            case "code", one, code, defaults:
                function = one.value
                if function.__code__ is not code or function.__defaults__ is not defaults.value:
                    raise Changed
    if len(set(map(id, things))) < len(things):
        raise Changed
    return things


def _refused(detail: str) -> Refused:
    return Refused(Refusal(Reason.WRONG_TYPE, Span("", 0), detail))
