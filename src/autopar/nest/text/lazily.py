"""Operands that may not be evaluated, and tests that are evaluated each time, as statements.

Where what an expression needs is computed by statements, ``a and b`` becomes an ``if``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from autopar.nest.ir import Assign, Const, Expr, If, Leave, Logic, Name, Select, Stmt, Unary, While
from autopar.records import replace

Later = tuple[Sequence[Stmt], Expr]
"""What is to be done before an operand is evaluated, and the operand."""


def logic(
    expr: Logic, first: Expr, others: Sequence[Later], ids: count[int]
) -> tuple[list[Stmt], Expr]:
    """The last operand that is evaluated; as statements where one but the first needs them."""
    if not any(stmts for stmts, _ in others):
        return [], replace(expr, values=(first, *(operand for _, operand in others)))
    chosen, line = Name(f"<chosen {next(ids)}>"), expr.line
    made: list[Stmt] = [Assign(chosen, first, next(ids), line)]
    for stmts, operand in others:
        onwards = chosen if expr.op == "and" else Unary("not", chosen, line)
        last = Assign(chosen, operand, next(ids), line)
        made.append(If(onwards, (*stmts, last), (), next(ids), line))
    return made, chosen


def select(
    expr: Select, test: Expr, body: Later, orelse: Later, ids: count[int]
) -> tuple[list[Stmt], Expr]:
    """Either branch; as a statement where one needs statements."""
    if not body[0] and not orelse[0]:
        return [], replace(expr, test=test, body=body[1], orelse=orelse[1])
    chosen, line = Name(f"<chosen {next(ids)}>"), expr.line
    then, other = (
        (*stmts, Assign(chosen, value, next(ids), line)) for stmts, value in (body, orelse)
    )
    return [If(test, then, other, next(ids), line)], chosen


def tested(loop: While, test: Later, body: tuple[Stmt, ...], ids: count[int]) -> While:
    """`loop` with another test and body."""
    again, holds = test
    if not again:
        return replace(loop, test=holds, body=body)
    line = loop.line
    leave = Leave("break", next(ids), line)
    end = If(Unary("not", holds, line), (leave,), (), next(ids), line)
    return replace(loop, test=Const(True), body=(*again, end, *body))
