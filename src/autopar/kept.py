"""What a stage has made, kept on disk for the next run of the program.

An entry is named after a hash of everything that it depends on, written to one side and renamed
into place; an entry that cannot be read is an absent entry.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType, MethodDescriptorType
from typing import Any, TypeVar

import numpy as np

from autopar import __version__, config
from autopar.config import Location
from autopar.deps.data import Analysis
from autopar.digest import SIZE, digest
from autopar.nest.calls.definition import Helper
from autopar.nest.ir import Nest
from autopar.nest.typed.types import Typed
from autopar.records import fields, is_dataclass
from autopar.sched.plan import Plan

T = TypeVar("T")
_ROOMS = ("nest", "deps", "sched", "cpu", "runtime")
_LARGE = frozenset(
    (Nest, Typed, Analysis, Plan, Helper)
)  # asked about often: written and hashed once
# Packages whose functions are what they are called, in any process.
_KNOWN = frozenset(("builtins", "functools", "itertools", "math", "numpy", "operator", "random"))
_ATOMS = frozenset((type(None), str, bytes, int, float, bool, complex))
_MOST_DIGESTS = 4096
_MOST_PASSING = 1024  # entries made of the numbers of one call, in one directory
_NUMPY = os.path.dirname(np.__file__) + os.sep
_digests: dict[int, tuple[object, str]] = {}  # by `id`, with what keeps it
made: list[str] = []
"""Names of the stages whose work was not there, in this process."""
_DEAR = ("analyses", "plans")
"""Of which the first that is made takes a quarter of a second of imports."""
_thread = threading.local()


class Missing(Exception):
    """A plan, or what it is made from, is not on disk and is not to be made: see `only_found`.

    Attributes
    ----------
    name
        What is missing.
    """

    def __init__(self, entry: str) -> None:
        super().__init__(entry)
        self.name = os.path.basename(entry)


@contextlib.contextmanager
def only_found(only: bool) -> Iterator[None]:
    """Have analyses and plans that are not on disk raise `Missing`, or be made, on this thread.

    What depends on the numbers of one call is made in any case: the next one may need another.  Who
    is called by a signal handler meanwhile, and asks for something else, says which as well.
    """
    before = is_only_found()
    _thread.only = only
    try:
        yield
    finally:
        _thread.only = before


def is_only_found() -> bool:
    """Whether it is so now: who has another thread do its work hands that on."""
    return getattr(_thread, "only", False)


def kept(
    what: str,
    question: tuple[Any, ...],
    make: Callable[[], T],
    cache: Location | None,
    passing: bool = False,
) -> T:
    """``make()``, or what it has been for this question.

    Parameters
    ----------
    what
        Name of the stage.
    question
        All that its outcome depends on: plain data.
    cache
        Private directory, or None to keep nothing.
    passing
        Whether there are numbers of one call in the question: a program may never ask it again, so
        that the oldest of such entries, which have this directory to themselves, go when there are
        many.

    Raises
    ------
    Missing
        Where it would have to be made, and is not to be.
    """
    entry = _entry(what, question, cache)
    if entry is None:
        return make()
    payload = _there(entry) or _keep(entry, make(), passing)
    found: T = _read(payload)  # not what was made: the first process is like all others
    return found


def find(what: str, question: tuple[Any, ...], cache: Location | None) -> Any:
    """What has been kept for this question, or None; raises as `kept` does."""
    entry = _entry(what, question, cache)
    payload = _there(entry) if entry is not None else b""
    return _read(payload) if payload else None


def keep(
    what: str, question: tuple[Any, ...], made: T, cache: Location | None, passing: bool = False
) -> T:
    """Keep `made`, for `find` with the same question; as another process will read it."""
    entry = _entry(what, question, cache)
    if entry is None:
        return made
    found: T = _read(_keep(entry, made, passing))
    return found


def _entry(what: str, question: tuple[Any, ...], cache: Location | None) -> str | None:
    """Where it is kept, if it is."""
    if cache is None:
        return None
    try:
        text = "\0".join((what, *_circumstances(), written(question)))
    except NoNameError:
        return None
    name = digest(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(cache, name)


def planned() -> bool:
    """Whether this process has analysed or planned something itself."""
    return any(stage.endswith(_DEAR) for stage in made)


def _there(entry: str) -> bytes:
    """`_payload`, where what is not there may be made."""
    payload = _payload(entry)
    if not payload and is_only_found() and _stage(entry) in _DEAR:
        raise Missing(entry)
    return payload


def _stage(entry: str) -> str:
    return os.path.basename(os.path.dirname(entry))


def _payload(entry: str) -> bytes:
    """What is kept there, empty if nothing is."""
    try:
        content = config.read_whole(entry)
    except OSError:
        return b""
    check, payload = content[:SIZE], content[SIZE:]
    return payload if _check(entry, payload) == check else b""


def _keep(entry: str, outcome: object, passing: bool = False) -> bytes:
    made.append(_stage(entry))
    payload = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
    with contextlib.suppress(OSError):
        if passing:
            config.make_room(os.path.dirname(entry), _MOST_PASSING)
        config.write_whole(entry, _check(entry, payload) + payload)
    return payload


def _check(entry: str, payload: bytes) -> bytes:
    """What stands before `payload`: it tells an entry that is under another's name, too."""
    return digest(os.path.basename(entry).encode() + payload).digest()


