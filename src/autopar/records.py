"""`dataclasses.dataclass` for the classes of autopar, which takes a tenth of the time to make one.

The original imports `inspect` and compiles up to seven functions for each class, half a
millisecond.  At the start of a process that knows everything else from disk, that was more than all
other work.  Here what is alike in all classes is a closure, and `__init__` is compiled once a class
has some instances.  What the original would note of a class is there for who asks.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from operator import attrgetter

BUILTINS: Any = dict(vars(builtins))
"""As they are before the program begins, which may put others in the place of Python's.

`unittest.mock.patch("builtins.open")` does, for a while.  Modules that are imported before autopar
loads its own modules itself (`hook.modules`) begin with the same assignment as this one.
"""
__builtins__ = BUILTINS

TYPE_CHECKING = False  # `typing` takes too long to import
if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, is_dataclass, replace
    from typing import Any
else:

    def dataclass(*, slots, frozen=False, eq=True):
        """A class with slots for its fields; parameters as in the original, and no others."""
        assert slots

        def made(cls):
            return _made(cls, frozen, eq)

        return made

    def field(**how):
        """What the original notes of a field, for the classes that are made here."""
        return _Field(**how)

    def fields(kind):
        """The fields of a class that was made here, or of an instance of it, in order."""
        return kind.__fields__

    def is_dataclass(kind):
        """Whether it is a class that was made here, or an instance of one."""
        return hasattr(kind, "__fields__")

    def replace(one, /, **changes):
        """Another instance of its class, with some of the values changed."""
        for known in one.__fields__:
            if not known.init:
                if known.name in changes:
                    raise ValueError(f"field {known.name} is declared with init=False")
            elif known.name not in changes:
                changes[known.name] = getattr(one, known.name)
        return type(one)(**changes)


__all__ = ["BUILTINS", "dataclass", "field", "fields", "is_dataclass", "replace"]

_MISSING: Any = object()
_FIRST = 16  # instances of a class that are not worth a compiled `__init__`
_NOT_TAKEN = frozenset(("__dict__", "__weakref__"))  # into the class with slots


class _Field:
    """One field, as `dataclasses.Field` has it."""

    __slots__ = ("compare", "default", "default_factory", "init", "name", "repr", "type")

    def __init__(
        self,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare = init, repr, compare
        self.name = self.type = ""


class _Originals:
    """The fields as those of `dataclasses`, for who asks: nobody does in most processes."""

    __slots__ = ("found", "own")

    def __init__(self, own: tuple[_Field, ...]) -> None:
        self.own = own
        self.found: dict[str, Any] | None = None

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        if self.found is None:
            import dataclasses

            made = [(one.name, one.type, self.original(one)) for one in self.own]
            like: Any = dataclasses.make_dataclass("_", made, init=False, repr=False, eq=False)
            self.found = like.__dataclass_fields__
        return self.found

    def original(self, one: _Field) -> Any:
        """The field that says the same."""
        import dataclasses

        given: dict[str, Any] = {"init": one.init, "repr": one.repr, "compare": one.compare}
        for name in ("default", "default_factory"):
            value = getattr(one, name)
            if value is not _MISSING:
                given[name] = value
        return dataclasses.field(**given)


class _Parameters:
    """What the original notes of a class."""

    def __get__(self, instance: object, owner: type) -> Any:
        import dataclasses

        like: Any = dataclasses.make_dataclass("_", (), init=False, repr=False, eq=False)
        return like.__dataclass_params__


def _made(cls: type, frozen: bool, eq: bool) -> type:
    known: dict[str, _Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        known.update((one.name, one) for one in base.__dict__.get("__fields__", ()))
    inherited = set(known)
    own = _own_fields(cls)
    known.update(own)
    fields = tuple(known.values())
    space = {k: v for k, v in cls.__dict__.items() if k not in _NOT_TAKEN and k not in own}
    space["__doc__"] = cls.__doc__ or cls.__name__
    hashed = () if not (frozen and eq) or hasattr(cls, "_hashed") else ("_hashed",)
    space["__slots__"] = (*(name for name in own if name not in inherited), *hashed)
    space["__match_args__"] = tuple(field.name for field in fields if field.init)
    space["__fields__"] = fields
    space["__dataclass_fields__"] = _Originals(fields)
    space["__dataclass_params__"] = _Parameters()
    compared = _values([field.name for field in fields if field.compare])

    given = [field.name for field in fields if field.init]
    plain = len(given) == len(fields) and not hasattr(cls, "__post_init__")
    setters: list[Callable[[Any, Any], None]] = []
    left = _FIRST

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        """For the first instances only: then the compiled one stands in its place."""
        nonlocal left
        left -= 1
        values = _in_full(fields, args, named) if left > 0 and plain else None
        if values is None:
            init = _init(made, fields, frozen)
            made.__init__ = init  # type: ignore[misc]
            init(self, *args, **named)
            return
        if not setters:
            setters.extend([getattr(made, name).__set__ for name in given])
        for setter, value in zip(setters, values, strict=True):
            setter(self, value)

    methods: dict[str, Any] = {"__init__": __init__, "__repr__": _repr(fields)}
    if eq:
        methods["__eq__"] = _eq(compared)
        methods["__hash__"] = _hash(compared) if frozen else None
    if frozen:
        reduce = _reduce(_values(given))
        methods.update(__setattr__=_refused, __delattr__=_refused, __reduce__=reduce)
    for name, method in methods.items():
        if space.get(name) is None:  # a class with its own `__eq__` has None for a hash
            space[name] = method
    made: type = type(cls)(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    return made


def _own_fields(cls: type) -> dict[str, _Field]:
    """Those that stand in `cls` itself."""
    found: dict[str, _Field] = {}
    for name, kind in cls.__annotations__.items():
        assert "ClassVar" not in kind, (cls, name)
        value = cls.__dict__.get(name, _MISSING)
        one = value if type(value) is _Field else _Field(value)
        if type(value).__module__ == "dataclasses":
            one = _taken_over(value)
        one.name, one.type = name, kind
        found[name] = one
    return found


def _taken_over(original: Any) -> _Field:
    """What `dataclasses.field` has made."""
    from dataclasses import MISSING

    ends = (original.default, original.default_factory)
    default, factory = (_MISSING if one is MISSING else one for one in ends)
    return _Field(default, factory, original.init, original.repr, original.compare)


def _in_full(
    fields: tuple[_Field, ...], args: tuple[Any, ...], named: dict[str, Any]
) -> Sequence[Any] | None:
    """The value of each of `fields`; None where something is missing or too much."""
    if len(args) == len(fields) and not named:
        return args
    values, used = list(args), 0
    for field in fields[len(args) :]:
        if field.name in named:
            values.append(named[field.name])
            used += 1
        elif field.default_factory is not _MISSING:
            values.append(field.default_factory())
        elif field.default is not _MISSING:
            values.append(field.default)
        else:
            return None
    return values if used == len(named) and len(values) == len(fields) else None


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads these fields of an instance."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if type(self) is type(other) else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    """A hash that is worked out once: of a whole nest, it goes through all of it."""

    def __hash__(self: Any) -> int:
        try:
            found: int = self._hashed
        except AttributeError:
            found = hash(values(self))
            object.__setattr__(self, "_hashed", found)
        return found

    return __hash__


def _reduce(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda self: (type(self), values(self))


def _repr(fields: tuple[_Field, ...]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    return __repr__


def _refused(self: object, name: str, *value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to or delete field {name!r}")


def _init(cls: type, fields: tuple[_Field, ...], frozen: bool) -> Callable[..., None]:
    space: dict[str, Any] = {"MISSING": _MISSING}
    parameters, body = ["self"], []
    for field in fields:
        name = value = field.name
        if field.default_factory is not _MISSING:
            space[f"make_{name}"] = field.default_factory
            value = f"make_{name}()"
            if field.init:
                parameters.append(f"{name}=MISSING")
                value += f" if {name} is MISSING else {name}"
        elif field.default is not _MISSING:
            space[f"default_{name}"] = field.default
            parameters += [f"{name}=default_{name}"] if field.init else []
            value = name if field.init else f"default_{name}"
        elif field.init:
            parameters.append(name)
        else:
            continue  # `__post_init__` does it
        space[f"set_{name}"] = getattr(cls, name).__set__  # works where `__setattr__` refuses
        body.append(f"set_{name}(self, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
    exec(text, space)
    init: Callable[..., None] = space["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init
