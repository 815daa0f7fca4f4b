"""Which array a name means where a nest reads it, or changes it."""

from __future__ import annotations

from collections.abc import Sequence

from autopar.nest import ir, walking
from autopar.nest.flow import exposed
from autopar.nest.ir import Assign, For, If, Leave, Name, Stmt, View, While


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
