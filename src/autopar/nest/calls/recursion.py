"""Calls of a function by itself, written out as deep as the numbers of a call say.

``if depth > 0: … trace(depth - 1)`` has the test ``depth - 1 - 1 - 1 > 0`` in its third copy, and
with `depth` at hand it is known that what follows is not reached.  A kernel that reaches it all the
same, as another `depth` is handed to it, gives up there.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Expr,
    For,
    If,
    Logic,
    Name,
    Nest,
    Stmt,
    Unary,
    While,
)
from autopar.nest.text.asked import NEVER
from autopar.records import replace

_OPERATIONS: Mapping[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def bounded(nest: Nest, functions: Collection[str], numbers: Mapping[str, Any]) -> Nest:
    """`nest` without the branches that call one of `functions` and are not reached.

    Parameters
    ----------
    numbers
        Live-in numbers; the branches are not reached with these.
    """
    cutter = _Cutter(nest, functions, numbers)
    (loop,) = cutter.block((nest.loop,))
    if loop == nest.loop:
        return nest
    assert isinstance(loop, For)
    left = _called(loop)
    scalars = walking.assigned(loop)
    read = exposed((loop,)) & frozenset(nest.scalars) - scalars
    paths = {path for path in nest.paths if path not in functions or path in left} | read
    return replace(
        nest,
        loop=loop,
        paths=tuple(sorted(paths)),
        scalars=tuple(sorted(scalars)),
        live_out=tuple(
            name if name in scalars or name.startswith("<") else f"{NEVER}{name}>"
            for name in nest.live_out
        ),
        names=nest.results,
    )


class _Cutter:
    """Cuts branches off that are not reached."""

    def __init__(self, nest: Nest, functions: Collection[str], numbers: Mapping[str, Any]) -> None:
        self.functions = functions
        self.ids = count(1 + max(walking.numbers(nest.loop)))
        self.values: dict[str, Expr | None] = {}
        for stmt in walking.statements(nest.loop):
            match stmt:
                case Assign(target=Name(id=name), value=value):
                    self.values[name] = None if name in self.values else value
                case For(var=var):
                    self.values[var] = None
        self.known: dict[str, int | float | None] = {
            name: number
            for name, number in numbers.items()
            if type(number) in (bool, int, float) and name not in self.values
        }

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(map(self.statement, stmts))

    def statement(self, stmt: Stmt) -> Stmt:
        match stmt:
            case If(test=test, body=body, orelse=orelse):
                if self.calls(body) and self.truth(test) is False:
                    body = self.end(stmt, body)
                if self.calls(orelse) and self.truth(test) is True:
                    orelse = self.end(stmt, orelse)
                return replace(stmt, body=self.block(body), orelse=self.block(orelse))
            case While(body=body) | For(body=body):
                return replace(stmt, body=self.block(body))
        return stmt

    def end(self, stmt: Stmt, instead: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """What gives up, and leaves something in the variables that others assign, too."""
        beyond = Call(ir.GIVEN, (Const(0), Const(False)), stmt.line)
        made = [self.assign(f"<beyond {next(self.ids)}>", beyond, stmt)]
        own = {name for inner in instead for name in walking.assigned(inner)}
        for name in sorted(own):
            if name in self.values and self.values[name] is None:
                made.append(self.assign(name, Call(f"{ir.NOTHING}{name}>", (), stmt.line), stmt))
        return tuple(made)

    def assign(self, name: str, value: Expr, stmt: Stmt) -> Stmt:
        return Assign(Name(name), value, next(self.ids), stmt.line)

    def calls(self, stmts: Sequence[Stmt]) -> bool:
        return any(not _called(stmt).isdisjoint(self.functions) for stmt in stmts)

    def truth(self, test: Expr) -> bool | None:
        """Whether `test` holds, as far as the live-in numbers alone decide of it."""
        match test:
            case Unary(op="not", operand=operand):
                opposite = self.truth(operand)
                return None if opposite is None else not opposite
            case Logic(op=op, values=values):
                each = [self.truth(value) for value in values]
                decides = op == "or"
                if decides in each:
                    return decides
                return None if None in each else not decides
        found = self.value(test)
        return None if found is None else bool(found)

    def value(self, expr: Expr) -> int | float | None:
        """The number that `expr` is, if it is one made of live-in ones."""
        match expr:
            case Const(value=bool() | int() | float() as value):
                return value
            case Name(id=name):
                if name not in self.known:
                    self.known[name] = None  # as long as it is not known: it may be made of itself
                    meant = self.values.get(name)
                    self.known[name] = None if meant is None else self.value(meant)
                return self.known[name]
            case Binary(op=op, left=left, right=right) | Compare(op=op, left=left, right=right):
                one, other = self.value(left), self.value(right)
                if op not in _OPERATIONS or one is None or other is None:
                    return None
                result: int | float = _OPERATIONS[op](one, other)
                return result
        return None


def _called(stmt: Stmt) -> set[str]:
    """What is called in `stmt`."""
    return {
        expr.func
        for inner in walking.statements(stmt)
        for top in walking.expressions(inner)
        for expr in walking.walk(top)
        if isinstance(expr, Call)
    }