def _read(payload: bytes) -> Any:
    found = pickle.loads(payload)
    _note(found, digest(payload).hexdigest())
    return found


def loaded(payload: bytes) -> Nest:
    """The nest that was pickled as `payload`."""
    found: Nest = _read(payload)
    return found


def _note(value: Any, mark: str) -> None:
    """Let `mark` stand for `value`, which has come from a pickle, and for what is large in it."""
    kind: Any = type(value)
    if kind is tuple:
        for k, item in enumerate(value):
            _note(item, f"{mark}.{k}")
    elif _is_data(kind):
        if kind in _LARGE:
            _remember(value, f"#{mark};")
        for name in _names(kind):
            if type(getattr(value, name)) in _LARGE:
                _note(getattr(value, name), f"{mark}.{name}")


@functools.cache
def _circumstances() -> tuple[str, ...]:
    """Everything but the question that an outcome depends on.

    Stages ask NumPy how it promotes types and in which order it computes: that is another matter
    in another build of it, or on another processor.
    """
    numpy: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
    build = os.stat(numpy.__file__)
    return (
        __version__,
        sys.version,
        str(sys.flags.optimize),
        config.own_sum(*_ROOMS),
        np.__version__,
        repr((numpy.__file__, build.st_size, build.st_mtime_ns)),
        repr(sorted(numpy.__cpu_features__.items())),
    )


class NoNameError(Exception):
    """There is an object in a question that another process cannot know."""


def written(value: Any) -> str:
    """`value` in a text that only equal values of equal types have, in any process.

    Raises
    ------
    NoNameError
        Where there is no such text.
    """
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def _write(value: Any, parts: list[str]) -> None:
    kind: Any = type(value)
    if kind in _ATOMS:  # as most are
        parts.append(f"{value!r};")
    elif kind is tuple:
        parts.append("(")
        for item in value:
            _write(item, parts)
        parts.append(")")
    elif kind is frozenset:
        parts.append(f"{{{','.join(sorted(map(written, value)))}}}")
    elif kind is dict:
        parts.append("[")
        for item in value.items():
            _write(item, parts)
        parts.append("]")
    elif kind in _LARGE:
        parts.append(_digest_of(value))
    elif _is_data(kind):
        _write_fields(value, parts)
    elif issubclass(kind, Enum):
        parts.append(f"{kind.__name__}.{value.name};")
    else:
        parts.append(f"@{_name_of(value)};")


def _name_of(value: Any) -> str:
    """Where a function or type that everybody has is found."""
    owner = value.__objclass__ if isinstance(value, MethodDescriptorType) else value
    module = "numpy" if isinstance(value, np.ufunc) else getattr(owner, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(value, FunctionType) and not value.__code__.co_filename.startswith(_NUMPY):
        raise NoNameError  # it may say that it is another one: `functools.wraps`
    if not isinstance(module, str) or not isinstance(name, str):
        raise NoNameError
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value or module.partition(".")[0].lstrip("_") not in _KNOWN:
        raise NoNameError
    return f"{module}.{name}"


def _write_fields(value: Any, parts: list[str]) -> None:
    kind: Any = type(value)
    parts.append(f"{kind.__name__}<")
    for name in _names(kind):
        _write(getattr(value, name), parts)
    parts.append(">")


def _digest_of(value: object) -> str:
    """What stands for a large `value`."""
    known = _digests.get(id(value))
    if known is None:
        parts: list[str] = []
        _write_fields(value, parts)
        text = "".join(parts).encode("utf-8", "surrogatepass")
        return _remember(value, f"={digest(text).hexdigest()};")
    return known[1]


def _remember(value: object, digest: str) -> str:
    if len(_digests) >= _MOST_DIGESTS:
        _digests.clear()
    _digests[id(value)] = value, digest
    return digest


@functools.cache
def _is_data(kind: Any) -> bool:
    return is_dataclass(kind)


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)
