"""Which array a name means where a nest reads it, or changes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import (
    Assign,
    Element,
    Expr,
    For,
    If,
    Leave,
    Load,
    Name,
    Stmt,
    View,
    While,
)

_MOST_AXES = 64


def stored_first(stmts: Sequence[Stmt], name: str, bound: bool | None) -> tuple[bool | None, bool]:
    """Whether `name` has been bound after `stmts`, and whether it may be changed before it is.

    `bound` is None where no statement is reached.
    """
    changed = False
    for stmt in stmts:
        if bound is None:
            break
        match stmt:
            case Assign(target=Name(id=found), augmented=augmented) if found == name:
                changed |= augmented and not bound
                bound = bound or not augmented
            case ir.Put(target=View() as view):
                reads = {e.id for e in walking.walk(view.array) if isinstance(e, Name)}
                changed |= name in reads and not bound
            case Leave():
                bound = None
            case If(body=body, orelse=orelse):
                ends = [stored_first(block, name, bound) for block in (body, orelse)]
                changed |= any(found for _, found in ends)
                ways = [end for end, _ in ends if end is not None]
                bound = all(ways) if ways else None
            case For(body=body) | While(body=body):
                changed |= stored_first(body, name, bound)[1]
    return bound, changed


def changed_through(loop: For, name: str, rank: int, slices: bool) -> set[str]:
    """Names by which `loop` stores into what `name` is, or has been, or into a part of it.

    Parameters
    ----------
    rank
        How many axes that has.
    slices
        Whether slices are parts of it, and not copies.
    """
    every = list(walking.statements(loop))
    ranks, more = {name: rank}, True
    while more:
        more = False
        for stmt in every:
            match stmt:
                case Assign(target=Name(id=other), value=value):
                    for whole, axes in _wholes(value, slices):
                        # A number is no part that changes, and new axes end somewhere.
                        left = min(ranks.get(whole, 0) - axes, _MOST_AXES)
                        if left > ranks.get(other, 0):
                            ranks[other], more = left, True
    return ranks.keys() & {_stored_into(stmt) for stmt in every}


def _wholes(expr: Expr, slices: bool) -> Iterator[tuple[str, int]]:
    """Names of what `expr` may be, or be a part of, and how many axes it has less."""
    match expr:
        case Name(id=name):
            yield name, 0
        case Load(array=name, index=index):
            yield name, len(index)
        case View(array=array, index=index):
            if slices or not any(isinstance(part, ir.Slice) for part in index):
                axes = sum(not isinstance(part, ir.Slice | str) for part in index)
                new = sum(part == "None" for part in index)
                yield from ((name, axes - new + more) for name, more in _wholes(array, slices))
        case ir.Select(body=body, orelse=orelse):
            yield from _wholes(body, slices)
            yield from _wholes(orelse, slices)
        case ir.Logic(values=values):
            for value in values:
                yield from _wholes(value, slices)


def _stored_into(stmt: Stmt) -> str:
    """The name of what `stmt` stores into; empty where that is nothing."""
    match stmt:
        case Assign(target=Element(array=name)) | Assign(target=Name(id=name), augmented=True):
            return name
        case ir.Put(target=View(array=array)):
            return next((name for name, _ in _wholes(array, True)), "")
    return ""


def known_where_read(stmts: Sequence[Stmt], name: str) -> bool:
    """Whether the text says which assignment of `name` each read of it sees."""
    for k, stmt in enumerate(stmts):
        inner = walking.blocks(stmt)
        if not any(
            assigns(s, name) for block in inner for one in block for s in walking.statements(one)
        ):
            continue
        if name in exposed(stmts[k + 1 :]):
            return False
        if isinstance(stmt, For | While) and name in exposed(stmt.body):
            return False
        if not all(known_where_read(block, name) for block in inner):
            return False
    return name not in exposed(stmts)


def assigns(stmt: Stmt, name: str) -> bool:
    match stmt:
        case Assign(target=Name(id=found)) | For(var=found):
            return found == name
    return False


def mentions(stmt: Stmt, name: str) -> int:
    """How often `stmt` reads `name`."""
    exprs = (
        e
        for s in walking.statements(stmt)
        for top in walking.expressions(s)
        for e in walking.walk(top)
    )
    return sum(1 for e in exprs if isinstance(e, Name) and e.id == name)


def leaves(stmt: Stmt) -> bool:
    """Whether a loop may be left in `stmt`."""
    return any(isinstance(inner, Leave) for inner in walking.statements(stmt))
