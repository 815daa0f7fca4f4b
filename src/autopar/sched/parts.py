"""Parts of a loop: statements picked out of its body, and what all copies of it can evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autopar.nest.flow import written
from autopar.nest.ir import (
    Binary,
    Compare,
    Const,
    Dim,
    Expr,
    For,
    If,
    Leave,
    Logic,
    Name,
    Nest,
    Stmt,
    Unary,
)
from autopar.nest.meaning import rebuilt, rewritten
from autopar.nest.walking import blocks, expressions, statements, walk
from autopar.records import replace


def renamed(stmt: Stmt, read: Mapping[str, str]) -> Stmt:
    """`stmt` with other names for scalars that it reads; it assigns none of them."""

    def change(expr: Expr) -> Expr:
        if isinstance(expr, Name):
            return Name(read.get(expr.id, expr.id))
        return rebuilt(expr, change)

    return rewritten(stmt, change)


def pruned(stmts: Sequence[Stmt], atoms: frozenset[int]) -> tuple[Stmt, ...]:
    """`stmts` with only `atoms` in them, and what leads to them."""
    kept: list[Stmt] = []
    for stmt in stmts:
        if stmt.id in atoms:
            kept.append(stmt)
        elif isinstance(stmt, For):
            body = pruned(stmt.body, atoms)
            if body:
                kept.append(replace(stmt, body=body))
        elif isinstance(stmt, If):
            body, orelse = pruned(stmt.body, atoms), pruned(stmt.orelse, atoms)
            if body or orelse:
                kept.append(replace(stmt, body=body, orelse=orelse))
    return tuple(kept)


def divisible(stmt: If) -> bool:
    """Whether what the branch does may go to several copies of the loop around it."""
    inner = [s for block in (stmt.body, stmt.orelse) for top in block for s in statements(top)]
    return not any(isinstance(s, Leave) for s in inner)


def repeatable(stmt: If, loops: frozenset[str], nest: Nest) -> bool:
    """Whether each copy of a loop may evaluate the test again: it is about what does not change.

    Parameters
    ----------
    loops
        Variables of the loops around `stmt`.
    """

    def fixed(expr: Expr) -> bool:
        match expr:
            case Const() | Dim():
                return True
            case Name(id=name):
                return name in loops or name not in nest.scalars
            case Unary(operand=operand):
                return fixed(operand)
            case Binary(op="//" | "%", left=left, right=Const(value=int(value))):
                return bool(value) and fixed(left)
            case Binary(op="+" | "-" | "*", left=left, right=right):
                return fixed(left) and fixed(right)
            case Compare(left=left, right=right):
                return fixed(left) and fixed(right)
            case Logic(values=values):
                return all(map(fixed, values))
        return False

    return fixed(stmt.test)


def fixed(loop: For, ints: frozenset[str]) -> bool:
    """Whether the number of iterations of `loop` is known before the nest starts.

    Parameters
    ----------
    ints
        Those of `Typed`.
    """

    def plain(expr: Expr) -> bool:
        match expr:
            case Const(value=value):
                return type(value) is int
            case Name(id=name):
                return name in ints
            case Dim():
                return True
            case Unary(op="-" | "+", operand=operand):
                return plain(operand)
            case Binary(op="+" | "-" | "*", left=left, right=right):
                return plain(left) and plain(right)
        return False

    known = isinstance(loop.step, Const) and loop.step.value != 0
    return known and plain(loop.step) and plain(loop.start) and plain(loop.stop)


def turn(loop: For) -> Expr:
    """How many iterations of `loop` came before the one at hand."""
    made: Expr = Name(loop.var)
    size = Const(1)
    if loop.start != Const(0):
        made = Binary("-", made, loop.start, loop.line)
    match loop.step:
        case Const(value=int(step)) if step < 0:  # dividing by a positive number is cheaper
            made, size = Unary("-", made, loop.line), Const(-step)
        case Const() as size:
            pass
    return made if size == Const(1) else Binary("//", made, size, loop.line)


def read_outside(loop: For) -> frozenset[str]:
    """The names that are read anywhere that is not the body of a loop over them."""
    found: set[str] = set()

    def visit(stmt: Stmt, around: frozenset[str]) -> None:
        for top in expressions(stmt):
            found.update(e.id for e in walk(top) if isinstance(e, Name) and e.id not in around)
        if isinstance(stmt, For):
            if stmt.var not in around and stmt.var in written(stmt.body):
                found.add(stmt.var)
            around = around | {stmt.var}
        for block in blocks(stmt):
            for child in block:
                visit(child, around)

    visit(loop, frozenset())
    return frozenset(found)
