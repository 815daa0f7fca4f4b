"""Runs a program as Python runs it and as autopar runs it, and says how they differ."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import linecache
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any
from unittest.mock import patch

import numpy as np

from autopar import journal
from autopar.hook import loader, lookup

FILE = "<user program>"
_loops = functools.lru_cache(maxsize=64)(lookup.loops)
"""Rewriting depends on the text alone, which tests run with many sizes; sites are new each time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a program leaves behind; outcomes of equal programs are equal.

    Attributes
    ----------
    names
        Of the program's namespace: type, dtype, shape and bits of each number and array.
    printed
        What it wrote to stdout.
    error
        Type, message and user's lines of the exception that ended it, or None.
    loops, runs
        What became of each loop, and of each run of other statements, by line.
    """

    names: Mapping[str, Any]
    printed: str
    error: tuple[Any, ...] | None
    loops: Mapping[int, str] = field(default_factory=dict, compare=False)
    runs: Mapping[int, str] = field(default_factory=dict, compare=False)

    def loops_after(self, head: str) -> Mapping[int, str]:
        """What became of the loops below the lines that the program begins with."""
        first = head.count("\n")
        return {line: what for line, what in self.loops.items() if line > first}


def described(value: Any) -> Any:
    """Something to compare `value` by, strictly; None for what is not data."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind in "fc":  # which of two nans comes out is not defined
            parts = np.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
            array = np.where(np.isnan(parts), np.nan, parts)
        return type(value), np.asarray(value).dtype.str, np.shape(value), array.tobytes()
    if isinstance(value, bool | int | float | complex | str | None):
        return type(value), repr(value)
    if isinstance(value, list | tuple | set):
        return type(value), [described(v) for v in value]
    if isinstance(value, dict):
        return type(value), [(k, described(v)) for k, v in value.items()]
    return type(value).__name__


def _run(code: CodeType, names: Mapping[str, Any]) -> Outcome:
    space: dict[str, Any] = {"__name__": "user", **names}
    printed, error = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        try:
            exec(code, space)
        except Exception as raised:
            frames = traceback.extract_tb(raised.__traceback__)
            lines = [(f.name, f.lineno, f.colno) for f in frames if f.filename == FILE]
            error = (type(raised), str(raised), lines)
    kept = {k: described(v) for k, v in space.items() if not k.startswith("__")}
    return Outcome(kept, printed.getvalue(), error)


def plain(source: str, **names: Any) -> Outcome:
    """What Python makes of `source`."""
    return _plainly(source, names) if names else _once(source)


def _plainly(source: str, names: Mapping[str, Any]) -> Outcome:
    with np.errstate(all="ignore"):
        return _run(compile(source, FILE, "exec", dont_inherit=True), names)


@functools.lru_cache(maxsize=8)
def _once(source: str) -> Outcome:
    """What Python makes of a program that is given nothing, for several tests of it in a row."""
    return _plainly(source, {})


@contextlib.contextmanager
def readable(text: str) -> Iterator[None]:
    """Have `text` where a console keeps the lines it was given, and helper functions are read."""
    linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE
    try:
        yield
    finally:
        linecache.cache.pop(FILE, None)


def taken(source: str, shown: str | None = None, **names: Any) -> Outcome:
    """What comes out with autopar, and what became of each loop, by line: a status or a code.

    Parameters
    ----------
    shown
        What the file of the program seems to hold, if not `source`.
    """
    journal.clear()
    with patch.object(lookup, "loops", _loops):
        code = loader.code_of(source, FILE, "text")
    code = code or compile(source, FILE, "exec", dont_inherit=True)
    with readable(source if shown is None else shown):
        found = _run(code, names)
    heads = {n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, ast.For | ast.While)}
    loops, runs = {}, {}
    for record in journal.records():
        ran = record.status in ("parallel", "sequential") and record.runs > 0
        code_word = record.refusal.code if record.refusal is not None else "not asked"
        (loops if record.line in heads else runs)[record.line] = "compiled" if ran else code_word
    return Outcome(found.names, found.printed, found.error, loops, runs)


def both(source: str, **names: Any) -> Outcome:
    """Assert that `source` means the same both ways; what came out with autopar."""
    wanted, found = plain(source, **names), taken(source, **names)
    for name in {**wanted.names, **found.names}:
        mine, theirs = found.names.get(name), wanted.names.get(name)
        assert mine == theirs, f"{name} is {mine}, in Python {theirs}\n{source}"
    assert found.printed == wanted.printed, source
    assert found.error == wanted.error, source
    return found


def same(source: str, **names: Any) -> Mapping[int, str]:
    """Assert that `source` means the same both ways; what became of each loop, by line."""
    return both(source, **names).loops
