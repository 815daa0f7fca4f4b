"""`dataclasses.dataclass` for the classes of autopar, which takes a tenth of the time to make one.

The original compiles up to seven functions for each class, half a millisecond.  At the start of a
process that knows everything else from disk, that was more than all other work.  Here what is alike
in all classes is a closure, and `__init__` is compiled when a class has its first instance.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots, frozen=False, eq=True):
        """A class with slots for its fields; parameters as in the original, and no others."""
        assert slots

        def made(cls):
            return _made(cls, frozen, eq)

        return made


__all__ = ["dataclass"]


def _made(cls: type, frozen: bool, eq: bool) -> type:
    cls.__doc__ = cls.__doc__ or cls.__name__  # or the original writes the signature there
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(made)
    compared = _values([field.name for field in fields if field.compare])
    methods: dict[str, Any] = {"__init__": _first_init(made, fields, frozen)}
    methods["__repr__"] = _repr(fields)
    if eq:
        methods["__eq__"] = _eq(compared)
        methods["__hash__"] = _hash(compared) if frozen else None
    if frozen:
        given = _values([field.name for field in fields if field.init])
        methods.update(__setattr__=_refused, __delattr__=_refused, __reduce__=_reduce(given))
    for name, method in methods.items():
        if made.__dict__.get(name) is None:  # a class with its own `__eq__` has None for a hash
            setattr(made, name, method)
    return made


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
    return lambda self: hash(values(self))


def _reduce(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda self: (type(self), values(self))


def _repr(fields: tuple[Field[Any], ...]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    return __repr__


def _refused(self: object, name: str, *value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to or delete field {name!r}")


def _first_init(cls: type, fields: tuple[Field[Any], ...], frozen: bool) -> Callable[..., None]:
    """An `__init__` for the first instance only, which puts the compiled one in its place."""

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        init = _init(cls, fields, frozen)
        cls.__init__ = init  # type: ignore[misc]
        init(self, *args, **named)

    return __init__


def _init(cls: type, fields: tuple[Field[Any], ...], frozen: bool) -> Callable[..., None]:
    space: dict[str, Any] = {"MISSING": MISSING}
    parameters, body = ["self"], []
    for field in fields:
        name = value = field.name
        if field.default_factory is not MISSING:
            space[f"make_{name}"] = field.default_factory
            value = f"make_{name}()"
            if field.init:
                parameters.append(f"{name}=MISSING")
                value += f" if {name} is MISSING else {name}"
        elif field.default is not MISSING:
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
