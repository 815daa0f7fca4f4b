"""What a loop comes to in each of its iterations, and whether it has any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Compare,
    Const,
    Element,
    Expr,
    For,
    Load,
    Logic,
    Select,
    Stmt,
    Unary,
)
from autopar.sched.bands import harmless


def always(
    stmts: Sequence[Stmt], around: tuple[For, ...]
) -> Iterator[tuple[Load | Element, tuple[For, ...], int]]:
    """Accesses that each iteration of the loops around them comes to, with these loops and a line.

    Stores first, of each statement.
    """
    for stmt in stmts:
        match stmt:
            case Assign(target=target, value=value):
                if isinstance(target, Element):
                    yield target, around, stmt.line
                for load in evaluated(value):
                    yield load, around, stmt.line
            case For(step=Const(value=1), fold=False) if harmless(stmt.start) and harmless(
                stmt.stop
            ):
                yield from always(stmt.body, (*around, stmt))


def evaluated(expr: Expr) -> Iterator[Load]:
    """Loads that are made whenever `expr` is evaluated, whatever it is made of."""
    match expr:
        case Load():
            yield expr
        case Unary(operand=operand):
            yield from evaluated(operand)
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            yield from evaluated(left)
            yield from evaluated(right)
        case Call(args=args):
            for arg in args:
                yield from evaluated(arg)
        case Select(test=test):
            yield from evaluated(test)
        case Logic(values=(first, *_)):
            yield from evaluated(first)


def runs(loop: For) -> tuple[Expr, ...]:
    """Tests whether `loop` has an iteration; none where that is sure."""
    match loop.start, loop.stop:
        case Const(value=int(start)), Const(value=int(stop)) if start < stop:
            return ()
    return (Compare("<", loop.start, loop.stop, loop.line),)
