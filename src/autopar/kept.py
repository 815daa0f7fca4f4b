"""What a stage has made, kept on disk for the next run of the program.

An entry is named after a hash of everything that it depends on, written to one side and renamed
into place; an entry that cannot be read is an absent entry.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from autopar import __version__, config
from autopar.deps.data import Analysis
from autopar.nest.ir import Nest
from autopar.nest.types import Typed

T = TypeVar("T")
_DIGEST = 32
_ROOMS = ("", "nest", "deps", "sched", "cpu")  # whose work is kept
_LARGE = frozenset((Nest, Typed, Analysis))  # asked about often: written and hashed once
_MOST_DIGESTS = 4096
_MOST_PASSING = 1024  # entries made of the numbers of one call, in one directory
_digests: dict[int, tuple[object, str]] = {}  # by `id`, with what keeps it


def kept(
    what: str,
    question: tuple[Any, ...],
    make: Callable[[], T],
    cache: Path | None,
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
    """
    if cache is None:
        return make()
    text = "\0".join((what, *_circumstances(), written(question)))
    entry = cache / hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    try:
        content = entry.read_bytes()
    except OSError:
        content = b""
    check, payload = content[:_DIGEST], content[_DIGEST:]
    if content and hashlib.sha256(payload).digest() == check:
        found: T = pickle.loads(payload)
        return found
    made = make()
    payload = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
    with contextlib.suppress(OSError):
        if passing:
            _make_room(cache)
        config.write_whole(entry, hashlib.sha256(payload).digest() + payload)
    return made


def _make_room(cache: Path) -> None:
    """Remove the older half of the entries of `cache` once it is full.

    Raises
    ------
    OSError
        Such as when another process does the same.
    """
    with os.scandir(cache) as entries:
        found = list(entries)
    if len(found) >= _MOST_PASSING:
        by_age = sorted(found, key=lambda entry: entry.stat().st_mtime_ns)
        for entry in by_age[: len(found) // 2]:
            os.unlink(entry.path)


@functools.cache
def _circumstances() -> tuple[str, ...]:
    """Everything but the question that an outcome depends on.

    Stages ask NumPy how it promotes types and in which order it computes: that is another matter
    in another build of it, or on another processor.
    """
    package = Path(__file__).parent
    own = sorted(
        (entry.path, (found := entry.stat()).st_size, found.st_mtime_ns)
        for room in _ROOMS
        for entry in os.scandir(package / room)
        if entry.name.endswith(".py")
    )
    numpy: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
    build = os.stat(numpy.__file__)
    return (
        __version__,
        sys.version,
        repr(own),
        np.__version__,
        repr((numpy.__file__, build.st_size, build.st_mtime_ns)),
        repr(sorted(numpy.__cpu_features__.items())),
    )


def written(value: Any) -> str:
    """`value` in a text that only equal values of equal types have, in any process."""
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def _write(value: Any, parts: list[str]) -> None:
    kind = type(value)
    if kind is tuple:
        parts.append("(")
        for item in value:
            _write(item, parts)
        parts.append(")")
    elif kind is frozenset:
        parts.append(f"{{{','.join(sorted(map(written, value)))}}}")
    elif kind in _LARGE:
        parts.append(_digest_of(value))
    elif is_dataclass(kind):
        _write_fields(value, parts)
    elif issubclass(kind, Enum):
        parts.append(f"{kind.__name__}.{value.name};")
    else:
        assert value is None or kind in (str, int, float, bool, complex), value
        parts.append(f"{value!r};")


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
        known = value, f"#{hashlib.sha256(text).hexdigest()};"
        if len(_digests) >= _MOST_DIGESTS:
            _digests.clear()
        _digests[id(value)] = known
    return known[1]


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)
