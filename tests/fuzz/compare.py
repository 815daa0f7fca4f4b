"""One program under CPython and under autopar, and everything a program can see of the two."""

from __future__ import annotations

import linecache
import sys
import warnings
from dataclasses import dataclass, field
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autopar import journal
from autopar.hook import loader
from autopar.verdict import Reason

from .program import FILE, Program
from .setting import as_wanted

WARNINGS = True
"""Whether NumPy's warnings must be the same: category, words and line, each once."""


class Wrong(AssertionError):
    """CPython and autopar disagree, or autopar failed; the text says on what."""


@dataclass(frozen=True)
class Verdict:
    """What became of a program on which both agree.

    Attributes
    ----------
    status
        ``parallel``, ``sequential`` or ``interpreted``: the best of the whole nest in any call.
    code
        Reason code, for an interpreted one.
    inside
        Whether an inner loop was compiled where the nest as a whole was not.
    """

    status: str
    code: str = ""
    inside: bool = False

    def __str__(self) -> str:
        return f"{self.status} {self.code}".strip()


@dataclass
class _Seen:
    """Everything observable of one call, in a form that compares by bits."""

    parts: dict[str, Any] = field(default_factory=dict)

    def difference(self, other: _Seen) -> str | None:
        names = sorted(self.parts.keys() | other.parts.keys(), key=lambda k: (k != "exception", k))
        for name in names:
            here, there = (s.parts.get(name, "nothing") for s in (self, other))
            if here != there:
                return f"{name}: CPython has {_short(here)}, autopar {_short(there)}"
        return None


def judge(program: Program) -> Verdict:
    """Run `program` both ways; `setting.eager` must be in force.

    Raises
    ------
    Wrong
        Whatever can be seen differs.
    """
    with warnings.catch_warnings(), as_wanted(program):
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", SyntaxWarning)  # of generated texts
        return _judge(program)


def _judge(program: Program) -> Verdict:
    names = sorted(program.inputs("").keys() - {"np", "math", "SimpleNamespace"})
    source = program.source(names)
    # Where a console keeps the lines that it was given, and helper functions are read.
    linecache.cache[FILE] = len(source), None, source.splitlines(keepends=True), FILE
    plain = compile(source, FILE, "exec", dont_inherit=True)
    journal.clear()
    made = len(loader.sites)
    rewritten = loader.code_of(source, FILE, "text")
    del loader.sites[made:]  # or all programs of a long run would stay alive
    if rewritten is None:
        reasons = [r.refusal.code for r in journal.records() if r.refusal is not None]
        if not reasons:
            raise Wrong("the module was left alone without a reason")
        return Verdict("interpreted", reasons[0])
    ours = _Run(program, rewritten)
    theirs = _Run(program, plain)
    for number, call in enumerate(program.calls):
        wanted, found = theirs.call(call), ours.call(call)
        difference = wanted.difference(found)
        if difference is not None:
            raise Wrong(f"call {number}: {difference}")
    return _verdict()


def _verdict() -> Verdict:
    everything = journal.records()
    # Helper functions stand before the loop, and may have loops too.
    whole, *rest = (r for r in everything if r.function in ("program", "<module>"))
    for record in everything:
        if record.refusal is not None and record.refusal.reason is Reason.INTERNAL:
            raise Wrong(str(record.refusal))
    inside = any(r.runs for r in rest)
    if whole.runs:
        return Verdict(whole.status, inside=inside)
    code = whole.refusal.code if whole.refusal is not None else "not-run"
    return Verdict("interpreted", code, inside)


# ---------------------------------------------------------------------------- one call


class _Run:
    """One compilation of the program, called as often as the program says."""

    def __init__(self, program: Program, code: CodeType) -> None:
        self.program, self.code = program, code
        self.space: dict[str, Any] = {"__name__": "program"}
        if program.place != "module":
            exec(code, self.space)

    def call(self, change: str) -> _Seen:
        seen = _Seen()
        inputs = self.program.inputs(change)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            try:
                left = self._left(inputs)
            except Exception as error:
                left = {}
                seen.parts["exception"] = (type(error), str(error), *_lines(error))
        for name, value in {**_arrays(inputs), **left}.items():
            if _is_data(name, value):
                seen.parts[name] = _frozen(value)
        if WARNINGS:
            seen.parts["warnings"] = {(w.category, str(w.message), w.lineno) for w in warned}
        return seen

    def _left(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Names and values that the program leaves behind."""
        if self.program.place == "module":
            space = {**self.space, **inputs}
            try:
                exec(self.code, space)
            finally:  # what a module has assigned is seen even when it fails
                inputs.update({k: v for k, v in space.items() if _is_data(k, v)})
            return inputs
        self.space.update({k: inputs.pop(k) for k in ("np", "math", "SimpleNamespace")})
        left = self.space["program"](**inputs)
        return left if isinstance(left, dict) else {"result": left}


def _lines(error: BaseException) -> list[int]:
    """Lines of the program in the traceback."""
    trace, found = error.__traceback__, []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            found.append(trace.tb_lineno)
        trace = trace.tb_next
    return found


def _arrays(inputs: dict[str, Any]) -> dict[str, Any]:
    """All arrays, and for views what lies around them."""
    found = {k: v for k, v in inputs.items() if _is_data(k, v)}
    for name, value in list(found.items()):
        if isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
            found[f"{name}.base"] = value.base
    return found


def _is_data(name: str, value: Any) -> bool:
    return not (name.startswith("__") or callable(value) or isinstance(value, ModuleType))


def _frozen(value: Any) -> Any:
    """`value` as something that is equal only to what has the same type and bits."""
    if isinstance(value, np.ndarray | np.generic):
        layout = value.strides if isinstance(value, np.ndarray) and value.size > 1 else ()
        about = type(value).__name__, value.dtype.str
        return *about, np.shape(value), layout, _bits(np.asarray(value))
    if isinstance(value, float | complex):
        return type(value).__name__, _bits(np.asarray(value))
    if isinstance(value, SimpleNamespace):
        return {name: _frozen(part) for name, part in vars(value).items()}
    if isinstance(value, tuple):
        return tuple(_frozen(part) for part in value)
    # In hexadecimal, integers of any length have a text.
    return type(value).__name__, hex(value) if type(value) is int else repr(value)


def _bits(array: np.ndarray[Any, Any]) -> bytes:
    """Bytes with every nan alike: which operand's nan survives is not defined by IEEE 754."""
    if array.dtype.kind not in "fc":
        return array.tobytes()
    parts = np.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
    return np.where(np.isnan(parts), np.nan, parts).tobytes()


def _short(seen: Any) -> str:
    if isinstance(seen, tuple) and len(seen) > 1 and isinstance(seen[-1], bytes):
        kind = seen[1] if len(seen) > 2 else {"float": "<f8", "complex": "<c16"}[seen[0]]
        numbers = np.frombuffer(seen[-1], kind)
        shown = np.array2string(numbers, threshold=12, floatmode="unique")
        return f"{seen[0]} {shown}"
    shown = str(seen)
    return shown if len(shown) < 200 else shown[:200] + "…"


def forget() -> None:
    """Drop what autopar remembers by value; for planted faults, which change the answers."""
    for module in [m for name, m in sys.modules.items() if name.startswith("autopar.")]:
        for thing in vars(module).values():
            if hasattr(thing, "cache_clear"):
                thing.cache_clear()
    for name, table in (("cpu.build", "_loaded"), ("runtime.contents", "_known")):
        module = sys.modules.get(f"autopar.{name}")
        if module is not None:
            vars(module)[table].clear()
