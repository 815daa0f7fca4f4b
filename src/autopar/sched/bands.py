"""What is asked of loops before they change places, or go on together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from autopar.nest.flow import exposed, names, written
from autopar.nest.ir import (
    Assign,
    Binary,
    Call,
    Const,
    Dim,
    Expr,
    For,
    If,
    Leave,
    Name,
    Nest,
    Partial,
    Stmt,
    Unary,
    While,
)
from autopar.nest.walking import blocks, expressions, statements
from autopar.sched.plan import Loop, Node, statement

_FEW = 8  # iterations, for which no loop is worth being innermost


def any_order(node: Loop) -> bool:
    """Whether iterations may run in any order; those of a reduction, in parts only."""
    return node.parallel and not node.reductions


def chain(outer: Loop) -> list[Loop]:
    """`outer`, and the loops in any order that stand in it, each alone in the one around it."""
    found = [outer]
    while len(found[-1].body) == 1:
        (inner,) = found[-1].body
        if not isinstance(inner, Loop) or not any_order(inner) or inner.cut:
            break
        found.append(inner)
    return found


def adds(stmt: Stmt) -> bool:
    """Whether `stmt` adds something to a scalar, or multiplies it."""
    match stmt:
        case Assign(target=Name(id=name), value=Binary(op="+" | "-" | "*", left=left, right=right)):
            return Name(name) in (left, right)
    return False


def unit(index: Expr, var: str) -> bool:
    """Whether `index` moves by one cell as `var` does by one."""
    match index:
        case Name(id=name):
            return name == var
        case Binary(op="+" | "-" as op, left=left, right=right):
            inside = [var in names((e,)) for e in (left, right)]
            if inside == [True, False]:
                return unit(left, var)
            return op == "+" and inside == [False, True] and unit(right, var)
    return False


def harmless(expr: Expr) -> bool:
    """Whether evaluating `expr` cannot fail."""
    match expr:
        case Const() | Name() | Dim():
            return True
        case Unary(op="-" | "+", operand=operand):
            return harmless(operand)
        case Binary(op="+" | "-" | "*", left=left, right=right):
            return harmless(left) and harmless(right)
        case Call(func="<min>" | "<max>", args=args):  # ours, of integers
            return all(map(harmless, args))
    return False


def short(loop: For, least: int = _FEW) -> bool:
    """Whether `loop` is known to have fewer iterations than that."""
    match [bound.value for bound in (loop.start, loop.stop, loop.step) if isinstance(bound, Const)]:
        case [int(start), int(stop), int(step)] if step:
            return len(range(start, stop, step)) < least
    return False


def inner_of(loop: For, one: Partial) -> For:
    """The loop in `loop` that looks for an extreme."""
    (found,) = (s for s in loop.body if isinstance(s, For) and s.id == one.loop)
    return found


def leaves(stmt: Stmt) -> bool:
    """Whether `stmt` may end an iteration, or the loop, early."""
    if isinstance(stmt, If):
        return any(leaves(inner) for block in blocks(stmt) for inner in block)
    return isinstance(stmt, Leave)


def straight(stmt: Stmt) -> bool:
    """Whether `stmt` does nothing of its own but assign, ask, or count: it leaves no loop early."""
    match stmt:
        case For(step=Const(), fold=False, product=False):
            return True
        case If() | Assign():
            return True
    return False


def unseen(nest: Nest) -> bool:
    """Whether `nest` leaves nothing but what is in the arrays that it is handed."""
    made = (nest.locals, nest.turns, nest.rows, nest.bundles, nest.absents, nest.columns)
    return not (nest.live_out or any(made))


def has_loops(stmt: Stmt) -> bool:
    return any(isinstance(inner, For | While) for inner in statements(stmt))


def seen_after(nest: Nest, loop: int, scalars: frozenset[str]) -> frozenset[str]:
    """Those of `scalars` that are live-out, or read by anything but the loop of that id.

    Who assigns a scalar before it is read there, as a loop its variable, does not see it.
    """
    found = set(nest.live_out)

    def visit(stmts: Sequence[Stmt], own: frozenset[str]) -> None:
        for stmt in stmts:
            if stmt.id == loop:
                continue
            if all(inner.id != loop for inner in statements(stmt)):
                found.update(exposed((stmt,)) - own)
                continue
            found.update(names(expressions(stmt)) - own)
            inner = own | {stmt.var} if isinstance(stmt, For) else own
            for block in blocks(stmt):
                visit(block, inner)

    visit((nest.loop,), frozenset())
    return frozenset(found) & scalars


def parts(nest: Nest, outer: Loop) -> list[tuple[Node, ...]]:
    """The body of `outer`, cut wherever what follows shares no scalar with what goes before.

    Where iterations of `outer` may run in any order, it may be cut there.
    """
    inside = [statement(node) for node in outer.body]
    bounds = (outer.loop.start, outer.loop.stop, outer.loop.step)
    # Each copy computes its range anew: nothing in the body may change it.
    fixed = {outer.loop.var, *names(bounds)}
    if not all(map(harmless, bounds)) or fixed & written(inside):
        return [outer.body]
    if any(leaves(stmt) for stmt in inside):
        return [outer.body]
    cuts = [k for k in range(1, len(inside)) if _apart(nest, outer.loop.id, inside[:k], inside[k:])]
    ends = [0, *cuts, len(inside)]
    return [outer.body[start:end] for start, end in pairwise(ends)]


def _apart(nest: Nest, loop: int, before: Sequence[Stmt], after: Sequence[Stmt]) -> bool:
    """Whether two halves of the body of a loop communicate through arrays only."""
    first, second = written(before), written(after)
    if first & exposed(after) or second & exposed(before):
        return False
    # Which half assigned last may depend on the iteration.
    return not seen_after(nest, loop, first & second)
