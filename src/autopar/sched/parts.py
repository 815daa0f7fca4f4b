"""Parts of a loop: statements picked out of its body, and what all copies of it can evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Dim,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Logic,
    Name,
    Nest,
    Select,
    Stmt,
    Unary,
    While,
    statements,
)


def renamed(stmt: Stmt, read: Mapping[str, str]) -> Stmt:
    """`stmt` with other names for scalars that it reads; it assigns none of them."""

    def expr(e: Expr) -> Expr:
        match e:
            case Name(id=name) if name in read:
                return Name(read[name])
            case Load(index=index):
                return replace(e, index=tuple(map(expr, index)))
            case Unary(operand=operand):
                return replace(e, operand=expr(operand))
            case Binary(left=left, right=right) | Compare(left=left, right=right):
                return replace(e, left=expr(left), right=expr(right))
            case Logic(values=values):
                return replace(e, values=tuple(map(expr, values)))
            case Select(test=test, body=body, orelse=orelse):
                return replace(e, test=expr(test), body=expr(body), orelse=expr(orelse))
            case Call(args=args):
                return replace(e, args=tuple(map(expr, args)))
        return e

    def block(stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        return tuple(map(inside, stmts))

    def inside(s: Stmt) -> Stmt:
        match s:
            case Assign(target=Element(index=index) as target, value=value):
                moved = replace(target, index=tuple(map(expr, index)))
                return replace(s, target=moved, value=expr(value))
            case Assign(value=value):
                return replace(s, value=expr(value))
            case If(test=test, body=body, orelse=orelse):
                return replace(s, test=expr(test), body=block(body), orelse=block(orelse))
            case While(test=test, body=body):
                return replace(s, test=expr(test), body=block(body))
            case For(start=start, stop=stop, step=step, body=body):
                bounds = map(expr, (start, stop, step))
                start, stop, step = bounds
                return replace(s, start=start, stop=stop, step=step, body=block(body))
        return s

    return inside(stmt)


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


def fixed(loop: For, nest: Nest) -> bool:
    """Whether the number of iterations of `loop` is known before the nest starts."""

    def plain(expr: Expr) -> bool:
        match expr:
            case Const(value=value):
                return type(value) is int
            case Name(id=name):
                return name not in nest.scalars
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
