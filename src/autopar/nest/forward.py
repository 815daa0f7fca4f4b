"""Integer scalars that are only names for an expression: ``up = (i - 1) % rows``.

Forward substitution (Allen, Kennedy, "Optimizing Compilers for Modern Architectures", 2002,
section 4.5.1), used to know a scalar's range and value; the statements themselves stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autopar.nest.flow import exposed, names
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Expr,
    For,
    Name,
    Nest,
    Stmt,
    Unary,
    blocks,
    statements,
)

Definitions = Mapping[str, Expr]


def definitions(nest: Nest) -> Definitions:
    """Scalars with one assignment, of an expression in live-ins, loop variables, and such scalars.

    A scalar that is not upward-exposed has been assigned before each of its reads in the same
    iteration of every loop around the assignment, so the loop variables in its definition still
    have the values that they have at the read.
    """
    counts: dict[str, int] = {}
    loops: set[str] = set()
    for stmt in statements(nest.loop):
        match stmt:
            case Assign(target=Name(id=name)):
                counts[name] = counts.get(name, 0) + 1
            case For(var=var):
                loops.add(var)
    once = {n for n, count in counts.items() if count == 1} - loops - exposed((nest.loop,))
    found: dict[str, Expr] = {}
    _collect((nest.loop,), frozenset(), once, frozenset(nest.scalars), found)
    return found


def _collect(
    stmts: tuple[Stmt, ...],
    around: frozenset[str],
    once: set[str],
    scalars: frozenset[str],
    found: dict[str, Expr],
) -> None:
    for stmt in stmts:
        match stmt:
            case Assign(target=Name(id=name), value=value) if name in once:
                value = substitute(value, found)
                if not (names((value,)) & scalars) - around:
                    found[name] = value
            case For(var=var, body=body):
                _collect(body, around | {var}, once, scalars, found)
            case _:
                for block in blocks(stmt):
                    _collect(block, around, once, scalars, found)


def substitute(expr: Expr, known: Definitions) -> Expr:
    """`expr` with the names in `known` replaced, through arithmetic and calls only."""
    match expr:
        case Name(id=name):
            return known.get(name, expr)
        case Unary(operand=operand):
            return replace(expr, operand=substitute(operand, known))
        case Binary(left=left, right=right):
            return replace(expr, left=substitute(left, known), right=substitute(right, known))
        case Call(args=args):
            return replace(expr, args=tuple(substitute(a, known) for a in args))
    return expr
