"""The user's objects behind a loop that calls their methods: what was seen of them."""

from __future__ import annotations

import builtins
import types
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from autopar.nest.hidden import CLOSURE, GLOBALS
from autopar.records import dataclass, field
from autopar.runtime.peek import ABSENT, FIELD, OF_TUPLES, in_mro
from autopar.runtime.values.attributes import own, settable
from autopar.runtime.values.helpers import MISSING, named
from autopar.runtime.values.plain import Method, function_of, plain_attribute
from autopar.verdict import Reason, Refusal, Refused, Span

_MOST = 32  # objects in a list
_HEAP = 1 << 9  # the flag of classes that are made by a `class` statement
_USUAL: Any = object.__getattribute__
_NATIVE = (types.BuiltinFunctionType, types.ModuleType, type)

Source = tuple[Any, ...]
"""Where a value is found: ``("root", i)``, ``("attr", object, name)``, ``("item", list, i)``,
``("global", function, scope, name)``, ``("column", source, k, width)`` for the items of tuples, and
``("native", name)``; ``("each", crowd, name)``, an attribute of all objects in a list, and
``("count", crowd)``, how many these are."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a class of the user's."""

    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """A list or tuple of such objects."""

    items: tuple[Thing, ...]


@dataclass(frozen=True, slots=True)
class Crowd:
    """A list or tuple of objects of one class, each of whose attributes is a list of numbers."""

    number: int
    source: Source


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
    """A method of an object, or a function of its class that is handed none.

    Attributes
    ----------
    owner
        A `Thing`, or an object of a `Crowd`, or None.
    """

    owner: Any
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


Meaning = Thing | Group | Crowd | Said | Code | Other


class Changed(Exception):
    """Something is not as it was seen."""


class Unlike(Exception):
    """The objects of this list are to be looked at one by one."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.source = source


@dataclass(slots=True)
class Seen:
    """The objects of a call by number, and the lists in which some of them are.

    Those in `crowds` are what the `lists` held when they were looked at.
    """

    roots: Sequence[Any]
    things: list[Any] = field(default_factory=list)
    groups: list[Any] = field(default_factory=list)
    crowds: list[Any] = field(default_factory=list)
    lists: list[Any] = field(default_factory=list)

    @property
    def apart(self) -> bool:
        """Whether no object is met in two ways."""
        objects = [*map(id, self.things), *(id(one) for crowd in self.crowds for one in crowd)]
        return len(set(objects)) == len(objects)


class Scene:
    """Objects by number, with what must be true of them.

    Parameters
    ----------
    roots
        The values of a call.
    single
        Lists whose objects are looked at one by one; None: all of them.
    """

    def __init__(self, roots: Sequence[Any], single: frozenset[Source] | None) -> None:
        self.seen = Seen(roots)
        self.roots, self.single = roots, single
        self.things, self.groups = self.seen.things, self.seen.groups
        self.crowds = self.seen.crowds
        self.given: set[str] = set()  # attributes of objects in crowds that are assigned
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
        value = look(source, self.seen)
        if value is None or type(value) is str:
            self.check("said", source, value)
            return Said(value)
        if type(value) is types.FunctionType:
            self.check("same", source, Identity(value))
            return Code(value, source)
        if is_thing(value):
            return self.thing(source, value)
        if type(value) in (list, tuple) and value and is_thing(value[0]):
            if self.single is not None and source not in self.single and _alike(value):
                return self.crowd(source, value)
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

    def crowd(self, source: Source, value: Sequence[Any]) -> Crowd:
        """The list `value` of objects of one class, which is at `source`."""
        places = (k for k, one in enumerate(self.seen.lists) if one is value)
        number = next(places, len(self.crowds))
        self.check("crowd", source, number, type(value), type(value[0]))
        if number == len(self.crowds):
            self.seen.lists.append(value)
            self.crowds.append(tuple(value))
        return Crowd(number, source)

    def each(self, crowd: Crowd, name: str) -> Source:
        """Where attributes of all objects of a list are; raises `Refused`, or `Unlike`."""
        source = "each", crowd.number, name
        if source not in self.known:
            column = look(source, self.seen)
            kinds = {*map(type, column)}
            if len(kinds) > 1 or not kinds <= {int, float, bool, complex}:
                if len(column) > _MOST:
                    raise _refused(f".{name} of objects in a list")
                raise Unlike(crowd.source)
            self.known[source] = Other(source, column)
        return source

    def count(self, crowd: Crowd) -> Source:
        """Where the length of a list of objects is."""
        source = "count", crowd.number
        self.known[source] = Other(source, len(self.crowds[crowd.number]))
        return source

    def method_of_each(self, crowd: Crowd, name: str) -> types.FunctionType | None:
        """The function of their class that ``x.name`` is, for all objects of a list."""
        objects = self.crowds[crowd.number]
        function = in_mro(type(objects[0]), name)
        if type(function) is not types.FunctionType or not _inherit(objects, name, function):
            return None
        self.check("methods", crowd.number, name, function)
        return function

    def assigned_each(self, crowd: Crowd, name: str) -> None:
        """See to it that ``x.name = value`` does nothing else, for all of them."""
        if not _settable(self.crowds[crowd.number], name):
            raise _refused(f".{name}, which is assigned")
        self.given.add(name)
        self.check("settable each", crowd.number, name)

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

    def owned(self, number: int, name: str) -> bool:
        """See to it that an attribute is its object's own, if it is."""
        found = own(self.things[number], name)
        if found:
            self.check("own", number, name)
        return found

    def ordered(self, keys: Sequence[tuple[int, str]]) -> None:
        """See to it that no more than one of these attributes is new; raises `Refused`."""
        new = []
        for number, name in keys:
            if not self.owned(number, name):
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
    """Whether `value` is an object of the user's that keeps attributes in the usual way.

    Or a named tuple, whose fields are read likewise.
    """
    kind: Any = type(value)
    lookup = kind.__getattribute__
    if not kind.__flags__ & _HEAP or (lookup is not _USUAL and lookup is not OF_TUPLES):
        return False
    if in_mro(kind, "__getattr__") is not ABSENT or isinstance(value, type):
        return False
    known = (object, tuple) if lookup is OF_TUPLES else (object,)
    return all(base in known or base.__flags__ & _HEAP for base in kind.__mro__)


