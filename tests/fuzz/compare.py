"""One program under CPython and under autopar, and everything a program can see of the two."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import random
import sys
import warnings
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from autopar import journal
from autopar.hook import loader, lookup
from autopar.verdict import Reason

from .program import FILE, Program
from .seen import Frozen, is_data
from .setting import as_wanted

WARNINGS = True
"""Whether NumPy's warnings must be the same: category, words and line, each once."""


_ATTEMPTS = 20  # to see what was found in CPython as well


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


def plainly(program: Program) -> None:
    """All calls of `program` by CPython alone."""
    with warnings.catch_warnings(), as_wanted(program):
        warnings.simplefilter("ignore")
        names = sorted(name for name, value in program.inputs("").items() if is_data(name, value))
        run = _Run(program, compile(program.source(names), FILE, "exec", dont_inherit=True))
        for call in program.calls:
            run.call(call)


def _judge(program: Program) -> Verdict:
    names = sorted(name for name, value in program.inputs("").items() if is_data(name, value))
    source = program.source(names)
    # Where a console keeps the lines that it was given, and helper functions are read.
    linecache.cache[FILE] = len(source), None, source.splitlines(keepends=True), FILE
    plain = compile(source, FILE, "exec", dont_inherit=True)
    journal.clear()
    made = len(loader.sites)
    # `loader.code_of`, which leaves a module alone where this fails.
    rewritten = loader._bound(lookup.loops(source, FILE, "text"), source, FILE)
    del loader.sites[made:]  # or all programs of a long run would stay alive
    if rewritten is None:
        reasons = [r.refusal.code for r in journal.records() if r.refusal is not None]
        return Verdict("interpreted", *(reasons or ("no-site",))[:1])
    ours = _Run(program, rewritten)
    theirs = _Run(program, plain)
    for number, call in enumerate(program.calls):
        wanted, found = theirs.call(call), ours.call(call)
        difference = wanted.difference(found)
        if difference is not None and not _unsteady(program, plain, number, found):
            raise Wrong(f"call {number}: {difference}")
    return _verdict(source, program.helpers.count("\n"))


def _unsteady(program: Program, plain: CodeType, number: int, found: _Seen) -> bool:
    """Whether CPython itself leaves what was `found` after a call, if only at times.

    NumPy multiplies complex numbers in place with or without fused operations, and so with other
    last bits, depending on where a scalar lies in memory.
    """
    moved = []
    for attempt in range(_ATTEMPTS):
        moved.append(bytes(64 + 48 * attempt))  # what is allocated next lies somewhere else
        again = _Run(program, plain)
        for call in program.calls[:number]:
            again.call(call)
        if again.call(program.calls[number]).difference(found) is None:
            return True
    return False


def _verdict(source: str, helpers: int) -> Verdict:
    """What became of the largest outermost loop, or where there is none, of the first run.

    Parameters
    ----------
    helpers
        How many lines of `source` are those of functions that the program calls; a loop of theirs
        is not what is asked about.
    """
    for record in journal.records():
        if record.refusal is not None and record.refusal.reason is Reason.INTERNAL:
            raise Wrong(str(record.refusal))
    everything = [record for record in journal.records() if record.line > helpers]
    first = _largest(ast.parse(source))
    whole = next((r for r in everything if r.line == first), None)
    whole = whole or (everything or [journal.LoopRecord(FILE, 0, "")])[0]
    inside = any(r.runs for r in everything if r is not whole)
    if whole.runs:
        return Verdict(whole.status, inside=inside)
    code = whole.refusal.code if whole.refusal is not None else "not-run"
    return Verdict("interpreted", code, inside)


def _largest(tree: ast.Module) -> int:
    """Where the longest outermost loop of the program begins; 0 if there is none."""
    main = [n for n in tree.body if getattr(n, "name", "program") == "program"]
    todo: list[ast.AST] = [*main]
    found = []
    while todo:
        node = todo.pop()
        around = isinstance(node, ast.For) and isinstance(
            node.iter, ast.Constant
        )  # `for … in 'ab'`
        if isinstance(node, ast.For | ast.While) and not around:
            found.append(node)
        else:
            todo += ast.iter_child_nodes(node)
    return max(found, key=lambda n: (n.end_lineno - n.lineno, -n.lineno)).lineno if found else 0


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
        before, left = _arrays(inputs), dict[str, Any]()
        printed = contextlib.redirect_stdout(io.StringIO())
        with warnings.catch_warnings(record=True) as warned, printed as text:
            warnings.simplefilter("default")
            try:
                self._run(inputs, left)
            except Exception as error:
                seen.parts["exception"] = (type(error), str(error), *_lines(error))
        frozen = Frozen()
        for name, value in sorted(before.items()):
            seen.parts[f"{name} as it came"] = frozen.of(value)
        for name, value in sorted(left.items()):
            if is_data(name, value):
                seen.parts[name] = frozen.of(value)
        seen.parts["printed"] = text.getvalue()
        if "np.random." in self.program.loop:
            seen.parts["np.random"] = repr(np.random.get_state(legacy=False))
        if "random." in self.program.loop:
            seen.parts["random"] = random.getstate()
        if WARNINGS:
            seen.parts["warnings"] = {(w.category, str(w.message), w.lineno) for w in warned}
        return seen

    def _run(self, inputs: dict[str, Any], left: dict[str, Any]) -> None:
        """Put into `left` the names and values that the program leaves behind."""
        if self.program.place == "module":
            space = {**self.space, **inputs}
            try:
                exec(self.code, space)
            finally:  # what a module has assigned is seen even when it fails
                left.update(space)
            return
        for name in [k for k, v in inputs.items() if not is_data(k, v)]:
            self.space[name] = inputs.pop(name)
        found = self.space["program"](**inputs)
        left.update(found if isinstance(found, dict) else {"result": found})


def _lines(error: BaseException) -> list[int]:
    """Lines of the program in the traceback.

    None where a variable has no value: behind a loop that breaks, CPython's compiler gives the
    look-up the line of another statement, which one depends on the code around.
    """
    if isinstance(error, UnboundLocalError):
        return []
    trace, found = error.__traceback__, []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            found.append(trace.tb_lineno)
        trace = trace.tb_next
    return found


def _arrays(inputs: dict[str, Any]) -> dict[str, Any]:
    """All arrays, and for views what lies around them."""
    found = {k: v for k, v in inputs.items() if is_data(k, v)}
    for name, value in list(found.items()):
        if isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
            found[f"{name}.base"] = value.base
    return found


def _short(seen: Any) -> str:
    if isinstance(seen, tuple) and len(seen) > 1 and isinstance(seen[-1], bytes):
        numbers = np.frombuffer(seen[-1], seen[1 if len(seen) == 3 else 3])
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
