"""The loops of a function as its text has them, and what decides there whether statements run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Control:
    """Whether `sink` runs is decided at `source`, now or in earlier turns of loop `carrier`."""

    source: int
    sink: int
    carrier: int | None


@dataclass
class Shape:
    """Lines stand for loops and statements.

    Attributes
    ----------
    loops
        Variable of each `for`.
    inside
        Lines within each `for` and `while`, headers of inner loops and tests included.
    assignments
        Lines of assignments.
    controls
        All decisions.
    """

    loops: dict[int, str] = field(default_factory=dict)
    inside: dict[int, frozenset[int]] = field(default_factory=dict)
    assignments: set[int] = field(default_factory=set)
    controls: set[Control] = field(default_factory=set)


def shape(source: str) -> Shape:
    """Read the one function of `source`."""
    found = Shape()
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    _block(function.body, found)
    return found


def _lines(stmts: Sequence[ast.stmt]) -> frozenset[int]:
    return frozenset(n.lineno for stmt in stmts for n in ast.walk(stmt) if isinstance(n, ast.stmt))


def _block(stmts: Sequence[ast.stmt], found: Shape) -> None:
    for stmt in stmts:
        match stmt:
            case ast.Assign() | ast.AugAssign():
                found.assignments.add(stmt.lineno)
            case ast.If(body=body, orelse=orelse):
                _decides(stmt.lineno, (*body, *orelse), None, found)
                _block((*body, *orelse), found)
            case ast.For(target=target, body=body, orelse=orelse):
                assert isinstance(target, ast.Name)
                found.loops[stmt.lineno] = target.id
                _loop(stmt, body, found)
                _block(orelse, found)
            case ast.While(body=body):
                _loop(stmt, body, found)
                for line in (stmt.lineno, *found.inside[stmt.lineno]):
                    found.controls.add(Control(stmt.lineno, line, stmt.lineno))


def _loop(stmt: ast.For | ast.While, body: Sequence[ast.stmt], found: Shape) -> None:
    found.inside[stmt.lineno] = _lines(body)
    _decides(stmt.lineno, body, None, found)
    _block(body, found)
    _leaving(stmt.lineno, body, body, found)


def _decides(line: int, stmts: Sequence[ast.stmt], carrier: int | None, found: Shape) -> None:
    for sink in _lines(stmts):
        found.controls.add(Control(line, sink, carrier))


def _leaving(loop: int, stmts: Sequence[ast.stmt], body: Sequence[ast.stmt], found: Shape) -> None:
    """A `break`, `continue` or `return` under an `if` decides on what would come after it."""
    for stmt in stmts:
        if not isinstance(stmt, ast.If):
            continue
        kinds = _leaves((stmt,))
        if kinds:
            after = [one for one in body if one.lineno > stmt.lineno or stmt in ast.walk(one)]
            _decides(stmt.lineno, after, None, found)
        if kinds & {ast.Break, ast.Return}:
            _decides(stmt.lineno, body, loop, found)
        _leaving(loop, (*stmt.body, *stmt.orelse), body, found)


def _leaves(stmts: Sequence[ast.stmt]) -> set[type[ast.stmt]]:
    """Kinds of statements in `stmts` that leave an iteration of the loop around them."""
    kinds: set[type[ast.stmt]] = set()
    for stmt in stmts:
        match stmt:
            case ast.Break() | ast.Continue() | ast.Return():
                kinds.add(type(stmt))
            case ast.If(body=body, orelse=orelse):
                kinds |= _leaves((*body, *orelse))
    return kinds