def _alike(objects: Sequence[Any]) -> bool:
    """Whether these are several objects of one class, none of them twice."""
    kind = type(objects[0])
    if any(type(one) is not kind for one in objects):
        return False
    return 1 < len(objects) == len({*map(id, objects)})


def _inherit(objects: Sequence[Any], name: str, function: types.FunctionType) -> bool:
    """Whether ``x.name`` is this function of their class for all objects in a list."""
    if in_mro(type(objects[0]), name) is not function:
        return False
    for one in objects:
        found = getattr(one, name)  # which runs nothing of the user's: see `is_thing`
        if type(found) is not types.MethodType or found.__func__ is not function:
            return False
        if found.__self__ is not one:
            return False
    return True


def _settable(objects: Sequence[Any], name: str) -> bool:
    """Whether objects of one class, with an attribute of this name, keep it for themselves alone.

    A default in their class may be what one without such an attribute answers.
    """
    inherited = in_mro(type(objects[0]), name)
    if not _is_plain(inherited) or not settable(objects[0], name):
        return False
    if inherited is ABSENT or type(inherited) is types.MemberDescriptorType:
        return True
    values = zip(objects, map(attrgetter(name), objects), strict=True)
    return all(own(one, name) for one, value in values if value is inherited)


def _column(objects: Sequence[Any], name: str) -> list[Any]:
    """An attribute of objects of one class; raises `Refused`."""
    inherited = in_mro(type(objects[0]), name)
    if _is_plain(inherited) or type(inherited) is FIELD:
        try:  # no code of the user's can run: see `is_thing`
            return [*map(attrgetter(name), objects)]
        except AttributeError:
            pass
    raise _refused(f".{name} of objects in a list")


def _is_plain(inherited: Any) -> bool:
    """Whether what a class has under a name is a value, or leaves it to an object what it is."""
    return type(inherited) is types.MemberDescriptorType or not hasattr(type(inherited), "__get__")


def look(source: Source, seen: Seen) -> Any:
    """What is at `source`; raises `Refused`."""
    match source:
        case "root", int(k):
            return seen.roots[k]
        case "attr", int(k), str(name):
            return plain_attribute(seen.things[k], name)
        case "item", int(k), int(place):
            return seen.groups[k][place]
        case "each", int(k), str(name):
            return _column(seen.crowds[k], name)
        case "count", int(k):
            return len(seen.crowds[k])
        case "column", where, int(k), int(width):
            rows = look(where, seen)
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


def seen_now(checks: Sequence[tuple[Any, ...]], roots: Sequence[Any]) -> Seen:
    """The objects of another call, where all is as it was seen.

    Raises
    ------
    Changed, Refused
        Where it is not.
    """
    seen = Seen(roots)
    things, groups, crowds = seen.things, seen.groups, seen.crowds
    for fact in checks:
        match fact:
            case "thing", source, number, kind:
                value = look(source, seen)
                if type(value) is not kind:
                    raise Changed
                if number == len(things):
                    things.append(value)
                elif things[number] is not value:
                    raise Changed
            case "group", source, _, kind, count:
                value = look(source, seen)
                if type(value) is not kind or len(value) != count:
                    raise Changed
                groups.append(value)
            case "crowd", source, number, holder, kind:
                value = look(source, seen)
                if type(value) is not holder or not value or not is_thing(value[0]):
                    raise Changed
                if number < len(crowds):
                    if seen.lists[number] is not value:
                        raise Changed
                    continue
                seen.lists.append(value)
                crowds.append(tuple(value))  # another thread may change a list meanwhile
                if any(type(one) is not kind for one in crowds[-1]):
                    raise Changed
            case "methods", number, name, function:
                if not _inherit(crowds[number], name, function):
                    raise Changed
            case "settable each", number, name:
                if not _settable(crowds[number], name):
                    raise Changed
            case "said", source, said:
                value = look(source, seen)
                if type(value) is not type(said) or value != said:
                    raise Changed
            case "same", source, one:
                if look(source, seen) is not one.value:
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
    if not seen.apart:
        raise Changed
    return seen


def _refused(detail: str) -> Refused:
    return Refused(Refusal(Reason.WRONG_TYPE, Span("", 0), detail))
