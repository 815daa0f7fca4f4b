"""What an analysis has found, kept on disk for the next run of the program.

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
from pathlib import Path
from typing import Any, TypeVar

from autopar import __version__, config

T = TypeVar("T")
_DIGEST = 32


def kept(what: str, question: tuple[Any, ...], make: Callable[[], T], cache: Path | None) -> T:
    """``make()``, or what it has been for this question.

    Parameters
    ----------
    what
        Name of the analysis.
    question
        All that its outcome depends on: plain data.
    cache
        Private directory, or None to keep nothing.
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
    payload = pickle.dumps(made)
    with contextlib.suppress(OSError):
        config.write_whole(entry, hashlib.sha256(payload).digest() + payload)
    return made


@functools.cache
def _circumstances() -> tuple[str, ...]:
    """Everything but the question that an outcome depends on."""
    package = Path(__file__).parent.parent
    own = sorted(
        (entry.path, (found := entry.stat()).st_size, found.st_mtime_ns)
        for room in (package, package / "nest", package / "deps")
        for entry in os.scandir(room)
        if entry.name.endswith(".py")
    )
    return __version__, sys.version, repr(own)


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
    elif is_dataclass(kind):
        parts.append(f"{kind.__name__}<")
        for name in _names(kind):
            _write(getattr(value, name), parts)
        parts.append(">")
    else:
        assert value is None or kind in (str, int, float, bool, complex), value
        parts.append(f"{value!r};")


@functools.cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
